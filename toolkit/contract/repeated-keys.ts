import { isDeepStrictEqual } from 'node:util';
import { formatPointer, isObject, valueAt } from '@lockstep/json/json-pointer';
import { type Reading, readingOf } from '@lockstep/json/schema-keywords';
import type { Problem } from '../problem.ts';
import { refuseTooLargeValue } from './depth-limit.ts';
import { displayPath } from './display-path.ts';
import { closed, closedSecurity, warnOf } from './drop-faults.ts';
import { findSyntaxProblems } from './syntax-problems.ts';
import { findForeign } from './walk-document.ts';
import { type RepeatedKey, readRepeated, readYaml } from './yaml-source.ts';

type Path = readonly string[];

/**
 * Reads a text whose only faults are repeated keys. Of each, the last value counts, as in `JSON.parse`, but not for access, which the value before may
 * have restricted:
 *
 * - a `security` that is repeated, or that differs between two values of a repeated key, becomes one that nobody satisfies;
 * - a security scheme with two declarations that differ is left out, so that nobody is let in by it.
 *
 * @param source path or address of the text
 * @returns the value, with a warning for each repeated key; undefined if the text has other faults or merge keys
 * @throws ContractError for a value that is too deep or too large
 */
export function readRepeatedKeys(
  source: string,
  text: string,
): { readonly value: unknown; readonly warnings: readonly Problem[] } | undefined {
  // A merge key copies a security that is closed later.
  if (/<<["']?\s*:/.test(text)) return undefined;
  const { faults } = readYaml(text);
  if (faults.length === 0 || faults.some(({ first }) => first === undefined)) return undefined;
  const { value, repeated } = readRepeated(text);
  refuseTooLargeValue(source, text, value);
  // A value with cycles is refused later.
  const isEndless = findForeign(value).length > 0;
  const costs = new Map(repeated.map((one) => [formatPointer(one.path), isEndless ? lastCounts : close(value, one)]));
  const warnings = findSyntaxProblems(displayPath(source), { faults }).map((problem) =>
    warnOf(problem, costs.get(problem.pointer) ?? lastCounts),
  );
  return { value, warnings };
}

const lastCounts = 'the last one counts';

/** Closes the operations that the value before may have restricted. @returns the cost of the repetition */
function close(root: unknown, { path, before }: RepeatedKey): string {
  const security = path.findIndex((name, at) => name === 'security' && isKeyword(path.slice(0, at + 1)));
  if (security >= 0) {
    Object.assign(Object(valueAt(root, path.slice(0, security))), closedSecurity());
    return closed;
  }
  const kept = valueAt(root, path);
  if (isDeepStrictEqual(before, kept)) return lastCounts;
  const scheme = path.slice(
    0,
    1 + path.findIndex((name) => name === 'securitySchemes' || name === 'securityDefinitions'),
  );
  const name = path[scheme.length];
  if (scheme.length > 0 && name !== undefined) {
    delete (valueAt(root, scheme) as Record<string, unknown>)[name];
    return closed;
  }
  if (dropSchemes(before, kept, path)) return closed;
  const owners = listDiffering(before, kept, path);
  for (const owner of owners) Object.assign(owner, closedSecurity());
  return owners.length === 0 ? lastCounts : `${lastCounts}, but nobody is let in where their security differs`;
}

/** Leaves out the security schemes that differ between two values of a repeated key around them. @returns whether there are any */
function dropSchemes(before: unknown, kept: unknown, path: Path): boolean {
  if (!isObject(before) || !isObject(kept)) return false;
  if (path.at(-1) !== 'securitySchemes' && path.at(-1) !== 'securityDefinitions')
    return ['components', 'securitySchemes', 'securityDefinitions'].some((name) =>
      dropSchemes(before[name], kept[name], [...path, name]),
    );
  const differing = Object.keys(kept).filter(
    (name) => Object.hasOwn(before, name) && !isDeepStrictEqual(before[name], kept[name]),
  );
  for (const name of differing) delete (kept as Record<string, unknown>)[name];
  return differing.length > 0;
}

/** Objects of both values with another `security` in the one before. */
function listDiffering(before: unknown, kept: unknown, path: Path): readonly object[] {
  if (Array.isArray(before) && Array.isArray(kept))
    return kept.flatMap((item, index) => listDiffering(before[index], item, [...path, String(index)]));
  if (!isObject(before) || !isObject(kept)) return [];
  const inner = Object.keys(kept).flatMap((name) => listDiffering(before[name], kept[name], [...path, name]));
  const differs = !isDeepStrictEqual(before.security, kept.security) && isKeyword([...path, 'security']);
  return differs ? [kept, ...inner] : inner;
}

/** Whether the last name of a path is a keyword: neither data nor a name that the author chose, such as the name of a property. */
function isKeyword(path: Path): boolean {
  let reading: Reading = 'keywords';
  for (const name of path.slice(0, -1)) {
    const within = readingOf(reading, name);
    if (within === 'data') return false;
    reading = within;
  }
  return reading === 'keywords';
}
