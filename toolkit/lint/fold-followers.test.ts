import { expect, test } from 'vitest';
import type { Problem } from '../problem.ts';
import { foldSame } from '../problem.ts';
import { foldFollowers } from './fold-followers.ts';

function problem(rule: string, pointer: string, message: string): Problem {
  return { file: 'a.yaml', line: 1, column: 1, pointer, rule, message, fix: 'Fix it.' };
}

const broken = problem(
  'lockstep/pattern-compiles',
  '#/a/pattern',
  'The pattern a( does not compile: unterminated group.',
);
const other = problem(
  'lockstep/pattern-compiles',
  '#/b/pattern',
  'The pattern [ does not compile: unterminated class.',
);
const unchecked = (pattern: string, at: string) =>
  problem(
    'no-invalid-media-type-examples',
    at,
    `Example validation errored: Invalid regular expression: /${pattern}/u: Bad.`,
  );
const unexpected = (at: string) => problem('struct', at, `Property \`${at.slice(-1)}\` is not expected here.`);
const nullable = (at: string): Problem => ({
  ...problem('lockstep/keyword-of-version', at, 'nullable has no effect where the same schema names no type.'),
  severity: 'warning',
});
const unread = (at: string) =>
  problem('no-invalid-schema-examples', at, 'Example validation errored: "nullable" cannot be used without "type".');
const summary = problem('operation-summary', '#/c', 'No summary.');

const keyword = (at: string): Problem => ({
  ...problem('lockstep/keyword-of-version', at, 'const is of OpenAPI 3.1.'),
  severity: 'warning',
});

const cases: readonly { name: string; given: readonly Problem[]; want: readonly Problem[] }[] = [
  {
    name: 'nothing of what stands alone',
    given: [broken, summary, unexpected('#/a')],
    want: [broken, summary, unexpected('#/a')],
  },
  {
    name: 'what a pattern keeps from being checked, each under its own pattern',
    given: [unchecked('a(', '#/1'), broken, unchecked('[', '#/2'), unchecked('a(', '#/3'), other],
    want: [
      { ...broken, more: 'and 2 more that follow from it' },
      { ...other, more: 'and 1 more that follows from it' },
    ],
  },
  {
    name: 'no example whose pattern nobody reported',
    given: [unchecked('b(', '#/1'), broken],
    want: [unchecked('b(', '#/1'), broken],
  },
  {
    name: 'all but three of the members that follow an unexpected one',
    given: ['#/p/a', '#/p/b', '#/q/a', '#/p/c', '#/p/d', '#/p/e', '#/p/f'].map(unexpected),
    want: [
      { ...unexpected('#/p/a'), more: 'and 2 more that follow from it' },
      ...['#/p/b', '#/q/a', '#/p/c', '#/p/d'].map(unexpected),
    ],
  },
  {
    name: 'the examples that a nullable without a type keeps from being checked',
    given: [unread('#/1'), nullable('#/a/nullable'), nullable('#/b/nullable'), unread('#/2')],
    want: [{ ...nullable('#/a/nullable'), more: 'and 2 more that follow from it' }, nullable('#/b/nullable')],
  },
  {
    name: 'a keyword that is not expected into what is known of it, and keeps how bad it is',
    given: [
      problem('struct', '#/a/const', 'Property `const` is not expected here.'),
      keyword('#/a/const'),
      keyword('#/b/const'),
    ],
    want: [problem('lockstep/keyword-of-version', '#/a/const', 'const is of OpenAPI 3.1.'), keyword('#/b/const')],
  },
];

for (const { name, given, want } of cases) test(`folds ${name}`, () => expect(foldFollowers(given)).toEqual(want));

test('what is said in the same words about several places is one problem, an error and a warning are two', () => {
  const given = [unexpected('#/a'), nullable('#/b'), { ...unexpected('#/a'), line: 7 }, nullable('#/c'), summary];
  expect(foldSame(given)).toEqual([
    { ...unexpected('#/a'), also: [{ file: 'a.yaml', line: 7, column: 1, pointer: '#/a' }] },
    { ...nullable('#/b'), also: [{ file: 'a.yaml', line: 1, column: 1, pointer: '#/c' }] },
    summary,
  ]);
});
