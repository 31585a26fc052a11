import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import credentials from './credentials.json' with { type: 'json' };
import { createSend, faults, type Options, type Reply, type Send } from './faults.ts';
import { start } from './server.ts';

interface Ref {
  readonly $ref?: string;
}
interface Declared extends Ref {
  readonly headers?: Record<string, Ref & { readonly required?: boolean; readonly schema: object }>;
  readonly content?: Record<string, { readonly schema: object }>;
}

const contract = parse(readFileSync(join(import.meta.dirname, 'contract.yaml'), 'utf8'));
const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
ajvFormats.default(ajv);
ajv.addSchema(contract, 'contract');

let clean: Awaited<ReturnType<typeof start>>;
let send: Send;
beforeAll(async () => {
  clean = await start({ port: 0 });
  send = createSend(clean.url);
});
afterAll(() => clean.close());

test.each(faults.map((fault) => [fault.id, fault] as const))('%s differs', async (id, { prove }) => {
  const [server, faulty] = await Promise.all([start({ port: 0 }), start({ port: 0, fault: id })]);
  try {
    const value = await prove(createSend(server.url));
    expect(await prove(createSend(faulty.url))).not.toEqual(value);
  } finally {
    await Promise.all([server.close(), faulty.close()]);
  }
});

const folder = mkdtempSync(join(tmpdir(), 'library-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each(faults.filter((fault) => fault.class >= 'E').map((fault) => [fault.id, fault] as const))(
  'the log marks the answers that %s changes, which are those of its operations',
  async (id, { prove, operation, also = [] }) => {
    const log = join(folder, `${id}.ndjson`);
    const faulty = await start({ port: 0, fault: id, log });
    await prove(createSend(faulty.url)).finally(() => faulty.close());
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    const changed = lines.map((line) => JSON.parse(line)).filter(({ triggered }) => triggered);
    const names = changed.map(({ method, target }) => `${method} ${pathOf(target.slice(3))}`);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => ![operation, ...also].includes(name))).toEqual([]);
  },
);

/** The path of the contract. No path without a parameter matches one with a parameter. */
function pathOf(target: string): string | undefined {
  const [sent = ''] = target.split('?');
  return Object.keys(contract.paths).find((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(sent));
}

test('ids are unique, operations exist, and each class has at least seven', () => {
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  for (const letter of 'ABCDEF')
    expect(faults.filter((fault) => fault.class === letter).length).toBeGreaterThanOrEqual(7);
  const paths = ['*', ...Object.keys(contract.paths)];
  for (const { operation, also = [] } of faults)
    for (const name of [operation, ...also]) expect(paths).toContain(name.split(' ').at(-1));
});

const book1 = '/books/5d41402a-0000-4000-8000-000000000001';
const copies = `${book1}/copies/3c6e0b8a-0000-4000-8000-000000000`;
const member = '/members/9b2d7c11-0000-4000-8000-000000000';
const reservation = `${member}203/reservations/5d41402a-0000-4000-8000-000000000001`;
const loan = '/loans/e4da3b7f-0000-4000-8000-000000000';
const memberId = '9b2d7c11-0000-4000-8000-000000000201';
const copyId = '3c6e0b8a-0000-4000-8000-000000000101';
const large = { body: JSON.stringify({ title: 'x'.repeat(70_000) }) };
const key = { 'Idempotency-Key': 'desk-2-0041' };
const newMember = {
  name: 'Zoë',
  email: 'zoe@mail.example',
  pin: '4711',
  address: { street: 'Kai 1', postcode: '20457', city: 'H' },
};
const newBook = {
  isbn: '9780141036144',
  title: 'ż'.repeat(120),
  authors: ['A'],
  genre: 'poetry',
  language: 'pl',
  copies: [{ barcode: 'LB-000417' }, { barcode: 'LB-000418', shelf: 'P 1' }],
};
const type = (value: string) => ({ 'Content-Type': value });
const form = (text: string): Options => ({
  token: null,
  headers: type('application/x-www-form-urlencoded'),
  body: text,
});
const ids = (client: { clientId: string; clientSecret: string }) =>
  `grant_type=client_credentials&client_id=${client.clientId}&client_secret=${client.clientSecret}`;
const basic = `Basic ${btoa(`${credentials.second.clientId}:${credentials.second.clientSecret}`)}`;
const ifMatch = (tag: string) => ({ 'If-Match': tag });
const narrow = credentials.first.narrow;

/** Requests in their order: each leaves the state that the next one needs. The path of the contract is the third. */
const rows: readonly (readonly [number, string, string, Options?])[] = [
  [200, 'POST /oauth/token', '/oauth/token', form(ids(credentials.first))],
  [
    200,
    'POST /oauth/token',
    '/oauth/token',
    {
      ...form('grant_type=client_credentials&scope=admin'),
      headers: { ...type('application/x-www-form-urlencoded; charset=UTF-8'), Authorization: basic },
    },
  ],
  [400, 'POST /oauth/token', '/oauth/token', form(`${ids(credentials.first)}&scope=everything`)],
  [400, 'POST /oauth/token', '/oauth/token', form(`${ids(credentials.kiosk)}&scope=admin`)],
  [400, 'POST /oauth/token', '/oauth/token', form(`${ids(credentials.first)}&scope=admin&scope=admin`)],
  [401, 'POST /oauth/token', '/oauth/token', { token: null }],
  [415, 'POST /oauth/token', '/oauth/token', { token: null, body: {} }],
  [406, 'POST /oauth/token', '/oauth/token', { token: null, headers: { Accept: 'text/html' } }],
  [200, 'GET /books', '/books'],
  [200, 'GET /books?limit=1&q=T&genre=novel&genre=children&available=true', '/books'],
  [200, 'GET /books?q=(', '/books'],
  [200, 'GET /books?sort=-title&limit=2', '/books'],
  [400, 'GET /books?sort=isbn', '/books'],
  [400, 'GET /books?limit=51', '/books'],
  [400, 'GET /books?limit=', '/books'],
  [400, 'GET /books?limit=1&limit=2', '/books'],
  [400, 'GET /books?genre=novel&genre=novel', '/books'],
  [400, 'GET /books?cursor=abc', '/books'],
  [401, 'GET /books', '/books', { token: null }],
  [401, 'GET /books', '/books', { token: credentials.first.expired }],
  [401, 'GET /books', '/books', { token: 'abc.def' }],
  [200, 'GET /books', '/books', { token: null, headers: { Authorization: `bearer ${narrow['catalogue:read']}` } }],
  [403, 'GET /books', '/books', { token: narrow.admin }],
  [406, 'GET /books', '/books', { headers: { Accept: 'text/html' } }],
  [200, 'GET /books', '/books', { headers: { Accept: 'text/*;q=0.5, application/json; charset=utf-8' } }],
  [200, 'HEAD /books', '/books'],
  [201, 'POST /books', '/books', { body: newBook, headers: type('application/json; charset=utf-8') }],
  [400, 'POST /books', '/books', { body: '{' }],
  [400, 'POST /books', '/books'],
  [403, 'POST /books', '/books', { body: newBook, token: narrow['loans:write'] }],
  [413, 'POST /books', '/books', large],
  [415, 'POST /books', '/books', { body: newBook, headers: type('text/plain') }],
  [415, 'POST /books', '/books', { body: newBook, headers: { 'Content-Encoding': 'gzip' } }],
  [422, 'POST /books', '/books', { body: { ...newBook, title: 'ż'.repeat(121) } }],
  [422, 'POST /books', '/books', { body: '[]' }],
  [200, `GET ${book1.toUpperCase().replace('/BOOKS', '/books')}`, '/books/{bookId}'],
  [304, `GET ${book1}`, '/books/{bookId}', { headers: { 'If-None-Match': '"0", W/"1"' } }],
  [304, `GET ${book1}`, '/books/{bookId}', { headers: { 'If-None-Match': '*' } }],
  [412, `GET ${book1}`, '/books/{bookId}', { headers: ifMatch('W/"1"') }],
  [400, 'GET /books/1', '/books/{bookId}'],
  [400, 'GET /books/%ZZ', '/books/{bookId}'],
  [404, `GET ${book1}`, '/books/{bookId}', { token: credentials.second.token }],
  [428, `PATCH ${book1}`, '/books/{bookId}', { body: { title: 'T' } }],
  [412, `PATCH ${book1}`, '/books/{bookId}', { body: { title: 'T' }, headers: ifMatch('"0"') }],
  [412, `PATCH ${book1}`, '/books/{bookId}', { body: { title: 'T' }, headers: ifMatch('W/"1"') }],
  [403, `PATCH ${book1}`, '/books/{bookId}', { body: { title: 'T' }, headers: ifMatch('"1"'), token: narrow.admin }],
  [415, `PATCH ${book1}`, '/books/{bookId}', { body: '{}', headers: { ...type('application/json'), ...ifMatch('*') } }],
  [422, `PATCH ${book1}`, '/books/{bookId}', { body: {}, headers: ifMatch('*') }],
  [
    200,
    `PATCH ${book1}`,
    '/books/{bookId}',
    { body: { subtitle: null, notes: { condition: null } }, headers: ifMatch('"0", "1"') },
  ],
  [200, `PATCH ${book1}`, '/books/{bookId}', { body: { notes: null, replacementCost: 12.5 }, headers: ifMatch('"2"') }],
  [200, `GET ${copies}102`, '/books/{bookId}/copies/{copyId}'],
  [200, `GET ${copies}103`, '/books/{bookId}/copies/{copyId}'],
  [404, `GET ${copies}106`, '/books/{bookId}/copies/{copyId}'],
  [201, 'POST /members', '/members', { body: newMember }],
  [409, 'POST /members', '/members', { body: newMember }],
  [422, 'POST /members', '/members', { body: { ...newMember, branch: 'hillside' } }],
  [200, `GET ${member}202`, '/members/{memberId}', { token: narrow.admin }],
  [404, `GET ${member}211`, '/members/{memberId}'],
  [201, `PUT ${reservation}`, '/members/{memberId}/reservations/{bookId}', { body: { pickupUntil: '2027-03-01' } }],
  [
    200,
    `PUT ${reservation}`,
    '/members/{memberId}/reservations/{bookId}',
    { body: { pickupUntil: '2028-02-29', notify: 'sms' } },
  ],
  [
    412,
    `PUT ${reservation}`,
    '/members/{memberId}/reservations/{bookId}',
    { body: { pickupUntil: '2027-03-01' }, headers: { 'If-None-Match': '*' } },
  ],
  [422, `PUT ${reservation}`, '/members/{memberId}/reservations/{bookId}', { body: { pickupUntil: '2027-02-29' } }],
  [204, `DELETE ${reservation}`, '/members/{memberId}/reservations/{bookId}', { headers: { Accept: 'text/html' } }],
  [404, `DELETE ${reservation}`, '/members/{memberId}/reservations/{bookId}'],
  [200, 'GET /loans', '/loans'],
  [200, 'GET /loans?limit=1', '/loans'],
  [200, `GET /loans?memberId=${memberId}&status=open&dueBefore=2100-01-01`, '/loans'],
  [201, 'POST /loans', '/loans', { body: { memberId, copyId }, headers: key }],
  [201, 'POST /loans', '/loans', { body: { memberId, copyId }, headers: key }],
  [422, 'POST /loans', '/loans', { body: { memberId, copyId, days: 3 }, headers: key }],
  [409, 'POST /loans', '/loans', { body: { memberId, copyId, note: null } }],
  [422, 'POST /loans', '/loans', { body: { memberId, copyId: memberId } }],
  [400, 'POST /loans', '/loans', { body: { memberId, copyId }, headers: { 'Idempotency-Key': 'a b' } }],
  [200, `GET ${loan}302`, '/loans/{loanId}'],
  [200, `GET ${loan}303`, '/loans/{loanId}'],
  [404, `GET ${loan}311`, '/loans/{loanId}'],
  [200, `POST ${loan}301/return`, '/loans/{loanId}/return'],
  [409, `POST ${loan}301/return`, '/loans/{loanId}/return'],
  [200, `POST ${loan}302/return`, '/loans/{loanId}/return', { body: { condition: 'damaged', remark: 'Page 17' } }],
];

test('every clean answer is as the contract declares it, and every operation succeeds', async () => {
  const succeeded = new Set<string>();
  for (const [status, target, path, options] of rows) {
    const reply = await send(target, options);
    const name = `${target} ${JSON.stringify(options)?.slice(0, 200)}`;
    expect(reply.status, `${name} ${reply.text}`).toBe(status);
    const method = (target.split(' ')[0] ?? '').toLowerCase().replace('head', 'get');
    const operation = contract.paths[path][method];
    expect(findFaults(reply, operation.responses[status], target.startsWith('HEAD')), name).toEqual([]);
    if (status < 300) succeeded.add(operation.operationId);
  }
  expect(succeeded.size).toBe(14);
});

test('the log of a faulty server marks no answer that the fault leaves as it is', async () => {
  const log = join(folder, 'rows.ndjson');
  const faulty = await start({ port: 0, fault: 'total-of-rest', log });
  for (const [, target, , options] of rows) await createSend(faulty.url)(target, options);
  const { json } = await createSend(faulty.url)('GET /loans?limit=1');
  await createSend(faulty.url)(`GET ${(json as { next: string }).next.slice(3)}`);
  await faulty.close();
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  expect(lines.flatMap((line, index) => (JSON.parse(line).triggered ? [index] : []))).toEqual([rows.length + 1]);
});

test('books are sorted, and pages of a sorted list follow each other', async () => {
  const { json } = await send('GET /books?sort=-title');
  const titles = (json as { items: { title: string }[] }).items.map(({ title }) => title);
  expect(titles.toSorted((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)))).toEqual(titles);
  const paged: string[] = [];
  for (let next: string | null = '/v1/books?sort=-title&limit=1'; next !== null; ) {
    const page = (await send(`GET ${next.slice(3)}`)).json as { items: { title: string }[]; next: string | null };
    paged.push(...page.items.map(({ title }) => title));
    next = page.next;
  }
  expect(paged).toEqual(titles);
});

test('pages follow each other to the end', async () => {
  const titles: string[] = [];
  for (let next: string | null = '/v1/books?limit=1&available=true'; next !== null; ) {
    const { json, headers } = await send(`GET ${next.slice(3)}`);
    const page = json as { items: { title: string }[]; total: number; next: string | null };
    titles.push(...page.items.map(({ title }) => title));
    next = page.next;
    expect(headers.link).toBe(next === null ? undefined : `<${next}>; rel="next"`);
    expect(page.total).toBe(4);
  }
  expect(titles.length).toBe(4);
});

test.each([
  ['OPTIONS', '/books/{bookId}', 204, 'GET, PATCH, HEAD, OPTIONS'],
  ['DELETE', '/books/{bookId}', 405, 'GET, PATCH, HEAD, OPTIONS'],
  ['HEAD', '/oauth/token', 405, 'POST, OPTIONS'],
  ['GET', '/Books', 404, undefined],
  ['GET', '/books/', 404, undefined],
])('%s %s is answered %i', async (method, path, status, allow) => {
  const reply = await send(`${method} ${path.replace('{bookId}', 'x')}`, { token: null });
  expect([reply.status, reply.headers.allow]).toEqual([status, allow]);
});

function findFaults({ headers, json, text }: Reply, answer: Declared | undefined, isHead: boolean): unknown[] {
  if (answer === undefined) return ['undeclared'];
  const declared: Declared = follow(answer);
  const found: unknown[] = [];
  for (const [name, given] of Object.entries(declared.headers ?? {})) {
    const { required, schema } = follow(given);
    const value = headers[name.toLowerCase()];
    if (value === undefined ? required : !ajv.validate(schema, value)) found.push([name, value]);
  }
  const [type, media] = Object.entries(declared.content ?? {})[0] ?? [];
  if (headers['content-type'] !== type) found.push(headers['content-type']);
  if (media === undefined || isHead) return text === '' ? found : [...found, text];
  const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"contract#/'));
  if (!ajv.validate(schema, json)) found.push(ajv.errors);
  return found;
}

function follow<T extends Ref>(node: T): T {
  const names = node.$ref?.split('/').slice(1);
  return names === undefined ? node : names.reduce((at, name) => at[name], contract);
}
