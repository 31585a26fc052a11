import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { formatPointer, isObject, parsePointer } from '@lockstep/json/json-pointer';
import type { Problem } from '../problem.ts';
import { pathOf } from './contract-files.ts';
import { displayPath } from './display-path.ts';
import type { FileRule } from './file-rule.ts';
import { walkDocument } from './walk-document.ts';
import { type Position, readYaml } from './yaml-source.ts';

/** Location of an `operationId`. */
interface Place extends Position {
  readonly file: string;
  readonly pointer: string;
}

/**
 * Adds to a finding of `operation-operationId-unique` the locations of the other operations; Redocly only reports that there are some.
 * Moves it to its own `operationId`: Redocly names the line of the operation's first member, such as `summary`. Returns other problems unchanged.
 *
 * @param root path of the contract
 * @param refuses files that are not read
 */
export async function nameBothOperations(problem: Problem, root: string, refuses: FileRule): Promise<Problem> {
  if (problem.rule !== 'operation-operationId-unique') return problem;
  // Redocly points at the name, as if it were a member.
  const segments = parsePointer(problem.pointer);
  const operationId = segments.at(-1) ?? '';
  const pointer = formatPointer([...segments.slice(0, -1), 'operationId']);
  const places = await placesOf(operationId, root, refuses);
  const here = places.find((place) => place.file === problem.file && place.pointer === pointer) ?? problem;
  const others = places.filter((place) => place !== here);
  return {
    ...problem,
    line: here.line,
    column: here.column,
    pointer,
    message: `The operationId ${operationId} is used ${['here', ...others.map(({ file, line, column }) => `at ${file}:${line}:${column}`)].join(' and ')}.`,
  };
}

/** Locations of this operationId in the contract and in the files that it refers to. */
async function placesOf(operationId: string, root: string, refuses: FileRule): Promise<readonly Place[]> {
  const places: Place[] = [];
  const files = new Set([resolve(root)]);
  // The loop over a Set includes entries that it adds: each file once, and cycles stop.
  for (const file of files) {
    const { value, positionOf } = readYaml(await readFile(file, 'utf8').catch(() => ''));
    for (const { at, node } of walkDocument(value)) {
      // A link names an operation without being one.
      if (node.operationId === operationId && isObject(node.responses)) {
        const member = [...at.map(String), 'operationId'];
        places.push({ file: displayPath(file), pointer: formatPointer(member), ...positionOf(member) });
      }
      const path = typeof node.$ref === 'string' ? pathOf(node.$ref) : '';
      const next = resolve(dirname(file), path);
      if (path !== '' && refuses(next) === undefined) files.add(next);
    }
  }
  return places;
}
