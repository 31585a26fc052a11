import { describe, expect, test } from 'vitest';
import type { MediaContent } from '../contract/contract.ts';
import { readContract } from '../contract/read-contract.ts';
import { createJudge } from '../schema/create-judge.ts';
import { encodeBody, rankContents } from './encode-body.ts';

function content(mediaType: string, encoding: MediaContent['encoding'] = {}): MediaContent {
  return { mediaType, pointer: '#', schema: undefined, examples: [], encoding };
}

const form = 'application/x-www-form-urlencoded';
const list = { color: ['light blue', 'bl&ck,'], size: 1 };

describe('a body is written according to its media type and encoding', () => {
  // Source: OpenAPI 3.1, 4.8.15 Encoding Object: style form, explode true by default.
  const rows: readonly [string, MediaContent, unknown, string][] = [
    ['JSON', content('application/json'), { a: [1] }, '{"a":[1]}'],
    ['JSON of a kind', content('application/merge-patch+json'), { a: null }, '{"a":null}'],
    ['any type, as JSON', content('*/*'), { a: 1 }, '{"a":1}'],
    ['a form, exploded', content(form), list, 'color=light+blue&color=bl%26ck%2C&size=1'],
    ['a form, not exploded', content(form, { color: { explode: false } }), list, 'color=light+blue,bl%26ck%2C&size=1'],
    [
      'a form, exploded in so many words',
      content(form, { color: { explode: true } }),
      list,
      'color=light+blue&color=bl%26ck%2C&size=1',
    ],
    ['a form with an object', content(form), { a: { b: 1 } }, 'a=%7B%22b%22%3A1%7D'],
    [
      'a form with an object in brackets',
      content(form, { a: { style: 'deepObject' } }),
      { a: { b: 1, c: [{ d: 'e&' }, 2], f: {} }, g: { h: 1 } },
      'a%5Bb%5D=1&a%5Bc%5D%5B0%5D%5Bd%5D=e%26&a%5Bc%5D%5B1%5D=2&g=%7B%22h%22%3A1%7D',
    ],
    ['text', content('text/plain'), 'a b', 'a b'],
    ['bytes', content('application/octet-stream'), 'a b', 'a b'],
    [
      'multipart',
      content('multipart/form-data', { photo: { contentType: 'image/jpg, image/png' } }),
      { name: 'x', photo: 'png', more: { a: 1 } },
      [
        '--lockstep-7d1f0c5e',
        'Content-Disposition: form-data; name="name"',
        '',
        'x',
        '--lockstep-7d1f0c5e',
        'Content-Disposition: form-data; name="photo"; filename="photo.jpg"',
        'Content-Type: image/jpg',
        '',
        'png',
        '--lockstep-7d1f0c5e',
        'Content-Disposition: form-data; name="more"',
        'Content-Type: application/json',
        '',
        '{"a":1}',
        '--lockstep-7d1f0c5e--',
        '',
      ].join('\r\n'),
    ],
  ];
  test.each(rows)('%s', (_, given, value, want) => {
    expect(encodeBody(given, value).bytes.toString()).toBe(want);
  });
});

test('the media type of a multipart body contains its boundary', () => {
  expect(encodeBody(content('multipart/form-data'), {}).contentType).toBe(
    'multipart/form-data; boundary=lockstep-7d1f0c5e',
  );
});

describe('other media types', () => {
  const rows: readonly [string, MediaContent, unknown, string, string][] = [
    ['YAML, of which JSON is a part', content('application/yaml'), { a: 1 }, 'application/yaml', '{"a":1}'],
    ['YAML as somebody wrote it', content('application/x-yaml'), 'a: 1', 'application/x-yaml', 'a: 1'],
    ['JSON, line by line', content('application/x-ndjson'), [{ a: 1 }, 2], 'application/x-ndjson', '{"a":1}\n2\n'],
    [
      'XML without a schema',
      content('text/xml'),
      { a: '<' },
      'text/xml',
      '<?xml version="1.0" encoding="UTF-8"?><root><a>&lt;</a></root>',
    ],
    ['XML as somebody wrote it', content('application/xml'), '<a/>', 'application/xml', '<a/>'],
    ['any text', content('text/*'), 'a', 'text/plain', 'a'],
    ['a type that nobody knows', content('application/vnd.firmware'), 'a', 'application/vnd.firmware', 'a'],
  ];
  test.each(rows)('%s', (_, given, value, type, want) => {
    const { contentType, bytes } = encodeBody(given, value);
    expect([contentType, bytes.toString()]).toEqual([type, want]);
  });

  test.each([
    ['image/png', '\x89PNG'],
    ['image/*', '\x89PNG'],
    ['image/gif', 'GIF89a'],
    ['application/pdf', '%PDF-'],
    ['application/zip', 'PK'],
  ])('%s is a file of its kind', (mediaType, magic) => {
    expect(encodeBody(content(mediaType), 'x').bytes.toString('latin1').slice(0, magic.length)).toBe(magic);
  });

  test('media types that most servers read come first, the others in the order of the contract', () => {
    const types = [
      'application/octet-stream',
      'application/xml',
      'multipart/form-data',
      'application/json',
      'nonsense',
    ];
    expect(rankContents(types.map((type) => content(type))).map(({ mediaType }) => mediaType)).toEqual([
      'multipart/form-data',
      'application/json',
      'application/xml',
      'application/octet-stream',
    ]);
  });
});

describe('by its schema', () => {
  const schemas = {
    Pet: {
      type: 'object',
      xml: { name: 'pet', namespace: 'urn:pets', prefix: 'p' },
      properties: {
        id: { type: 'integer', xml: { attribute: true } },
        names: { type: 'array', xml: { wrapped: true, name: 'all' }, items: { type: 'string', xml: { name: 'name' } } },
        tags: { type: 'array', items: { $ref: '#/components/schemas/Tag' } },
        none: { type: ['string', 'null'] },
      },
    },
    Tag: { type: 'object', properties: { text: { type: 'string' } } },
    Form: {
      type: 'object',
      properties: {
        file: { type: 'string', format: 'binary' },
        files: { type: 'array', items: { type: 'string', format: 'binary' } },
        icon: { type: 'string', contentMediaType: 'image/png' },
        title: { type: 'string' },
      },
    },
  };
  const root = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: { '/a': { get: { responses: {} } } } };
  const contract = readContract('api.json', JSON.stringify({ ...root, components: { schemas } }));
  const form = createJudge(contract).forms.request;
  const write = (mediaType: string, name: string, value: unknown): string =>
    encodeBody({ ...content(mediaType), schema: `#/components/schemas/${name}` }, value, form).bytes.toString();

  // Source: OpenAPI 3.1, 4.8.26, "XML Object Examples".
  test('XML has the names, attributes and wrappers of the schema', () => {
    const value = { id: 1, names: ['a', 'b'], tags: [{ text: 'x' }, { text: 'y' }], none: null };
    expect(write('application/xml', 'Pet', value)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><p:pet xmlns:p="urn:pets" id="1"><all><name>a</name><name>b</name></all>' +
        '<tags><text>x</text></tags><tags><text>y</text></tags><none></none></p:pet>',
    );
    expect(write('application/xml', 'Tag', { text: 'x' })).toContain('<Tag><text>x</text></Tag>');
  });

  test('parts of a multipart body that hold bytes are files', () => {
    const text = write('multipart/form-data', 'Form', { file: 'a', files: ['b', 'c'], icon: 'd', title: 'e' });
    expect(text.match(/name="[a-z]+"; filename="[^"]+"\r\nContent-Type: [^\r]+/g)).toEqual([
      'name="file"; filename="file.bin"\r\nContent-Type: application/octet-stream',
      'name="files"; filename="files.bin"\r\nContent-Type: application/octet-stream',
      'name="files"; filename="files.bin"\r\nContent-Type: application/octet-stream',
      'name="icon"; filename="icon.bin"\r\nContent-Type: application/octet-stream',
    ]);
    expect(text).toContain('name="title"\r\n\r\ne\r\n');
  });
});
