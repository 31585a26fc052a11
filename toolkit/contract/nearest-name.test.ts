import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const known = ['x-effect', 'x-error-codes', 'x-extension', 'x-rule', 'x-shared'];

const names = [
  { name: 'a letter left out', given: 'x-eror-codes', want: 'x-error-codes' },
  { name: 'a letter too many', given: 'x-rules', want: 'x-rule' },
  { name: 'singular for plural', given: 'x-error-code', want: 'x-error-codes' },
  { name: 'two letters changed places', given: 'x-shraed', want: 'x-shared' },
  { name: 'a third of the letters wrong', given: 'x-ruab', want: 'x-rule' },
  { name: 'half of the letters wrong', given: 'x-rabc', want: undefined },
  { name: 'something else', given: 'x-internal-notes', want: undefined },
];

for (const { name, given, want } of names) {
  test(`${name}: ${given} is ${want ?? 'near nothing'}`, () => {
    expect(nearestName(given, known)).toBe(want);
  });
}
