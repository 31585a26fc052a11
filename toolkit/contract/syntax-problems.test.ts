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
  `a.yaml:${line}:1 yaml\n  at      #\n  message All mapping items must start at the same column\n  fix     ${indentation}\n`;

test('a key that stands twice is named with both places, each time', () => {
  const text = `${head}paths:\n  /a: {}\n  '/b': {get: {}, put: {}, get: {}}\n  "/a": {}\n  /a: {}\n`;
  const twice = (key: string, at: string, place: string, first: string) =>
    `a.yaml:${place} yaml\n  at      #/paths/${at}\n  message The key ${key} is here and at a.yaml:${first}: map keys must be unique.\n  fix     Keep the key once, or correct the indentation if it belongs to another YAML map.\n`;
  expect(transcript(text)).toBe(
    twice('get', '~1b/get', '4:28', '4:10') + twice('/a', '~1a', '5:3', '3:3') + twice('/a', '~1a', '6:3', '3:3'),
  );
});

test('one wrong indent is reported once, with the number of faults that follow from it', () => {
  const items = Array.from({ length: 9 }, (_, index) => `  m${index}: 1\n`).join('');
  expect(transcript(`${head}info:\n    title: T\n${items}`)).toBe(
    follower(4).replace(/\n$/, '\n  and 8 more that follow from it\n'),
  );
});

test.each([
  { name: 'a tab in each line', text: 'a:\n\tb: 1\n\tc: 1\n', reported: '2:1 Tabs are not allowed as indentation' },
  { name: 'an open brace', text: 'a: {b: 1\nc:\n  d: 1\n', reported: '1:4 { is opened here, and never closed' },
  {
    name: 'an open bracket inside',
    text: 'a:\n  b: {c: [1, {d: 2}\n  e: 1\n',
    reported: '2:10 [ is opened here, and never closed',
  },
  { name: 'the wrong end', text: 'a: {b: 1]\nc: 1\n', reported: '1:4 { is opened here, and never closed' },
  { name: 'an open quote', text: 'a: "x\nb: 1\nc: 1\n', reported: '1:4 " is opened here, and never closed' },
  { name: 'an apostrophe in quotes', text: "a: 'it's'\nb: 1\n", reported: '1:8 Unexpected scalar at node end' },
  { name: 'a second document', text: 'a: 1\n---\nb: 1\n', reported: '2:1 a second document begins here' },
  { name: 'an alias of nothing', text: 'a: &x 1\nb: *y\nc: *z\nd: *x\n', reported: '2:4 *y has no &y before it' },
])('$name is reported once, at its cause', ({ text, reported }) => {
  const problems = findSyntaxProblems('a.yaml', readYaml(text));
  expect(problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([reported]);
});

test('faults are reported by line and column, each duplicate key too', () => {
  const at = (line: number, column: number, message: string) => ({ line, column, message });
  const faults = [at(7, 1, 'last'), at(3, 9, 'third'), at(1, 5, 'first'), at(3, 2, 'second'), at(1, 5, 'again')];
  const [reported, ...others] = findSyntaxProblems('a.yaml', { faults });
  expect([reported, others]).toEqual([
    expect.objectContaining({ message: 'first', more: 'and 3 more that follow from it' }),
    [],
  ]);
});
