import { describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../contract/openapi-document.ts';
import { addErrorCatalogue } from './error-catalogue.ts';

type Json = Readonly<Record<string, unknown>>;

const wrong = {
  summary: 'The colour is none',
  description: 'Send one of the listed colours.',
  value: { code: 'wrong' },
};

/** A response with codes, and an example for each. */
function refusal(examples: Json, more: Json = {}) {
  return {
    description: 'Refused.\n',
    'x-error-codes': Object.keys(examples),
    content: { 'application/json': { examples } },
    ...more,
  };
}

/** Each path gets one operation with these responses. */
function publish(paths: Readonly<Record<string, Json>>, more: Json = {}) {
  const operations = Object.entries(paths).map(([path, responses]) => [
    path,
    { get: { operationId: path.slice(1), responses } },
  ]);
  return addErrorCatalogue({
    openapi: '3.1.0',
    info: { title: 'Doors', version: '1', description: 'Opens doors.\n' },
    paths: Object.fromEntries(operations),
    ...more,
  } as unknown as OpenApiDocument);
}

const described = (document: OpenApiDocument) => (document.info as { description?: string }).description;

describe('the catalogue', () => {
  test('lists status, cause and fix of a code, and shows an answer', () => {
    expect(described(publish({ '/doors': { 400: refusal({ wrong }) } }))).toBe(
      [
        'Opens doors.\n\n# Error catalogue\n\n## wrong\n\n**Status:** 400\n\n**Cause:** The colour is none.\n',
        '**Fix:** Send one of the listed colours.\n',
        '**Operations:** [doors](#operation/doors/responses&c=400)\n\n```json\n{\n  "code": "wrong"\n}\n```\n',
      ].join('\n'),
    );
  });

  test.each([
    {
      name: 'all statuses of a code, once each, in their order',
      paths: { '/a': { 422: refusal({ wrong }) }, '/b': { 400: refusal({ wrong }), 422: refusal({ wrong }) } },
      want: '**Status:** 400, 422\n\n**Cause:** The colour is none.\n',
    },
    {
      name: 'the causes that another operation has for it',
      paths: {
        '/b': { 400: refusal({ wrong }) },
        '/a': { 400: refusal({ wrong: { summary: 'Why?', description: 'Ask less.' } }) },
        '/c': { 400: refusal({ wrong: { summary: 'No size' } }) },
      },
      want: 'Other causes:\n\n- Why? Ask less.\n- No size.\n',
    },
    {
      name: 'an answer that is no JSON',
      paths: { '/a': { 400: { ...refusal({}), 'x-error-codes': ['wrong'], content: html({ value: '<p>No</p>' }) } } },
      want: '## wrong\n\n**Status:** 400\n\n**Operations:** [a](#operation/a/responses&c=400)\n\n```text\n<p>No</p>\n```\n',
    },
    {
      name: 'a code without an example',
      paths: { '/a': { 400: { description: 'No.', 'x-error-codes': ['wrong'] } } },
      want: '## wrong\n\n**Status:** 400\n',
    },
  ])('names $name', ({ paths, want }) => {
    expect(described(publish(paths))).toContain(want);
  });

  test('links the operations of a code by their summaries, each to the answer of its status, and mentions if there is none', () => {
    const paths = {
      '/b': { get: { operationId: 'b', summary: 'Paint [all] doors', responses: { 400: refusal({ wrong }) } } },
      '/a': { get: { operationId: 'a', responses: { 400: refusal({ wrong }), 422: refusal({ wrong }) } } },
    };
    const text = described(publish({}, { paths, 'x-unrouted': { 404: refusal({ nowhere: wrong }) } }));
    const link = (words: string, place: string) => `[${words}](#operation/${place})`;
    const links = [
      ...[link('Paint \\[all\\] doors', 'b/responses&c=400'), link('a', 'a/responses&c=400')],
      link('a', 'a/responses&c=422'),
    ];
    expect(text).toContain(`**Operations:** ${links.join(', ')}\n`);
    expect(text).toMatch(/## nowhere\n[^#]*\*\*Operations:\*\* none; the request reaches no operation\n/);
  });

  test('shows the answer in JSON where there is also one for browsers', () => {
    const both = { content: { ...html({ value: '<p>No</p>' }), 'application/json': { examples: { wrong } } } };
    const text = described(publish({ '/a': { 400: refusal({ wrong }, both) } }));
    expect(text).toContain('"code": "wrong"');
    expect(text).not.toContain('<p>');
  });

  test('has the codes in the order of the contract, those outside the operations last', () => {
    const document = publish(
      { '/z': { 404: refusal({ gone: wrong }) }, '/a': { 400: refusal({ wrong, gone: wrong }) } },
      { 'x-unrouted': { 404: refusal({ nowhere: wrong }) } },
    );
    expect(described(document)?.match(/^## .*/gm)).toEqual(['## gone', '## wrong', '## nowhere']);
  });
});

describe('a response', () => {
  const anchor = (code: string) => `[\`${code}\`](#section/error-catalogue/${code})`;

  test('links its codes, once where several operations share it', () => {
    const { components } = publish(
      {
        '/a': { 400: { $ref: '#/components/responses/Wrong' } },
        '/b': { 400: { $ref: '#/components/responses/Wrong' } },
      },
      {
        components: {
          responses: { Wrong: refusal({ wrong: { $ref: '#/components/examples/Wrong' }, gone: wrong }) },
          examples: { Wrong: wrong },
        },
      },
    );
    expect(components?.responses?.Wrong).toHaveProperty(
      'description',
      `Refused.\n\nCodes: ${anchor('wrong')}, ${anchor('gone')}`,
    );
  });

  test('without codes stays as it is, and so does a contract without any', () => {
    const paths = { '/a': { 400: { description: 'Refused.\n' } } };
    const document = publish(paths);
    expect(described(document)).toBe('Opens doors.\n');
    expect(JSON.stringify(document)).toContain('"description":"Refused.\\n"');
  });
});

function html(example: Json) {
  return { 'text/html': { examples: { wrong: example } } };
}
