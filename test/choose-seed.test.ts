import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseSeed } from './choose-seed.ts';

const chosen = [
  { name: 'takes the one that is named', given: { FC_SEED: '7' }, want: { seed: 7, isNew: false } },
  { name: 'takes it in CI', given: { CI: 'true', FC_SEED: '-7' }, want: { seed: -7, isNew: false } },
  { name: 'chooses one outside of CI', given: {}, want: { seed: 0x3fff_ffff, isNew: true } },
  { name: 'takes an empty name for none', given: { CI: '', FC_SEED: '' }, want: { seed: 0x3fff_ffff, isNew: true } },
];
for (const { name, given, want } of chosen) {
  test(name, () => expect(chooseSeed(given, () => 0.5)).toEqual(want));
}

const refused = [
  { name: 'CI without a seed', given: { CI: 'true' }, want: 'set FC_SEED' },
  { name: 'CI with an empty one', given: { CI: '1', FC_SEED: '' }, want: 'set FC_SEED' },
  { name: 'text', given: { FC_SEED: 'x7' }, want: 'FC_SEED is x7' },
  { name: 'a fraction', given: { FC_SEED: '0.5' }, want: 'FC_SEED is 0.5' },
  { name: 'more than 32 bits', given: { FC_SEED: '4294967296' }, want: 'FC_SEED is 4294967296' },
];
for (const { name, given, want } of refused) {
  test(`refuses ${name}`, () => expect(() => chooseSeed(given, () => 0.5)).toThrow(want));
}

test('the tests here run from it', () => {
  expect(fc.readConfigureGlobal()).toMatchObject({ seed: Number(process.env.FC_SEED) });
  const draw = () => fc.sample(fc.integer(), { numRuns: 5, seed: Number(process.env.FC_SEED) });
  let drawn: number[] = [];
  fc.assert(
    fc.property(fc.integer(), (value) => {
      drawn = [...drawn, value];
    }),
    { numRuns: 5 },
  );
  expect(drawn).toEqual(draw());
});
