import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Problem } from '../problem.ts';
import { displayPath } from './display-path.ts';
import { formatPointer, parsePointer } from './json-pointer.ts';
import { isObject, walkDocument } from './walk-document.ts';
import { readYaml } from './yaml-source.ts';

/**
 * Adds to a finding of `operation-operationId-unique` where the other operations of that name stand; Redocly says that there are some.
 * Any other problem comes back as it is.
 *
 * @param root path of the contract
 */
export async function nameBothOperations(problem: Problem, root: string): Promise<Problem> {
  if (problem.rule !== 'operation-operationId-unique') return problem;
  // Redocly points at the name, as if it were a member.
  const segments = parsePointer(problem.pointer);
  const operationId = segments.at(-1) ?? '';
  const here = `${problem.file}:${problem.line}:`;
  const others = (await placesOf(operationId, root)).filter((place) => !place.startsWith(here));
  return {
    ...problem,
    pointer: formatPointer([...segments.slice(0, -1), 'operationId']),
    says: `The operationId ${operationId} stands ${['here', ...others.map((place) => `at ${place}`)].join(' and ')}.`,
  };
}

/** `file:line:column` of each operation with this operationId, in the contract and in the files that it refers to. */
async function placesOf(operationId: string, root: string): Promise<readonly string[]> {
  const places: string[] = [];
  const files = new Set([resolve(root)]);
  // A Set goes on to what is added while it is read: each file once, circles end.
  for (const file of files) {
    const { value, positionOf } = readYaml(await readFile(file, 'utf8').catch(() => ''));
    for (const { at, node } of walkDocument(value)) {
      // A link names an operation without being one.
      if (node.operationId === operationId && isObject(node.responses)) {
        const { line, column } = positionOf([...at.map(String), 'operationId']);
        places.push(`${displayPath(file)}:${line}:${column}`);
      }
      const path = typeof node.$ref === 'string' ? (node.$ref.split('#')[0] ?? '') : '';
      if (path !== '') files.add(resolve(dirname(file), path));
    }
  }
  return places;
}
