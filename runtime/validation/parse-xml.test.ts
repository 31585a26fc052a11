import type { JsonObject } from '@lockstep/json/json-pointer';
import {
  type Arbitrary,
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  double,
  integer,
  letrec,
  oneof,
  property,
  record,
  string,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBody } from './parse-body.ts';
import { writeXml } from './write-xml.ts';

// If this fails, a value that a client sends as XML is stored as another one, or a client reads another one than is stored.

const document = {
  components: {
    schemas: {
      Tag: { type: 'object', properties: { id: { type: 'integer' }, label: { type: 'string' } }, xml: { name: 'tag' } },
    },
  },
};

const text = { type: 'string' };
const tag = { $ref: '#/components/schemas/Tag' };

const pet = {
  type: 'object',
  required: ['name', 'photos'],
  properties: {
    id: { type: 'integer', xml: { attribute: true } },
    name: { ...text, xml: { prefix: 'p' } },
    isTame: { type: 'boolean' },
    weight: { type: ['number', 'null'] },
    owner: { type: ['object', 'null'], properties: { name: text } },
    photos: { type: 'array', items: { ...text, xml: { name: 'photo' } } },
    tags: { type: 'array', items: tag, xml: { name: 'tag-list', wrapped: true } },
    grid: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
    nicks: { type: ['array', 'null'], items: { ...text, xml: { name: 'nick' } } },
    notes: {},
  },
  additionalProperties: { type: 'integer' },
  xml: { name: 'pet' },
};

const read = (sent: string | Buffer, schema: unknown = pet, mediaType = 'application/xml') =>
  parseBody(document, { bytes: Buffer.from(sent), mediaType }, schema);

describe('a body in XML becomes the value for its schema', () => {
  test.each([
    {
      name: 'attribute, element and boolean',
      xml: '<pet id="7"><name>Rex</name><isTame> true </isTame></pet>',
      want: { id: 7, name: 'Rex', isTame: true },
    },
    {
      name: 'local names',
      xml: '<p:pet xmlns:p="urn:p"><p:name>Rex</p:name><q:isTame>false</q:isTame></p:pet>',
      want: { name: 'Rex', isTame: false },
    },
    {
      name: 'an unwrapped list',
      xml: '<pet><photo>a</photo><name>b</name><photo>c</photo></pet>',
      want: { name: 'b', photos: ['a', 'c'] },
    },
    {
      name: 'a wrapped list of one',
      xml: '<pet><tag-list><tag><id>1</id></tag></tag-list></pet>',
      want: { tags: [{ id: 1 }] },
    },
    { name: 'a wrapped list without items', xml: '<pet>\n<tag-list>\n</tag-list></pet>', want: { tags: [] } },
    { name: 'lists in a list', xml: '<pet><grid><a>1</a><a>2</a></grid><grid/></pet>', want: { grid: [[1, 2], []] } },
    {
      name: 'empty elements',
      xml: '<pet><name/><owner></owner><weight/></pet>',
      want: { name: '', owner: {}, weight: null },
    },
    {
      name: 'null in place of an unwrapped list',
      xml: '<pet><nick xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/></pet>',
      want: { nicks: null },
    },
    {
      name: 'text that is no number',
      xml: '<pet><isTame>yes</isTame><weight>1kg</weight></pet>',
      want: { isTame: 'yes', weight: '1kg' },
    },
    {
      name: 'members that the schema does not name',
      xml: '<pet><a>1</a><b>2</b><b>3</b></pet>',
      want: { a: 1, b: [2, 3] },
    },
    {
      name: 'a member of any value',
      xml: '<pet><notes><a x="1"><b>2</b><b>3</b></a></notes></pet>',
      want: { notes: { a: { x: '1', b: ['2', '3'] } } },
    },
    {
      name: 'references, CDATA, comments',
      xml: '\uFEFF<?xml version="1.0" encoding="utf-8"?><!-- a --><?b c?><pet><name>&lt;&amp;&#65;&#x42;<!-- d --><![CDATA[<e>]]></name></pet>',
      want: { name: '<&AB<e>' },
    },
    {
      name: 'attributes of XML itself',
      xml: '<pet xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:type="x"><owner i:nil="true"/><name xml:lang="de">a</name></pet>',
      want: { owner: null, name: 'a' },
    },
  ])('$name', ({ xml, want }) => {
    expect(read(xml)).toEqual({ kind: 'value', value: { photos: [], ...want } });
  });

  test.each([
    {
      mediaType: 'text/xml',
      schema: { type: 'array', items: tag },
      xml: '<tags><a><id>1</id></a></tags>',
      want: [{ id: 1 }],
    },
    { mediaType: 'application/vnd.pets+xml', schema: { type: 'integer' }, xml: '<n>5</n>', want: 5 },
    {
      mediaType: 'application/xml',
      schema: { allOf: [tag, { properties: { n: { type: 'number' } } }] },
      xml: '<tag><id>1</id><n>2.5</n></tag>',
      want: { id: 1, n: 2.5 },
    },
    {
      mediaType: 'application/xml',
      schema: { allOf: [{ allOf: [{ required: ['a'], properties: { a: { type: 'array', items: text } } }] }] },
      xml: '<b/>',
      want: { a: [] },
    },
  ])('of the type $mediaType', ({ mediaType, schema, xml, want }) => {
    expect(read(xml, schema, mediaType)).toEqual({ kind: 'value', value: want });
  });

  test('a member called __proto__ is a member', () => {
    const { value } = read('<pet __proto__="1"><constructor>2</constructor></pet>') as { readonly value: object };
    expect(Object.entries(value)).toEqual([
      ['photos', []],
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });
});

describe('a body in XML is refused', () => {
  const deep = (levels: number): string => `<pet>${'<notes>'.repeat(levels)}${'</notes>'.repeat(levels)}</pet>`;
  const bomb = '<!DOCTYPE pet [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><pet><name>&c;</name></pet>';
  test.each([
    { name: 'without content', xml: ' ', says: 'the body is empty: send XML' },
    {
      name: 'that is JSON',
      xml: '{}',
      says: 'the body is not valid XML, see line 1 column 2: text data outside of root node',
    },
    {
      name: 'that is cut off',
      xml: '<pet>\n<name>a',
      says: 'the body is not valid XML, see line 2 column 7: unclosed tag: name',
    },
    {
      name: 'with crossed elements',
      xml: '<pet><name></pet></name>',
      says: 'the body is not valid XML, see line 1 column 17: unexpected close tag, </name> is expected',
    },
    {
      name: 'with two roots',
      xml: '<pet/><pet/>',
      says: 'the body is not valid XML, see line 1 column 11: documents may contain only one root',
    },
    {
      name: 'with an unknown entity',
      xml: '<pet>&e;</pet>',
      says: 'the body is not valid XML, see line 1 column 8: undefined entity',
    },
    {
      name: 'with an attribute twice',
      xml: '<pet id="1" id="2"/>',
      says: 'the body is not valid XML, see line 1 column 20: duplicate attribute: id',
    },
    {
      name: 'with half of a surrogate pair',
      xml: '<pet>&#xD800;</pet>',
      says: 'the body is not valid XML, see line 1 column 13: malformed character entity',
    },
    {
      name: 'with a DOCTYPE',
      xml: bomb,
      says: 'the body has a DOCTYPE, which is not taken: send the document without it',
    },
    {
      name: 'in another encoding',
      xml: '<?xml version="1.0" encoding="latin1"?><pet/>',
      says: 'the body is declared as latin1: send it in UTF-8',
    },
    { name: 'in UTF-16', xml: Buffer.from('\uFEFF<pet/>', 'utf16le'), says: 'the body is not UTF-8' },
    { name: 'with another root', xml: '<Pet/>', says: 'the root element is <Pet>: send <pet>' },
    { name: 'with too many levels', xml: deep(33), says: 'the body is nested deeper than 32 levels' },
    { name: 'with a hundred thousand levels', xml: deep(100_000), says: 'the body is nested deeper than 32 levels' },
    {
      name: 'with a member twice',
      xml: '<pet><owner><name>a</name><name>b</name></owner></pet>',
      at: '/owner/name',
      says: 'name is sent more than once',
    },
    {
      name: 'with a member of an item twice',
      xml: '<pet><tag-list><tag/><tag><id>1</id><id>2</id></tag></tag-list></pet>',
      at: '/tags/1/id',
      says: 'id is sent more than once',
    },
    {
      name: 'with an element for an attribute',
      xml: '<pet><id>1</id></pet>',
      at: '/id',
      says: 'id is not known here: send the attribute id',
    },
    {
      name: 'with the name of a member for its element',
      xml: '<pet><photos>a</photos></pet>',
      at: '/photos',
      says: 'photos is not known here: send the element <photo>',
    },
    {
      name: 'with text between elements',
      xml: '<pet><photo>a<b/></photo></pet>',
      at: '/photos/0',
      says: '<photo> has text next to its elements or attributes',
    },
  ])('$name', ({ xml, at = '', says }) => {
    expect(read(xml)).toEqual({ kind: 'fault', at, says });
  });
});

describe('a document is written', () => {
  const nil = (name: string) => `<${name} xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>`;
  const written = (schema: unknown, value: unknown): string => writeXml(document, schema, value).replace(/^.*\n/, '');
  test.each([
    {
      name: 'with names, attributes and lists',
      schema: pet,
      value: { id: 1, name: 'a', photos: ['b', 'c'], tags: [{ id: 2 }] },
      want: '<pet id="1"><name>a</name><photo>b</photo><photo>c</photo><tag-list><tag><id>2</id></tag></tag-list></pet>',
    },
    {
      name: 'as a list at the root',
      schema: { type: 'array', items: tag },
      value: [{ id: 1 }],
      want: '<root><tag><id>1</id></tag></root>',
    },
    {
      name: 'with one name for a list and its items',
      schema: { properties: { a: { type: 'array', items: text, xml: { wrapped: true, name: 'b' } } } },
      value: { a: ['c'] },
      want: '<root><b><b>c</b></b></root>',
    },
    {
      name: 'with names in other letters, without the prefix in a name',
      schema: { properties: { Größe: {}, 名: {}, 'x y': {} }, xml: { name: 'p:Hut' } },
      value: { Größe: 'L', 名: 'a', 'x y': 1, '2': 2 },
      want: '<Hut><_2>2</_2><Größe>L</Größe><名>a</名><_x_y>1</_x_y></Hut>',
    },
    {
      name: 'with elements for attributes that are lists or objects',
      schema: {
        properties: {
          a: { type: 'array', items: { type: 'integer' }, xml: { attribute: true } },
          b: { type: 'object', xml: { attribute: true } },
        },
      },
      value: { a: [1, 2], b: { c: 3 } },
      want: '<root><a>1</a><a>2</a><b><c>3</c></b></root>',
    },
    {
      name: 'as the value that JSON would have',
      schema: { properties: { a: { type: 'array' } } },
      value: { a: [undefined], b: undefined, c: new Date(0), d: Number.NaN },
      want: `<root>${nil('a')}<c>1970-01-01T00:00:00.000Z</c>${nil('d')}</root>`,
    },
    {
      name: 'as null',
      schema: tag,
      value: null,
      want: nil('tag'),
    },
    {
      name: 'with valid names only',
      schema: { properties: { 'a="" b': { xml: { attribute: true } }, '<c>': {} } },
      value: { 'a="" b': '1"', '<c>': '<\u0000' },
      want: '<root _a____b="1&quot;"><__c_>&lt;\uFFFD</__c_></root>',
    },
  ])('$name', ({ schema, value, want }) => {
    expect(written(schema, value)).toBe(want);
  });
});

interface Pair {
  readonly schema: JsonObject;
  readonly value: unknown;
}

/** The characters that XML has (XML 1.0, 2.2). */
const inXml = /[\t\n\r]|[^\p{Cc}\uFFFE\uFFFF]|[\x7f-\x9f]/u;
const texts = array(string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => inXml.test(one))).map(
  (all) => all.join(''),
);

const valued = (schema: JsonObject, value: Arbitrary<unknown>): Arbitrary<Pair> =>
  value.map((one) => ({ schema, value: one }));

const scalars: Arbitrary<Pair> = oneof(
  valued(text, texts),
  valued({ type: 'integer' }, oneof(constant(1e21), integer())),
  valued(
    { type: ['number', 'null'] },
    oneof(
      constant(null),
      double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
    ),
  ),
  valued({ type: 'boolean' }, boolean()),
  valued({ type: ['object', 'null'] }, constantFrom(null, {})),
);

/** A schema and a value of it: objects with attributes, and lists with and without an element around them. */
const { pair: pairs } = letrec<{ pair: Pair; member: Pair; list: Pair }>((tie) => ({
  pair: oneof({ depthSize: 'small', withCrossShrink: true }, scalars, tie('list'), tie('member')),
  list: record({ item: tie('pair'), length: integer({ min: 0, max: 3 }), wrapped: boolean() }).map(
    ({ item, length, wrapped }) => ({
      schema: { type: 'array', items: { ...item.schema, xml: { name: 'item-of' } }, xml: { wrapped } },
      value: Array.from({ length }, () => item.value),
    }),
  ),
  member: array(record({ part: tie('pair'), isAttribute: boolean() }), { maxLength: 4 }).map((parts) => {
    const members = parts.map(({ part: { schema, value }, isAttribute }, index) => {
      const isScalar = typeof value !== 'object';
      // XML has nothing of an empty list without an element around it.
      const items = schema.type === 'array' && { items: { ...(schema.items as object), xml: { name: `x${index}` } } };
      const wrapped =
        (schema.xml as JsonObject | undefined)?.wrapped === true || (Array.isArray(value) && value.length === 0);
      const xml = { name: `x${index}`, attribute: isScalar && isAttribute, wrapped };
      return { name: `m${index}`, schema: { ...schema, ...items, xml }, value };
    });
    return {
      schema: { type: 'object', properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])) },
      value: Object.fromEntries(members.map(({ name, value }) => [name, value])),
    };
  }),
}));

test('a value is read as it was written', () => {
  assert(
    property(
      // A text is a whole document, and opaque.
      pairs.filter(({ schema }) => schema !== text),
      ({ schema, value }) => {
        expect(read(writeXml({}, schema, value), schema)).toEqual({ kind: 'value', value });
      },
    ),
  );
});
