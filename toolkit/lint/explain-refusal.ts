import { parsePointer } from '@lockstep/json/json-pointer';
import { findSyntaxProblems } from '../contract/syntax-problems.ts';
import { findUnsupported } from '../contract/unsupported.ts';
import type { YamlSource } from '../contract/yaml-source.ts';
import type { Problem } from '../problem.ts';

/** Redocly's messages for a document that isn't OpenAPI, or has an unknown version. */
const isNoOpenApi = /must be JSON object|Unsupported specification|(Unsupported|Invalid) \w+ version/;

/** Limits of the toolkit whose findings crash Redocly. */
const crashing: readonly string[] = ['unsupported/not-json', 'unsupported/reference-loop', 'unsupported/member-name'];

/**
 * Reports the reason why the linter could not check a document, with its location.
 *
 * Some documents crash Redocly. It then prints "Maximum call stack size exceeded", and no location.
 *
 * @param words the last sentence that Redocly printed
 * @param file as it is displayed
 * @returns a problem for each construct that is a known cause; if there is none, one at the top of the file
 */
export function explainRefusal(
  words: string,
  file: string,
  { faults, value, positionOf }: YamlSource,
): readonly Problem[] {
  // JSON.parse accepts duplicate keys.
  if (faults.length > 0) return findSyntaxProblems(file, { faults });
  const top = { file, line: 1, column: 1, pointer: '#' };
  if (isNoOpenApi.test(words)) {
    const fix = 'Write an OpenAPI 3.1 or 3.0 document: an object that starts with openapi: 3.1.1 or openapi: 3.0.4.';
    return [{ ...top, rule: 'document', message: words, fix }];
  }
  const rule = 'unreadable';
  const causes = findUnsupported(value, 'root').filter((cause) => crashing.includes(cause.rule));
  if (causes.length === 0) {
    const fix = 'Remove the latest additions, part by part, until the linter reads the document.';
    return [{ ...top, rule, message: `The linter can't read the document: ${words}.`, fix }];
  }
  return causes.map(({ pointer, message, fix }) => {
    const why = `The linter can't read the document (${words}): ${message}.`;
    return { file, ...positionOf(parsePointer(pointer)), pointer, rule, message: why, fix };
  });
}
