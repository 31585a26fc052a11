import applicator from 'ajv/dist/refs/json-schema-2020-12/meta/applicator.json' with { type: 'json' };
import content from 'ajv/dist/refs/json-schema-2020-12/meta/content.json' with { type: 'json' };
import core from 'ajv/dist/refs/json-schema-2020-12/meta/core.json' with { type: 'json' };
import metaData from 'ajv/dist/refs/json-schema-2020-12/meta/meta-data.json' with { type: 'json' };
import unevaluated from 'ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json' with { type: 'json' };
import validation from 'ajv/dist/refs/json-schema-2020-12/meta/validation.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { listParts, readingOf, schemaKeywords, schemasIn } from './schema-keywords.ts';

/** The kind of a keyword's value, from the description in the meta-schema of its vocabulary. */
function readHeld(described: unknown): string | undefined {
  const text = JSON.stringify(described);
  if (text === '{"$dynamicRef":"#meta"}') return 'schema';
  if (text === '{"$ref":"#/$defs/schemaArray"}') return 'schemas';
  if (text.includes('"additionalProperties":{"$dynamicRef":"#meta"}')) return 'map';
  return text === 'true' || text.includes('"items":true') ? 'data' : undefined;
}

test('the table agrees with the meta-schema of JSON Schema 2020-12 on each keyword', () => {
  const vocabularies = [applicator, content, core, metaData, unevaluated, validation];
  const want = vocabularies
    .flatMap(({ properties }) => Object.entries<unknown>(properties))
    .flatMap(([name, described]) => {
      const holds = readHeld(described);
      return holds === undefined ? [] : [[name, holds] as const];
    });
  const table = [...schemaKeywords].map(([name, { holds }]) => [name, holds]);
  expect(Object.fromEntries(table)).toEqual({ ...Object.fromEntries(want), definitions: 'map' });
});

test.each([
  { name: 'a property called as a keyword is', around: 'names', member: 'default', want: 'keywords' },
  { name: 'a map of properties', around: 'keywords', member: 'properties', want: 'names' },
  { name: 'a property called properties', around: 'names', member: 'properties', want: 'keywords' },
  { name: 'responses, one of which is called default', around: 'keywords', member: 'responses', want: 'names' },
  { name: 'a default', around: 'keywords', member: 'default', want: 'data' },
  { name: 'the value of an example', around: 'keywords', member: 'value', want: 'data' },
  { name: 'what is no keyword', around: 'keywords', member: 'constructor', want: 'keywords' },
] as const)('reads $name as $want', ({ around, member, want }) => expect(readingOf(around, member)).toBe(want));

const whole = {
  allOf: [{ title: 'a' }, { title: 'b' }],
  not: { title: 'c' },
  if: false,
  dependentSchemas: { default: { title: 'd' } },
  properties: { default: { title: 'e' } },
  prefixItems: [{ title: 'f' }],
  items: { title: 'g' },
  $defs: { H: { title: 'h' } },
  default: { title: 'i' },
};

test.each([
  { judged: 'value', want: [{ title: 'a' }, { title: 'b' }, false, { title: 'c' }, { title: 'd' }] },
  { judged: 'part', want: [{ title: 'f' }, { title: 'g' }, { title: 'e' }] },
] as const)('lists the schemas in one that judge a $judged', ({ judged, want }) => {
  expect(schemasIn(whole, judged)).toEqual(want);
});

test('lists the parts of a composed schema, outermost first, and stops where it contains itself', () => {
  const document = {
    Pair: { title: 'pair', allOf: [{ $ref: '#/Left' }, { title: 'right', anyOf: [{ title: 'deep' }] }], not: {} },
    Left: { title: 'left' },
    Ring: { title: 'ring', allOf: [{ $ref: '#/Ring', title: 'beside' }] },
    Loop: { title: 'loop', oneOf: [{ $ref: '#/Loop' }] },
  };
  const titles = (name: string) => listParts(document, { $ref: `#/${name}` }).map(({ title }) => title);
  expect(titles('Pair')).toEqual(['pair', 'left', 'right', 'deep']);
  expect(titles('Loop')).toEqual(['loop']);
  expect(titles('Ring')).toEqual(['ring', 'beside']);
});
