import { expect, test } from 'vitest';
import { textFamilies } from '../data/text-families.ts';
import type { RunOptions } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { type Handler, serve, type TestRequest } from '../seeded/serve.ts';

const json = (schema: object = {}) => ({ description: '', content: { 'application/json': { schema } } });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const text = { type: 'string' };
const note = {
  type: 'object',
  required: ['id', 'title'],
  properties: { id: text, title: text, body: text, tags: { type: 'array', items: text } },
};
const newNote = {
  type: 'object',
  required: ['title', 'tags'],
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 120 },
    body: text,
    tags: { type: 'array', items: text },
  },
};
const content = { 'application/json': { schema: newNote } };
const rejected = json({ type: 'object' });

const paths = {
  '/notes': {
    get: {
      operationId: 'list',
      parameters: [{ name: 'search', in: 'query', schema: text }],
      responses: { 200: json({ type: 'array', items: note }), 400: rejected },
    },
    post: {
      operationId: 'add',
      requestBody: { required: true, content },
      responses: { 201: json(note), 400: rejected, 415: rejected },
    },
  },
  '/notes/{id}': {
    parameters: [id],
    get: { operationId: 'read', responses: { 200: json(note), 404: rejected } },
    put: {
      operationId: 'change',
      requestBody: { required: true, content },
      responses: { 200: json(note), 400: rejected, 404: rejected },
    },
    delete: { operationId: 'remove', responses: { 204: { description: '' }, 404: rejected } },
  },
};

type Note = Record<string, unknown>;

interface Behaviour {
  /** Changes a text before it is stored. */
  readonly store?: (text: string) => string;
  /** Answers instead of the server. */
  readonly fail?: (request: TestRequest) => boolean;
  /** The error that a failure states. */
  readonly account?: (request: TestRequest) => string;
  /** Name of the member that the server rejects. */
  readonly reject?: (request: TestRequest) => string | undefined;
}

function serveNotes(behaviour: Behaviour): Handler {
  const { store = (sent) => sent, fail = () => false, reject = () => undefined } = behaviour;
  const { account = () => 'the text is too much' } = behaviour;
  const all = new Map<string, Note>([['n1', { id: 'n1', title: 'first', body: '', tags: [] }]]);
  const read = (body: string): Note =>
    JSON.parse(body, (_, value) => (typeof value === 'string' ? store(value) : value)) as Note;
  return (request) => {
    const { method, path, body } = request;
    const own = path.split('/')[2];
    if (fail(request)) return { status: 500, body: { error: account(request) } };
    const rejected = reject(request);
    if (rejected !== undefined) return { status: 400, body: { errors: [{ field: rejected, message: 'is invalid' }] } };
    if (own === undefined) {
      if (method === 'GET') return { status: 200, body: [...all.values()] };
      const made = { ...read(body), id: `n${all.size + 1}` };
      all.set(made.id, made);
      return { status: 201, body: made };
    }
    const known = all.get(own);
    if (known === undefined) return { status: 404, body: {} };
    if (method === 'GET') return { status: 200, body: known };
    if (method === 'DELETE') return { status: all.delete(own) ? 204 : 404 };
    const changed = { ...known, ...read(body), id: own };
    all.set(own, changed);
    return { status: 200, body: changed };
  };
}

async function run(behaviour: Behaviour, change: Partial<RunOptions> = {}) {
  const served = await serve(serveNotes(behaviour));
  const log: string[] = [];
  const options = testOptions('library', served.origin, {
    ...{ baseUrl: served.origin, credentials: { token: undefined, clientId: undefined, clientSecret: undefined } },
    ...{ second: undefined, phases: ['baseline', 'text'] },
    ...change,
  });
  try {
    const result = await runConformance(contractOf(paths), options, { onRequest: (line) => log.push(line) });
    return { result, log };
  } finally {
    await served.close();
  }
}

const astral = /[^\0-\uffff]/gu;

/** The texts of a request that a server cannot handle. */
const failsOn =
  (method: string, pattern: RegExp) =>
  (request: TestRequest): boolean =>
    request.method === method && new RegExp(pattern, 'u').test(request.body + (request.query.get('search') ?? ''));

test.each([
  ['PUT', 'change', astral, `{"title":"titleconform1","tags":[],"body":"😀𝒳𠮷"}`],
  ['POST', 'add', /'/, "O'Neil"],
  ['GET', 'list', /漢/, 'GET /notes?search=%E6%BC%A2%E5%AD%97%E3%81%8B%E3%81%AA%ED%95%9C%EA%B8%80'],
  ['POST', 'add', /"null"/, '"null"'],
  ['PUT', 'change', /\\u0000/, String.raw`"a\u0000b"`],
  ['POST', 'add', /x{2000}/, 'xxxx'],
])(
  '%s that fails on one family of texts: the finding has this text alone',
  async (method, operation, pattern, text) => {
    const { result, log } = await run({ fail: failsOn(method, pattern) });
    const found = result.findings.map((one) => [one.check, one.operation, one.severity]);
    expect(found).toEqual([['server-error', operation, 'defect']]);
    expect(result.findings[0]?.sent).toContain(text);
    const families = textFamilies.filter((family) => (result.findings[0]?.sent ?? '').includes(family.text));
    expect(families.length).toBeLessThan(2);
    const reducing = log.filter((line) => line.includes(': smaller)'));
    expect(reducing.length).toBeLessThanOrEqual(6);
  },
);

test.each(['POST', 'PUT'])('%s that fails with another account of each text has one finding', async (method) => {
  const account = ({ body }: TestRequest): string =>
    body.length > 120 ? 'too long for the index' : 'no such collation';
  const { result } = await run({ fail: failsOn(method, astral), account });
  expect(result.findings.map(({ check, severity }) => `${severity} ${check}`)).toEqual(['defect server-error']);
  expect(result.findings[0]?.answered).toContain('no such collation');
});

test.each<[string, (text: string) => string, string]>([
  ['replaces', (text) => text.replaceAll(/[^\0-\xff]/gu, '?'), 'replaced'],
  ['decodes as UTF-8 what it has cut to one octet', (text) => Buffer.from(text, 'latin1').toString(), 'replaced'],
  ['reads as Latin-1', (text) => Buffer.from(text).toString('latin1'), 'misread'],
  ['cuts before the first astral character', (text) => text.replace(/[^\0-\uffff].*$/su, ''), 'dropped'],
  ['cuts at NUL', (text) => text.replace(/\0.*$/s, ''), 'dropped'],
  ['cuts after 60 characters, of 120 that are allowed', (text) => text.slice(0, 60), 'cut'],
  ['drops', (text) => text.replaceAll(astral, ''), 'dropped'],
  ['escapes', (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'), 'escaped'],
  ['doubles backslashes in', (text) => text.replaceAll(/['"\\]/g, String.raw`\$&`), 'escaped'],
  ['evaluates templates in', (text) => text.replaceAll('\x24{7*7}', '49'), 'evaluated'],
])('a server that %s text is found', async (_, store, loss) => {
  const { result } = await run({ store });
  const found = result.findings.map(({ check, keyword, severity }) => ({ check, keyword, severity }));
  expect(found).toEqual([{ check: 'text-changed', keyword: loss, severity: 'defect' }]);
  expect(result.findings[0]?.message).toMatch(/a plain text came back unchanged$/);
});

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

test.each<[string, (text: string) => string]>([
  ['trims', (text) => text.trim()],
  ['joins spaces in', (text) => text.replaceAll(/\s+/g, ' ').trim()],
  ['folds the case of', (text) => text.toLowerCase()],
  ['writes in capitals', (text) => text.toUpperCase()],
  ['composes', (text) => text.normalize('NFC')],
  ['decomposes', (text) => text.normalize('NFD')],
  ['removes controls and invisible characters from', (text) => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '')],
  ['makes slugs of', (text) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')],
  ['writes by itself all', () => 'a title'],
  ['masks', (text) => text.replaceAll(/./gsu, '*')],
  ['replaces half characters in', (text) => text.toWellFormed()],
  ['decodes those with half characters otherwise,', (text) => (text.isWellFormed() ? text : latin1(text))],
])('a server that %s texts is no defect', async (_, store) => {
  const { result } = await run({ store });
  expect(result.findings).toEqual([]);
});

test('a text without a limit in the contract that is cut is inconclusive', async () => {
  const { result } = await run({ store: (text) => text.slice(0, 500) });
  expect(result.findings.map(({ keyword, severity }) => [keyword, severity])).toEqual([['cut', 'suspect']]);
});

const textsOf = (log: readonly string[]): readonly string[] => log.filter((line) => / text \(/.test(line));

test('a place that the server rejects by name is left out of the next request', async () => {
  const isUnusual = /[^\x20-\x7e]/;
  const { result, log } = await run({
    reject: ({ method, body }) =>
      method === 'POST' && isUnusual.test(String((JSON.parse(body) as Note).title)) ? 'title' : undefined,
  });
  expect(result.findings).toEqual([]);
  const [first, second, ...others] = textsOf(log).filter((line) => line.startsWith('add'));
  expect(first).toMatch(/"title":"[^"]*漢/);
  for (const line of [second, ...others]) expect(line).toMatch(/"title":"titleconform1[^"]*"/);
});

test('with --read-only only reads are sent, and no object of others is changed', async () => {
  const { log } = await run({}, { permissions: { effects: [], readOnly: true, writes: 'restore' } });
  expect(new Set(textsOf(log).map((line) => line.split(' ')[0]))).toEqual(new Set(['list']));
  const owned = await run({ fail: ({ method }) => method === 'POST' });
  expect(textsOf(owned.log).filter((line) => line.startsWith('change'))).toEqual([]);
});

test('the same texts are sent by any number of workers', async () => {
  const [one, ...others] = await Promise.all([1, 4, 16].map((workers) => run({}, { workers })));
  expect(textsOf(one?.log ?? []).length).toBeGreaterThan(12);
  for (const other of others) expect(other.log).toEqual(one?.log);
});
