import { expect, test } from 'vitest';
import { formatProblem } from '../problem.ts';
import { findSyntaxProblems } from './syntax-problems.ts';
import { readYaml } from './yaml-source.ts';

const head = 'openapi: 3.1.1\n';

function transcript(text: string): string {
  return findSyntaxProblems('a.yaml', readYaml(text)).map(formatProblem).join('');
}

const indentation = 'Correct the YAML here; indentation, quotes and brackets are the usual causes.';
const follower = (line: number) =>
  `a.yaml:${line}:1 yaml\n  at   #\n  says All mapping items must start at the same column\n  cure ${indentation}\n`;

test('a key that stands twice is named with both places, each time', () => {
  const text = `${head}paths:\n  /a: {}\n  '/b': {get: {}, put: {}, get: {}}\n  "/a": {}\n  /a: {}\n`;
  const twice = (key: string, place: string, first: string) =>
    `a.yaml:${place} yaml\n  at   #\n  says The key ${key} stands here and at a.yaml:${first}: map keys must be unique.\n  cure Keep the key once, or correct the indentation if it belongs to another YAML map.\n`;
  expect(transcript(text)).toBe(twice('get', '4:28', '4:10') + twice('/a', '5:3', '3:3') + twice('/a', '6:3', '3:3'));
});

test('one wrong indent is told with three of its followers, and the number of the others', () => {
  const items = Array.from({ length: 9 }, (_, index) => `  m${index}: 1\n`).join('');
  expect(transcript(`${head}info:\n    title: T\n${items}`)).toBe(
    follower(4).replace(/\n$/, '\n  and 5 more that follow from it\n') + [5, 6, 7].map(follower).join(''),
  );
});

test('up to three followers are all told', () => {
  expect(transcript(`${head}info:\n    title: T\n  a: 1\n  b: 1\n`)).toBe(follower(4) + follower(5));
});

test('faults are told by line and column, the first of each place', () => {
  const at = (line: number, column: number, says: string) => ({ line, column, says });
  const faults = [at(7, 1, 'last'), at(3, 9, 'third'), at(3, 2, 'second'), at(1, 5, 'first'), at(3, 2, 'again')];
  const told = findSyntaxProblems('a.yaml', { faults }).map(({ line, column, says }) => `${line}:${column} ${says}`);
  expect(told).toEqual(['1:5 first', '3:2 second', '3:9 third', '7:1 last']);
});
