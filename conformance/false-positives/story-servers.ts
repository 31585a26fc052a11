import { isObject, type JsonObject } from '../contract/document.ts';
import type { Clock } from '../execute/clock.ts';
import { createTestClock } from '../seeded/apis.ts';
import { ignoringContent, listingDeleted, reviving, storing } from '../seeded/careless-storage.ts';
import { childEdits, childFaults } from '../seeded/child-faults.ts';
import type { Instead } from '../seeded/faults.ts';
import { quotaEdits } from '../seeded/rate-faults.ts';
import { clock, type TestAnswer, type TestRequest } from '../seeded/serve.ts';
import { settingsEdits } from '../seeded/settings-faults.ts';
import { keyEdits } from '../seeded/story-faults.ts';
import type { FalsePositiveServer } from './servers.ts';

/** Keeps deleted objects, and marks them. */
const marking = (): Instead => {
  const ofAccounts = new Map<unknown, Map<string, JsonObject>>();
  return async (request, handle) => {
    const account = request.headers['x-library-key'];
    const deleted = ofAccounts.get(account) ?? new Map<string, JsonObject>();
    ofAccounts.set(account, deleted);
    const { 'if-match': _, 'if-none-match': __, ...headers } = request.headers;
    const { body } = await handle({ ...request, method: 'GET', body: '', headers });
    const answer = await handle(request);
    if (answer.status === 204 && isObject(body)) deleted.set(request.path, { ...body, deleted: true });
    if (request.method === 'GET' && answer.status === 404 && deleted.has(request.path))
      return { status: 200, body: deleted.get(request.path) };
    if (request.method !== 'GET' || !isObject(answer.body) || !Array.isArray(answer.body.items)) return answer;
    return { ...answer, body: { items: [...answer.body.items, ...deleted.values()] } };
  };
};

/** Reads show objects and deletions a moment after the write. */
const late = (): Instead => {
  let written = 0;
  const last = new Map<string, TestAnswer>();
  const lateMs = 200;
  return async (request, handle) => {
    const key = `${request.path}?${request.query} ${request.headers['x-library-key']}`;
    const isLate = request.method === 'GET' && clock.now() - written < lateMs;
    const answer = await handle(request);
    if (request.method !== 'GET' && answer.status < 300) written = clock.now();
    if (answer.status !== 200 && answer.status !== 404) return answer;
    const old = last.get(key) ?? { status: 404, body: { reason: 'not yet' } };
    if (isLate && request.headers['if-none-match'] === undefined)
      return /books\/b/.test(key) ? old : (last.get(key) ?? answer);
    if (request.method === 'GET') last.set(key, answer);
    return answer;
  };
};

/** A new book takes notes only when the deployment has prepared it. */
const preparing = (clock: Clock): Instead => {
  const since = new Map<string, number>();
  return async (request, handle) => {
    const [book = ''] = /^\/v2\/books\/b\d+(?=\/notes)/.exec(request.path) ?? [];
    const created = since.get(book);
    const isEarly = created !== undefined && since.size > 1 && clock.now() < created + 2_000;
    if (isEarly) return { status: 404, body: { reason: 'not yet' } };
    const answer = await handle(request);
    if (request.path === '/v2/books' && answer.status === 201) since.set(String(answer.headers?.location), clock.now());
    return answer;
  };
};

/** Settings are read from a cache that keeps each answer for a moment. */
const caching = (clock: Clock): Instead => {
  const cached = new Map<unknown, { readonly until: number; readonly answer: TestAnswer }>();
  return async (request, handle) => {
    const answer = await handle(request);
    if (request.method !== 'GET' || answer.status !== 200) return answer;
    const key = request.headers['x-library-key'];
    const known = cached.get(key);
    if (known !== undefined && known.until > clock.now()) return known.answer;
    cached.set(key, { until: clock.now() + 700, answer });
    return answer;
  };
};

const cacheClock = createTestClock();
const preparingClock = createTestClock();
const ofNotes = /^(POST \/v2\/books|.* \/v2\/books\/b\d+\/notes)/;

const change = '#/components/schemas/BookChange';
const put = '#/paths/~1books~1{bookId}/put/requestBody/content/application~1json/schema';

/** Rejects a request with the key of another one that was not answered yet. */
const rejectingInFlight = (
  keyOf: (request: TestRequest) => string | readonly string[] | undefined,
  busy: TestAnswer,
): Instead => {
  const inFlight = new Set<string>();
  return async (request, handle) => {
    const key = String(keyOf(request) ?? '');
    if (key === '') return handle(request);
    if (inFlight.has(key)) return busy;
    inFlight.add(key);
    const answer = await handle(request);
    await new Promise((resolve) => setTimeout(resolve, 20));
    inFlight.delete(key);
    return answer;
  };
};

/** Unusual servers that keep, show and delete objects as their contracts allow. */
export const storyServers: readonly FalsePositiveServer[] = [
  {
    ...{
      name: 'prepares a new object before it takes others beneath it',
      tempts: ['child-orphaned'],
      api: 'library',
      at: ofNotes,
    },
    ...{ instead: preparing(preparingClock), contract: childEdits.library, options: { clock: preparingClock } },
  },
  {
    ...{
      name: 'declares a state in which an object takes none beneath it',
      tempts: ['child-orphaned'],
      api: 'library',
      at: ofNotes,
    },
    ...{ instead: childFaults.find(({ api }) => api === 'library')?.instead as Instead },
    contract: [
      ...childEdits.library,
      { at: '#/paths/~1books~1{bookId}/get/x-state', to: { field: '/state', next: { in: ['out'] } } },
    ],
  },
  {
    name: 'names an object by its slug in the paths beneath it',
    tempts: ['child-orphaned'],
    ...{ api: 'library', at: ofNotes },
    instead: childFaults.find(({ api }) => api === 'library')?.instead as Instead,
    contract: JSON.parse(
      JSON.stringify(childEdits.library)
        .replaceAll('{bookId}~1notes', '{slug}~1notes')
        .replaceAll('"bookId"', '"slug"'),
    ),
  },
  {
    name: 'keeps deleted books with a mark',
    tempts: ['delete-kept', 'use-after-free'],
    api: 'library',
    at: /^(GET|DELETE) \/v2\/books/,
    fresh: marking,
  },
  {
    name: 'shows deleted books with a mark in one view of the list',
    tempts: ['delete-kept'],
    api: 'library',
    at: /^(GET|DELETE) \/v2\/books/,
    fresh: () =>
      listingDeleted(({ query }, books) =>
        query.get('view') === 'full' ? books.map((book) => ({ ...book, deleted: true })) : [],
      ),
  },
  {
    name: 'creates a deleted book anew by a PUT',
    tempts: ['use-after-free'],
    api: 'library',
    at: /^\w+ \/v2\/books\/b\d+$/,
    fresh: () => reviving(201),
    options: { permissions: { effects: [], readOnly: false, writes: 'all' } },
    contract: [
      { at: '#/paths/~1books~1{bookId}/put/responses/201', to: { $ref: '#/paths/~1books/post/responses/201' } },
    ],
  },
  {
    name: 'shows writes a moment later',
    tempts: ['created-missing', 'stored-differs', 'delete-kept', 'conditional'],
    api: 'library',
    at: /\/v2\/books/,
    fresh: late,
  },
  {
    ...{ name: 'shows changed settings a moment later', api: 'library', at: /^\w+ \/v2\/desk$/ },
    tempts: ['stored-differs', 'put-partial'],
    ...{ instead: caching(cacheClock), contract: settingsEdits.library },
    options: { clock: cacheClock, permissions: { effects: [], readOnly: false, writes: 'all' } },
  },
  {
    name: 'shows writes within the declared time',
    tempts: ['created-missing', 'stored-differs'],
    api: 'library',
    at: /\/v2\/books/,
    fresh: late,
    contract: ['post', 'put', 'delete'].map((method) => ({
      at: `#/paths/~1books${method === 'post' ? '' : '~1{bookId}'}/${method}/x-consistency`,
      to: 'PT1S',
    })),
  },
  {
    name: 'repeats the answer to a key, and rejects other content under it',
    tempts: ['idempotency'],
    api: 'library',
    contract: keyEdits,
  },
  {
    name: 'rejects a key in flight',
    tempts: ['idempotency'],
    api: 'library',
    at: /^POST \/v2\/books$/,
    contract: [...keyEdits, { at: '#/paths/~1books/post/responses/409', to: { description: 'In flight.' } }],
    instead: rejectingInFlight(({ headers }) => headers['idempotency-key'], { status: 409, body: { reason: 'busy' } }),
  },
  {
    name: 'rejects one of two changes',
    tempts: ['conditional'],
    api: 'library',
    contract: [{ at: '#/paths/~1books~1{bookId}/put/responses/409', to: { description: 'In flight.' } }],
    at: /^PUT \/v2\/books/,
    instead: rejectingInFlight(({ path, headers }) => headers['if-match'] && path, {
      status: 409,
      body: { reason: 'busy' },
    }),
  },
  {
    name: 'repeats the first answer to a key whatever the content is',
    tempts: ['idempotency'],
    api: 'library',
    at: /^POST \/v2\/books$/,
    contract: keyEdits,
    fresh: ignoringContent,
    inconclusive: ['idempotency'],
  },
  {
    name: 'has a PUT for some properties',
    tempts: ['put-merge', 'put-partial'],
    api: 'library',
    at: /^PUT \/v2\/books/,
    instead: storing((content, { isbn }) => ({ ...(isbn !== undefined && { isbn }), ...content })),
    contract: [
      {
        at: change,
        to: {
          type: 'object',
          required: ['title', 'pages'],
          properties: {
            title: { $ref: '#/components/schemas/NewBook/properties/title' },
            pages: { $ref: '#/components/schemas/NewBook/properties/pages' },
          },
        },
      },
      { at: put, to: { $ref: change } },
    ],
  },
  {
    name: 'deletes later, with a documented 202',
    tempts: ['delete-kept'],
    api: 'library',
    at: /^DELETE \/v2\/books/,
    instead: async (request, handle) => {
      const { status } = await handle({ ...request, method: 'GET' });
      return status === 200 ? { status: 202 } : handle(request);
    },
    contract: [{ at: '#/paths/~1books~1{bookId}/delete/responses/202', to: { description: 'Later' } }],
  },
  {
    name: 'trims titles and writes them in capitals',
    tempts: ['stored-differs', 'put-partial'],
    api: 'library',
    at: /^(POST|PUT) \/v2\/books/,
    instead: (request, handle) =>
      handle({
        ...request,
        body: request.body.replace(/"title":"((?:[^"\\]|\\.)*)"/, (_, title: string) =>
          /\\/.test(title) ? `"title":"${title}"` : `"title":"${title.toUpperCase()}"`,
        ),
      }),
  },
  {
    name: 'keeps no state, and shows an example',
    tempts: ['created-missing', 'stored-differs', 'id-collides', 'use-after-free', 'quota-unenforced'],
    api: 'library',
    contract: quotaEdits.library,
    at: /^(GET|POST|PUT|DELETE) \/v2\/books/,
    instead: async (request, handle) => {
      const isKnown = request.method === 'DELETE' && (await handle({ ...request, method: 'GET' })).status === 200;
      if (isKnown) return { status: 204 };
      const answer = await handle(request);
      if (answer.status === 201)
        return { ...answer, headers: { location: '/v2/books/b1' }, body: { ...Object(answer.body), id: 'b1' } };
      if (answer.status !== 404) return answer;
      return request.method === 'DELETE'
        ? { status: 204 }
        : handle({ ...request, path: '/v2/books/b1', method: 'GET', body: '' });
    },
  },
];
