import { parsePointer } from '@lockstep/json/json-pointer';
import { findSyntaxProblems } from '../contract/syntax-problems.ts';
import { findUnsupported } from '../contract/unsupported.ts';
import type { YamlSource } from '../contract/yaml-source.ts';
import type { Problem } from '../problem.ts';

/** How Redocly refuses a document that isn't OpenAPI, or is of a version that it doesn't know. */
const isNoOpenApi = /must be JSON object|Unsupported specification|(Unsupported|Invalid) \w+ version/;

/** The limits of the toolkit that Redocly shares: it dies of what they find. */
const deadly: readonly string[] = ['unsupported/not-json', 'unsupported/reference-loop', 'unsupported/member-name'];

/**
 * Says why the linter gave up on a document, and where.
 *
 * Redocly dies of some documents with the words of its own crash, "Maximum call stack size exceeded", and without a place.
 *
 * @param words the last sentence of Redocly
 * @param file as it is displayed
 * @returns a problem for each construct that is known to be the cause; one at the top of the file where none is
 */
export function explainRefusal(
  words: string,
  file: string,
  { faults, value, positionOf }: YamlSource,
): readonly Problem[] {
  // JSON.parse takes a key that stands twice.
  if (faults.length > 0) return findSyntaxProblems(file, { faults });
  const top = { file, line: 1, column: 1, pointer: '#' };
  if (isNoOpenApi.test(words)) {
    const fix = 'Write an OpenAPI 3.1 or 3.0 document: an object that starts with openapi: 3.1.1 or openapi: 3.0.4.';
    return [{ ...top, rule: 'document', message: words, fix }];
  }
  const rule = 'unreadable';
  const causes = findUnsupported(value, 'root').filter((cause) => deadly.includes(cause.rule));
  if (causes.length === 0) {
    const fix = 'Leave out what was added last, part by part, until the linter reads the document.';
    return [{ ...top, rule, message: `The linter can't read it: ${words}.`, fix }];
  }
  return causes.map(({ pointer, message, fix }) => {
    const why = `The linter can't read it (${words}): ${message}.`;
    return { file, ...positionOf(parsePointer(pointer)), pointer, rule, message: why, fix };
  });
}
