import { describe, expect, test } from 'vitest';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { serve } from '../seeded/serve.ts';

type Members = Record<string, unknown>;

const note = {
  type: 'object',
  properties: {
    id: { type: 'integer', readOnly: true },
    text: { type: 'string' },
    made: { type: 'string', format: 'date-time', readOnly: true },
    state: { type: 'string', enum: ['draft', 'live'], readOnly: true },
    stats: { type: 'object', properties: { views: { type: 'integer', readOnly: true } } },
  },
};
const content = {
  'application/json': { schema: { $ref: '#/components/schemas/Note' }, example: { text: 'a', stats: {} } },
};
const answer = { description: '', content };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const paths = {
  '/notes': { post: { operationId: 'add', requestBody: { required: true, content }, responses: { 201: answer } } },
  '/notes/{id}': {
    parameters: [id],
    get: { operationId: 'read', responses: { 200: answer, 404: answer } },
    put: { operationId: 'put', requestBody: { required: true, content }, responses: { 200: answer } },
    delete: { operationId: 'remove', responses: { 204: { description: '' } } },
  },
};

const made = '2026-04-01T09:00:00Z';
const ofServer = (key: number): Members => ({ id: key, made, state: 'draft', stats: { views: 0 } });

interface Behaviour {
  readonly name: string;
  /** The note that a write stores. */
  readonly store: (sent: Members, before: Members) => Members;
  /** The status of a rejection. */
  readonly reject?: (sent: Members) => number | undefined;
  readonly answer?: (sent: Members, stored: Members) => Members;
  /** Places whose values were stored as sent. */
  readonly found?: readonly string[];
}

const behaviours: readonly Behaviour[] = [
  { name: 'ignores them', store: (sent, before) => ({ ...before, text: sent.text }) },
  {
    name: 'rejects them',
    store: (sent, before) => ({ ...before, text: sent.text }),
    reject: ({ id: own, made: time, state, stats }) =>
      [own, time, state, Object(stats).views].some((one) => one !== undefined) ? 422 : undefined,
  },
  {
    name: 'repeats them in the answer to the write alone',
    store: (sent, before) => ({ ...before, text: sent.text }),
    answer: (sent, stored) => ({ ...stored, ...sent, id: stored.id }),
  },
  {
    name: 'chooses by itself the value that the client sends first',
    store: (sent, before) => ({ ...before, text: sent.text, state: 'live' }),
  },
  {
    name: 'stores a time in another spelling',
    store: (sent, before) => ({
      ...before,
      made: sent.made === undefined ? before.made : new Date(String(sent.made)).toISOString(),
    }),
    found: ['request body /made'],
  },
  {
    name: 'rejects one of them, and stores another',
    store: (sent, before) => ({ ...before, state: sent.state ?? before.state }),
    reject: ({ made: time }) => (time === undefined ? undefined : 400),
    found: ['request body /state'],
  },
  {
    name: 'stores a member of an object in the object',
    store: (sent, before) => ({ ...before, stats: { ...Object(before.stats), ...Object(sent.stats) } }),
    found: ['request body /stats/views'],
  },
  {
    name: 'lets the client choose the id',
    store: (sent, before) => ({ ...before, text: sent.text, id: sent.id ?? before.id }),
    found: ['request body /id'],
  },
];

/** Runs the phase against a server of notes. @returns places of findings, and ids in each PUT */
async function run({ store, reject, answer: show = (_, stored) => stored }: Behaviour, version: string) {
  const notes = new Map([[1, ofServer(1)]]);
  const changed = new Set<number>();
  const served = await serve(({ method, path, body }) => {
    const key = Number(path.split('/')[2] ?? notes.size + 1);
    const known = notes.get(key);
    if (method === 'OPTIONS' || (method === 'POST') === path.includes('/notes/'))
      return { status: 405, headers: { allow: '' } };
    if (method !== 'POST' && known === undefined) return { status: 404, body: {} };
    if (method === 'GET') return { status: 200, body: known };
    if (method === 'DELETE') return { status: notes.delete(key) ? 204 : 404 };
    const sent = JSON.parse(body) as Members;
    const status = reject?.(sent);
    if (status !== undefined) return { status, body: {} };
    const stored = store(sent, known ?? ofServer(key));
    if (method === 'PUT') changed.add(key);
    notes.set(Number(stored.id), stored);
    return { status: method === 'POST' ? 201 : 200, body: show(sent, stored) };
  });
  const options = testOptions('library', served.origin, {
    ...{ baseUrl: served.origin, second: undefined, phases: ['negative'] },
    ...{ credentials: { token: undefined, clientId: undefined, clientSecret: undefined } },
    checks: ['read-only-written'],
  });
  try {
    const { findings } = await runConformance(contractOf(paths, { schemas: { Note: note } }, version), options);
    return { findings, changed: [...changed], left: [...notes.keys()] };
  } finally {
    await served.close();
  }
}

describe('read-only properties on a server that', () => {
  test.each(behaviours)('$name', async (behaviour) => {
    const { findings, changed, left } = await run(behaviour, '3.1.0');
    expect(findings.map(({ place }) => place)).toEqual(behaviour.found ?? []);
    expect(findings.filter(({ severity }) => severity !== 'defect')).toEqual([]);
    expect([changed.includes(1), left]).toEqual([false, [1]]);
  });
});

test('under OpenAPI 3.0, which has a rule for clients alone, the finding is inconclusive', async () => {
  const behaviour = behaviours.find(({ name }) => name === 'lets the client choose the id');
  const { findings } = await run(behaviour as Behaviour, '3.0.3');
  expect(findings.map(({ severity, clause }) => [severity, clause])).toEqual([
    ['suspect', 'OpenAPI 3.0, Schema Object'],
  ]);
});
