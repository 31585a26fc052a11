import { describe, expect, test } from 'vitest';
import { parseBody } from './parse-body.ts';
import { readParts } from './read-parts.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } } };

describe('a form that cannot be decoded', () => {
  test.each([
    ['a=%ZZ', '/a', 'a has a broken escape: % must be followed by two hexadecimal digits'],
    ['a=%ED%A0%80', '/a', 'a has escapes that are not UTF-8: encode the text as UTF-8, then escape it'],
    ['%FF=a', '/%FF', '%FF has escapes that are not UTF-8: encode the text as UTF-8, then escape it'],
  ])('%s has at %s the fault %s', (text, at, says) => {
    const body = { bytes: Buffer.from(text), mediaType: 'application/x-www-form-urlencoded' };
    expect(parseBody({}, body, schema)).toEqual({ kind: 'fault', at, says });
  });
});

describe('a form with objects', () => {
  const payment = {
    type: 'object',
    properties: {
      amount: { type: 'integer' },
      metadata: { anyOf: [{ type: 'object', additionalProperties: { type: 'string' } }, { enum: [''] }] },
      card: { type: 'object', properties: { year: { type: 'integer' }, owner: { $ref: '#/Owner' } } },
      lines: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
      expand: { type: 'array', items: { type: 'integer' } },
      'own[name]': { type: 'integer' },
    },
  };
  const document = { Owner: { type: 'object', properties: { tall: { type: 'boolean' } } } };
  const parse = (text: string) =>
    parseBody(document, { bytes: Buffer.from(text), mediaType: 'application/x-www-form-urlencoded' }, payment);

  test.each([
    ['amount=3&metadata[order]=17', { amount: 3, metadata: { order: '17' } }],
    ['card%5Byear%5D=2030&card[owner][tall]=true', { card: { year: 2030, owner: { tall: true } } }],
    ['card={"year":2030}', { card: { year: 2030 } }],
    [
      'lines[1][price]=2.5&lines[0][price]=1&lines[10][price]=3',
      { lines: [{ price: 1 }, { price: 2.5 }, { price: 3 }] },
    ],
    ['expand[]=1&expand[]=2', { expand: [1, 2] }],
    ['expand=1&expand=2', { expand: [1, 2] }],
    ['own[name]=1&unknown[a]=1', { 'own[name]': 1, 'unknown[a]': '1' }],
    ['metadata[__proto__]=1&metadata[a]=', { metadata: JSON.parse('{"__proto__":"1","a":""}') }],
    ['metadata=', { metadata: '' }],
    ['metadata={"a":"1"}', { metadata: { a: '1' } }],
  ])('%s', (text, value) => {
    expect(parse(text)).toEqual({ kind: 'value', value });
  });

  test.each([
    ['card[year]=1&card[year]=2', '/card', 'card[year] is sent 2 times: send it once'],
    [
      'card[owner]=1&card[owner][tall]=true',
      '/card',
      'card[owner] is sent as a text and with members: send one of them',
    ],
    ['expand=1&expand[]=2', '/expand', 'expand is sent with brackets and without: send one of them'],
    ['card[year]=%ZZ', '/card', 'card[year] has a broken escape: % must be followed by two hexadecimal digits'],
    ['card={"year"', '/card', 'card is not valid JSON, see line 1 column 8'],
  ])('%s has at %s the fault %s', (text, at, says) => {
    expect(parse(text)).toEqual({ kind: 'fault', at, says });
  });

  test('has a bound of levels', () => {
    expect(parse(`metadata${'[a]'.repeat(32)}=1`)).toMatchObject({ kind: 'value' });
    expect(parse(`metadata${'[a]'.repeat(100_000)}=1`)).toMatchObject({ kind: 'fault', at: '/metadata' });
  });
});

const upload = {
  type: 'object',
  properties: {
    about: { type: 'object', properties: { size: { type: 'integer' } } },
    count: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    photo: { type: 'string', contentMediaType: 'image/png' },
    scan: { type: 'string', format: 'binary' },
    any: {},
    letter: { type: 'string' },
  },
};

async function parseUpload(...fields: readonly (readonly [name: string, value: string | Uint8Array<ArrayBuffer>])[]) {
  const form = new FormData();
  for (const [name, value] of fields)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value]), 'a.bin');
  const sent = new Response(form);
  const bytes = Buffer.from(await sent.arrayBuffer());
  const parts = await readParts(bytes, sent.headers.get('content-type') ?? '');
  return parseBody({}, { bytes, mediaType: 'multipart/form-data', parts }, upload);
}

const noText = new Uint8Array([0xff, 0x00, 0x41]);

describe('a form in parts', () => {
  test('becomes what its schema asks for, part by part', async () => {
    const parsed = await parseUpload(
      ['about', '{"size":3}'],
      ['count', '7'],
      ['tags', 'a'],
      ['tags', 'b'],
      ['photo', noText],
      ['scan', noText],
      ['any', noText],
      ['letter', new Uint8Array(Buffer.from('Äpfel'))],
      ['unknown', 'x'],
    );
    expect(parsed).toEqual({
      kind: 'value',
      value: {
        about: { size: 3 },
        count: 7,
        tags: ['a', 'b'],
        photo: '\xff\x00A',
        scan: '\xff\x00A',
        any: Buffer.from(noText),
        letter: 'Äpfel',
        unknown: 'x',
      },
    });
  });

  test.each([
    { name: 'JSON that is none', fields: [['about', '{']], at: '/about', says: /^about is not valid JSON/ },
    {
      name: 'JSON that is too deep',
      fields: [['about', '['.repeat(100) + ']'.repeat(100)]],
      at: '/about',
      says: /./,
    },
    { name: 'bytes for text', fields: [['letter', noText]], at: '/letter', says: /^letter is not UTF-8$/ },
    {
      name: 'a part twice',
      fields: [
        ['count', '1'],
        ['count', '2'],
      ],
      at: '/count',
      says: /^count is sent more than once$/,
    },
  ] as const)('is refused for $name', async ({ fields, at, says }) => {
    expect(await parseUpload(...fields)).toEqual({ kind: 'fault', at, says: expect.stringMatching(says) });
  });

  test.each([
    { name: 'no boundary', text: '--x--', type: 'multipart/form-data' },
    { name: 'another boundary', text: '--y\r\n\r\n--y--', type: 'multipart/form-data; boundary=x' },
    {
      name: 'no end',
      text: '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
      type: 'multipart/form-data; boundary=x',
    },
  ])('is none with $name', async ({ text, type }) => {
    const bytes = Buffer.from(text);
    const parts = await readParts(bytes, type);
    expect(parseBody({}, { bytes, mediaType: 'multipart/form-data', parts }, upload)).toEqual({
      kind: 'fault',
      at: '',
      says: 'the body is not valid multipart/form-data',
    });
  });
});

const composed = {
  allOf: [
    { properties: { count: { type: 'integer' }, list: { items: { type: 'number' } } } },
    {
      anyOf: [
        { properties: { list: { type: 'array' }, mixed: { type: 'integer' } } },
        { properties: { mixed: { type: 'string' } } },
      ],
    },
  ],
};

describe('a body becomes what its schema asks for', () => {
  test.each([
    { name: 'text that is a number', mediaType: 'text/plain', text: '5', by: { type: 'integer' }, value: 5 },
    { name: 'text', mediaType: 'text/plain', text: '5', by: { type: 'string' }, value: '5' },
    { name: 'JSON of another tree of types', mediaType: 'model/gltf+json', text: '{"a":1}', by: {}, value: { a: 1 } },
    {
      name: 'a form whose members stand in parts of the schema',
      mediaType: 'application/x-www-form-urlencoded',
      text: 'count=1&list=2&list=3.5&mixed=4',
      by: composed,
      value: { count: 1, list: [2, 3.5], mixed: '4' },
    },
    {
      name: 'a form with a member of any value, several times',
      mediaType: 'application/x-www-form-urlencoded',
      text: 'x=1&y=2&x=3&x=4',
      by: { type: 'object' },
      value: { x: ['1', '3', '4'], y: '2' },
    },
  ])('$name', ({ mediaType, text, by, value }) => {
    expect(parseBody({}, { bytes: Buffer.from(text), mediaType }, by)).toEqual({ kind: 'value', value });
  });

  test.each([
    { name: 'any value', by: { type: 'object' } },
    { name: 'a list', by: { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } } },
  ])('a form with 20,000 values of a member of $name', ({ by }) => {
    // To copy the list for each value took a minute: longer than a test may take.
    const bytes = Buffer.from('a&'.repeat(20_000));
    const parsed = parseBody({}, { bytes, mediaType: 'application/x-www-form-urlencoded' }, by);
    expect(parsed).toMatchObject({ kind: 'value', value: { a: { length: 20_000 } } });
  });
});

describe('a body whose grammar is not known', () => {
  const rows = { type: 'array', items: { type: 'object' } };
  test.each([
    ['image/svg+xml', '<!DOCTYPE svg><svg/>', { type: 'string', format: 'binary' }],
    ['application/xml', '<a>b<c/></a>', {}],
    ['text/csv', 'a,b', rows],
    ['application/octet-stream', '\u0000', { type: 'string', format: 'binary' }],
  ])('is taken as it is: %s', (mediaType, text, its) => {
    expect(parseBody({}, { bytes: Buffer.from(text), mediaType }, its)).toEqual({ kind: 'opaque' });
  });

  test('is text where it is to be text', () => {
    const body = { bytes: Buffer.from('a,b'), mediaType: 'text/csv' };
    expect(parseBody({}, body, { type: 'string' })).toEqual({ kind: 'value', value: 'a,b' });
  });
});

test.each(['multipart/form-data', 'application/x-www-form-urlencoded'])(
  '%s that is described as one text is taken as it is, whatever its fields',
  (mediaType) => {
    const bytes = Buffer.from('a=1');
    expect(parseBody({}, { bytes, mediaType, parts: undefined }, { type: 'string' })).toEqual({ kind: 'opaque' });
  },
);
