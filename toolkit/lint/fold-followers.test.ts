import { expect, test } from 'vitest';
import type { Problem } from '../problem.ts';
import { foldFollowers } from './fold-followers.ts';

function problem(rule: string, pointer: string, says: string): Problem {
  return { file: 'a.yaml', line: 1, column: 1, pointer, rule, says, cure: 'Mend it.' };
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
const summary = problem('operation-summary', '#/c', 'No summary.');

const cases = [
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
];

for (const { name, given, want } of cases) test(`folds ${name}`, () => expect(foldFollowers(given)).toEqual(want));
