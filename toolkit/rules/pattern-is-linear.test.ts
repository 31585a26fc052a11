import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from 'redocly-core';
import { expect, test } from 'vitest';
import { findAttack, patternIsLinear } from './pattern-is-linear.ts';

const control = '\\u0000-\\u001f';

const patterns = [
  { name: 'a fixed number of characters', given: '^[0-9a-f]{24}$', want: undefined },
  { name: 'a bounded repetition', given: '^[\\x21-\\x7e]{1,255}$', want: undefined },
  { name: 'a repetition of one class', given: '^[A-Za-z0-9_-]+$', want: undefined },
  { name: 'repetitions with a separator', given: '^(en|de)(-[A-Za-z0-9]{2,8})*$', want: undefined },
  { name: 'letters by property', given: '^\\p{L}+$', want: undefined },
  {
    name: 'text with one visible character',
    given: `^[^\\S${control}]*[^\\s${control}][^${control}]*$`,
    want: undefined,
  },
  {
    name: 'the same, written the obvious way',
    given: `^[^${control}]*[^\\s${control}][^${control}]*$`,
    want: /degree 2/,
  },
  { name: 'two repetitions that overlap', given: '^a*a*$', want: /polynomial time, degree 2/ },
  { name: 'three repetitions that overlap', given: '^a*a*a*$', want: /polynomial time, degree 3/ },
  { name: 'a repetition without anchor', given: 'a*b', want: /polynomial time, degree 2/ },
  { name: 'a repetition of a repetition', given: '^(a+)+$', want: /exponential time/ },
  { name: 'alternatives that overlap', given: '^(a|aa)+$', want: /exponential time/ },
  { name: 'look-ahead, harmless', given: '^(?=.*a)b*$', want: undefined },
  { name: 'a back-reference to a repetition', given: '^(a+)\\1$', want: /polynomial time/ },
];

for (const { name, given, want } of patterns) {
  test(`${name}: ${want === undefined ? 'is linear' : 'is refused'}`, () => {
    const attack = findAttack(given);
    if (want === undefined) expect(attack).toBeUndefined();
    else expect(attack).toMatch(want);
    // Two checks of at most 60 s each.
  }, 150_000);
}

test('a schema is reported for its own patterns that are not linear, and for no other', async () => {
  const document = makeDocumentFromString(
    JSON.stringify({
      openapi: '3.1.1',
      components: {
        schemas: { A: { pattern: '^a*$' }, B: { pattern: '^a*a*$', patternProperties: { '^b*b*$': {} } } },
      },
    }),
    'a.json',
  );
  const config = await createConfig(
    { plugins: [{ id: 'own', rules: { oas3: { linear: patternIsLinear } } }], rules: { 'own/linear': 'error' } },
    {},
  );
  const problems = await lintDocument({ document, config, externalRefResolver: new BaseResolver() });
  expect(problems.map(({ location: [first] }) => first?.pointer)).toEqual([
    '#/components/schemas/B/pattern',
    '#/components/schemas/B/patternProperties/^b*b*$',
  ]);
});
