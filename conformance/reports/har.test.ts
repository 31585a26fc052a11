import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import type { NumberedExchange } from '../execute/exchange.ts';
import { createRedactor } from '../failures/redact.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { createHar } from './har.ts';

const require = createRequire(import.meta.url);

/** The schema of HAR 1.2, in draft 6. Its formats are left to readers: an invalid request may have an invalid address. */
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json'));
for (const schema of Object.values<object>(require('har-schema'))) ajv.addSchema(schema);

const contract = contractOf({ '/a': { post: { operationId: 'add', responses: { 200: { description: 'OK' } } } } });
const secret = 'a-secret-of-the-user';
const binary = Buffer.from([0xff, 0x00, 0xfe]);

function recorded(...exchanges: readonly NumberedExchange[]) {
  const redactor = createRedactor(contract);
  redactor.keep(secret);
  let text = '';
  const har = createHar((part) => {
    text += part;
  }, Date.parse('2026-04-01T09:30:00Z'));
  for (const exchange of exchanges) har.add(exchange, redactor);
  har.end();
  const file = JSON.parse(text);
  expect(ajv.validate('har.json#', file) ? [] : ajv.errors).toEqual([]);
  return { text, log: file.log, entry: file.log.entries[0] };
}

const rows: readonly {
  name: string;
  given: Parameters<typeof exchangeOf>[1] & Partial<Pick<NumberedExchange, 'outcome' | 'atMs'>>;
  want: object;
}[] = [
  {
    name: 'the address with its query, decoded, and the start of the request',
    given: { atMs: 1_500, request: { base: 'http://h/v1', path: '/a?x=1%202&x=3&y' } },
    want: {
      startedDateTime: '2026-04-01T09:30:01.499Z',
      time: 1,
      request: {
        url: 'http://h/v1/a?x=1%202&x=3&y',
        queryString: [
          { name: 'x', value: '1 2' },
          { name: 'x', value: '3' },
          { name: 'y', value: '' },
        ],
      },
      _operation: 'add',
    },
  },
  {
    name: 'text as text, without secrets',
    given: {
      headers: { 'content-type': 'text/plain', location: `/a?key=${secret}` },
      body: `é ${secret}`,
      request: { body: Buffer.from(`{"k":"${secret}"}`), headers: [['content-type', 'application/json']] },
    },
    want: {
      request: { bodySize: 28, postData: { mimeType: 'application/json', text: '{"k":"***"}' } },
      response: {
        status: 200,
        statusText: 'OK',
        redirectURL: '/a?key=***',
        content: { size: 23, mimeType: 'text/plain', text: 'é ***' },
      },
    },
  },
  {
    name: 'other content as base64, without secrets',
    given: { body: Buffer.concat([binary, Buffer.from(secret)]), request: { body: binary } },
    want: {
      request: { postData: { text: '/wD+', _encoding: 'base64' } },
      response: {
        content: { encoding: 'base64', text: Buffer.concat([binary, Buffer.from('***')]).toString('base64') },
      },
    },
  },
  {
    name: 'no value of a header that carries credentials, even of unknown ones',
    given: {
      headers: { 'set-cookie': 'session=unknown', 'x-id': '7' },
      request: {
        headers: [
          ['Authorization', 'Bearer unknown'],
          ['Accept', '*/*'],
        ],
      },
    },
    want: {
      request: {
        headers: [
          { name: 'Authorization', value: '***' },
          { name: 'Accept', value: '*/*' },
        ],
      },
      response: {
        headers: [
          { name: 'set-cookie', value: '***' },
          { name: 'x-id', value: '7' },
        ],
      },
    },
  },
  {
    name: 'a missing answer as status 0, as browsers do',
    given: { outcome: { kind: 'none', reason: 'reset', message: 'the connection closed', durationMs: 3 } },
    want: { time: 3, response: { status: 0, statusText: '', _error: 'the connection closed' } },
  },
  {
    name: 'large content by its size alone',
    given: { body: 'x'.repeat(1024 * 1024 + 1) },
    want: {
      response: {
        content: { size: 1024 * 1024 + 1, mimeType: 'x-unknown', comment: 'Content over 1 MiB is omitted.' },
      },
    },
  },
];

test.each(rows)('an entry has $name', ({ given: { outcome, atMs, ...given }, want }) => {
  const exchange = exchangeOf(contract, given);
  const { entry, text } = recorded({ ...exchange, outcome: outcome ?? exchange.outcome, atMs: atMs ?? 0 });
  expect(entry).toMatchObject(want);
  expect(text).not.toContain(secret);
});

test('a run without an exchange is a valid archive, and entries are in the given order', () => {
  expect(recorded().log).toMatchObject({ version: '1.2', creator: { name: 'lockstep-conform' }, entries: [] });
  const numbered = [3, 1, 2].map((number) => ({ ...exchangeOf(contract, {}), number }));
  expect(recorded(...numbered).log.entries.map((entry: { _number: number }) => entry._number)).toEqual([3, 1, 2]);
});
