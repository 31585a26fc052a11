import { describe, expect, test } from 'vitest';
import type { Parameter } from '../operation.ts';
import { parseUrlEncoded } from './parse-url-encoded.ts';
import { cookiePairs, createParameterReader, ownsName, pathPairs } from './read-parameters.ts';

const document = {
  Count: { type: 'integer' },
  Counts: { type: 'array', items: { type: 'integer' } },
  Words: { type: 'array', items: { type: 'string' } },
  Composed: { allOf: [{ type: 'object' }, { properties: { from: { type: 'integer' } } }, { $ref: '#/Span' }] },
  Span: { type: 'object', properties: { from: { type: 'integer' }, to: { type: 'integer' } } },
  Labels: { type: 'object', additionalProperties: { type: 'integer' } },
  Lists: { type: 'object', properties: { ids: { type: 'array', items: { type: 'integer' } } } },
};

function declare(schema: keyof typeof document, more: Partial<Parameter> = {}): Parameter {
  const base = {
    name: 'q',
    in: 'query',
    required: false,
    style: 'form',
    explode: true,
    allowReserved: false,
    allowEmptyValue: false,
  } as const;
  return { ...base, schema: `#/${schema}`, ...more };
}

const value = (read: unknown) => ({ kind: 'value', value: read });
const cases = [
  { name: 'nothing', parameter: declare('Count'), given: 'x=1', want: { kind: 'absent' } },
  { name: 'a value', parameter: declare('Count'), given: 'q=1', want: value(1) },
  {
    name: 'a value sent twice',
    parameter: declare('Count'),
    given: 'q=1&q=2',
    want: { kind: 'fault', says: 'q is sent 2 times: send it once' },
  },
  {
    name: 'no value, where that is allowed',
    parameter: declare('Count', { allowEmptyValue: true }),
    given: 'q=',
    want: { kind: 'empty' },
  },
  { name: 'a list in parts', parameter: declare('Counts'), given: 'q=1&q=2', want: value([1, 2]) },
  { name: 'a list in one', parameter: declare('Counts', { explode: false }), given: 'q=1,2', want: value([1, 2]) },
  {
    name: 'a list in one, sent twice',
    parameter: declare('Counts', { explode: false }),
    given: 'q=1&q=2',
    want: { kind: 'fault', says: 'q is sent 2 times: send it once' },
  },
  {
    name: 'a list by spaces',
    parameter: declare('Words', { explode: false, style: 'spaceDelimited' }),
    given: 'q=a%20b',
    want: value(['a', 'b']),
  },
  {
    name: 'a list by bars',
    parameter: declare('Words', { explode: false, style: 'pipeDelimited' }),
    given: 'q=a|b',
    want: value(['a', 'b']),
  },
  {
    name: 'a list by bars, escaped as they must be',
    parameter: declare('Words', { explode: false, style: 'pipeDelimited' }),
    given: 'q=a%7Cb',
    want: value(['a', 'b']),
  },
  {
    name: 'a list with a comma in an item, which is escaped',
    parameter: declare('Words', { explode: false }),
    given: 'q=a%2Cb,c+d',
    want: value(['a,b', 'c d']),
  },
  {
    name: 'a list of a path with a comma in an item',
    parameter: declare('Words', { in: 'path', style: 'simple', explode: false }),
    given: 'q=a%2Cb,c',
    want: value(['a,b', 'c']),
  },
  {
    name: 'members that nobody has named, by brackets',
    parameter: declare('Labels', { style: 'deepObject' }),
    given: 'q[a]=1&q[b]=x',
    want: value({ a: 1, b: 'x' }),
  },
  {
    name: 'a list by brackets',
    parameter: declare('Lists', { style: 'deepObject' }),
    given: 'q[ids]=1&q[ids]=2',
    want: value({ ids: [1, 2] }),
  },
  {
    name: 'members that nobody has named, each on its own',
    parameter: declare('Labels'),
    given: 'a=1&b=2',
    want: value({ a: 1, b: 2 }),
  },
  {
    name: 'an object by brackets',
    parameter: declare('Span', { style: 'deepObject' }),
    given: 'q[from]=1&q[to]=2&q[x]=3',
    want: value({ from: 1, to: 2, x: '3' }),
  },
  {
    name: 'a member of an object twice',
    parameter: declare('Span', { style: 'deepObject' }),
    given: 'q[from]=1&q[from]=2',
    want: { kind: 'fault', says: 'q[from] is sent 2 times: send it once' },
  },
  {
    name: 'bytes that are no UTF-8',
    parameter: declare('Words'),
    given: 'q=%ED%A0%80',
    want: { kind: 'fault', says: 'q has escapes that are not UTF-8: encode the text as UTF-8, then escape it' },
  },
  {
    name: 'a member of an object with a broken escape',
    parameter: declare('Span', { style: 'deepObject' }),
    given: 'q[from]=%',
    want: { kind: 'fault', says: 'q[from] has a broken escape: % must be followed by two hexadecimal digits' },
  },
  {
    name: 'an object by its members',
    parameter: declare('Span'),
    given: 'x=3&to=2&from=1',
    want: value({ to: 2, from: 1 }),
  },
  {
    name: 'an object by its members, one of them twice',
    parameter: declare('Span'),
    given: 'to=2&to=1',
    want: { kind: 'fault', says: 'to is sent 2 times: send it once' },
  },
  {
    name: 'an object by its members, of which none is sent',
    parameter: declare('Span'),
    given: 'q=1',
    want: { kind: 'absent' },
  },
  {
    name: 'a composed object by its members',
    parameter: declare('Composed'),
    given: 'from=1&to=2',
    want: value({ from: 1, to: 2 }),
  },
  {
    name: 'a composed object by brackets',
    parameter: declare('Composed', { style: 'deepObject' }),
    given: 'q[to]=2',
    want: value({ to: 2 }),
  },
  {
    name: 'an object in one, name after name',
    parameter: declare('Span', { explode: false }),
    given: 'q=from,1,to,2',
    want: value({ from: 1, to: 2 }),
  },
  {
    name: 'an object in one, a value missing',
    parameter: declare('Span', { explode: false }),
    given: 'q=from,1,to',
    want: { kind: 'fault', says: 'q is no object: send member,value,…' },
  },
  {
    name: 'an object in one of a path',
    parameter: declare('Span', { in: 'path', style: 'simple' }),
    given: 'q=from%3D1%2Cto%3D2',
    want: value({ from: 1, to: 2 }),
  },
  {
    name: 'an object in one of a path, an equals sign missing',
    parameter: declare('Span', { in: 'path', style: 'simple' }),
    given: 'q=from,to',
    want: { kind: 'fault', says: 'q is no object: send member=value,…' },
  },
  {
    name: 'an object of which nothing is sent',
    parameter: declare('Span', { style: 'deepObject' }),
    given: 'q=1',
    want: { kind: 'absent' },
  },
];

describe('readParameter', () => {
  for (const { name, parameter, given, want } of cases) {
    test(`reads ${name}`, () =>
      expect(createParameterReader(document, parameter)(parseUrlEncoded(given))).toEqual(want));
  }

  describe('of a document', () => {
    const content = { 'application/json': { schema: { type: 'object' } } };
    const owner = {
      parameters: [{ name: 'q', content }, { name: 'q', content: { 'application/json': {} } }, { name: 'q' }],
    };
    const reading = (index: number, given: string) =>
      createParameterReader(owner, { ...declare('Span'), schema: `#/parameters/${index}/schema` })(
        parseUrlEncoded(given),
      );

    test('reads JSON as JSON, whatever stands in it', () => {
      expect(reading(0, 'q=%7B%22a%22%3A%5B1%5D%7D')).toEqual(value({ a: [1] }));
      expect(reading(1, 'q=7')).toEqual(value(7));
      expect(reading(0, 'x=1')).toEqual({ kind: 'absent' });
    });

    test('reports invalid JSON', () => {
      expect(reading(0, 'q=%7B')).toMatchObject({ kind: 'fault', says: expect.stringMatching(/^q is not valid JSON/) });
      expect(reading(0, 'q=1&q=2')).toEqual({ kind: 'fault', says: 'q is sent 2 times: send it once' });
    });

    test('accepts text if the contract does not describe the value', () =>
      expect(reading(2, 'q=7')).toEqual(value('7')));
  });

  test('leaves names of other parameters out of an object that takes any', () => {
    const read = createParameterReader(document, declare('Labels'), new Set(['limit']));
    expect(read(parseUrlEncoded('limit=5'))).toEqual({ kind: 'absent' });
    expect(read(parseUrlEncoded('limit=5&a=1'))).toEqual(value({ a: 1 }));
  });

  test('takes a header by its name in lower case, and calls it as the contract does', () => {
    const parameter = declare('Count', { name: 'X-Count', in: 'header', style: 'simple', explode: false });
    const pair = { name: 'x-count', value: '7', broken: false };
    expect(createParameterReader(document, parameter)([pair])).toEqual(value(7));
    expect(createParameterReader(document, parameter)([pair, pair])).toMatchObject({
      says: 'X-Count is sent 2 times: send it once',
    });
  });
});

describe('the place of a parameter', () => {
  test('owns the names that belong to it', () => {
    const span = declare('Span', { style: 'deepObject' });
    expect(['q', 'q[from]', 'q[', 'qq[from]'].map((name) => ownsName(span, name))).toEqual([false, true, false, false]);
    expect(['q', 'q[from]'].map((name) => ownsName(declare('Count'), name))).toEqual([true, false]);
  });

  test('marks a broken escape in a path', () => {
    expect(
      pathPairs(
        new Map([
          ['a', '%20'],
          ['b', '%ZZ'],
        ]),
      ),
    ).toEqual([
      { name: 'a', value: ' ', broken: false, raw: '%20' },
      { name: 'b', value: '%ZZ', broken: true },
    ]);
  });

  test('splits cookies', () => {
    expect(cookiePairs('a=1; b=2=3; c').map(({ name, value: sent }) => [name, sent])).toEqual([
      ['a', '1'],
      ['b', '2=3'],
    ]);
    expect(cookiePairs(undefined)).toEqual([]);
  });
});
