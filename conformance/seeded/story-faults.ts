// Faults of state: what a server stores, shows, changes and deletes.
import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject, parseJson } from '../contract/document.ts';
import { readContract } from '../contract/read-contract.ts';
import { by, type Instead, type SeededFault, withBody, withHeaders } from './faults.ts';
import type { Handler, TestAnswer, TestRequest } from './serve.ts';

import { type ContractEdit, readEdited } from './validate.ts';

type Row = Omit<SeededFault, 'api'>;

/** The same request as a read, without content and preconditions. */
function asRead(request: TestRequest, path = request.path): TestRequest {
  const { 'if-match': _, 'if-none-match': __, ...headers } = request.headers;
  return { ...request, method: 'GET', path, body: '', headers };
}

export async function objectAt(request: TestRequest, handle: Handler, path?: string): Promise<JsonObject | undefined> {
  const { status, body } = await handle(asRead(request, path));
  return status === 200 && isObject(body) ? body : undefined;
}

export function contentOf({ body }: TestRequest): JsonObject {
  const content = parseJson(body);
  return isObject(content) ? content : {};
}

/** Stores other content than an accepted change has sent. */
export const storing =
  (change: (content: JsonObject, before: JsonObject) => JsonObject): Instead =>
  async (request, handle) => {
    const before = await objectAt(request, handle);
    const answer = await handle(request);
    if (before === undefined || answer.status !== 200) return answer;
    const { 'if-match': _, ...headers } = request.headers;
    return handle({ ...request, headers, body: JSON.stringify(change(contentOf(request), before)) });
  };

/** A fault that an object has only after some changes. */
const fromFifth = (fault: Instead): Instead => {
  const counts = new Map<string, number>();
  return (request, handle) => {
    const count = (counts.get(request.path) ?? 0) + 1;
    counts.set(request.path, count);
    return count < 5 ? handle(request) : fault(request, handle);
  };
};

/** Answers a deletion, and keeps the object. */
const keeping: Instead = async (request, handle) => {
  const isThere = (await handle({ ...request, method: 'GET', body: '' })).status === 200;
  return isThere ? { status: 204 } : handle(request);
};

/** Reads of a deleted object show it. */
const readingDeleted = (): Instead => {
  const deleted = new Map<string, TestAnswer>();
  const keyOf = ({ path, headers }: TestRequest): string => `${headers['x-library-key'] ?? headers.cookie} ${path}`;
  return async (request, handle) => {
    const before = request.method === 'DELETE' ? await handle(asRead(request)) : undefined;
    const answer = await handle(request);
    if (before?.status === 200 && answer.status === 204) deleted.set(keyOf(request), before);
    return answer.status === 404 && request.method === 'GET' ? (deleted.get(keyOf(request)) ?? answer) : answer;
  };
};

/** Each create gives the id of the first object as long as it is there. */
export const colliding = (): Instead => {
  let first: unknown;
  return async (request, handle) => {
    const path = `${request.path}/${first}`;
    if (first !== undefined && (await objectAt(request, handle, path)) !== undefined) {
      const created = await handle({ ...request, method: 'PUT', path });
      return created.status === 200 ? { ...created, status: 201, headers: { location: path } } : created;
    }
    const answer = await handle(request);
    if (answer.status === 201 && isObject(answer.body)) first = answer.body.id;
    return answer;
  };
};

/** A change of one object changes another that was created. */
const spilling = (
  collection: string,
  id: string,
  change: (from: JsonObject, other: JsonObject) => JsonObject,
): Instead => {
  return async (request, handle) => {
    const answer = await handle(request);
    if (answer.status !== 200) return answer;
    const { body } = await handle(asRead(request, collection));
    const items = isObject(body) ? body.items : body;
    const others = (Array.isArray(items) ? items : []).slice(firstItems(collection));
    for (const other of others) {
      const path = `${collection}/${other[id]}`;
      const { 'if-match': _, ...headers } = request.headers;
      if (path !== request.path)
        await handle({ ...request, path, headers, body: JSON.stringify(change(contentOf(request), other)) });
    }
    return answer;
  };
};

/** Items that are there before the run. */
const firstItems = (collection: string): number => (collection.includes('depots') ? 1 : 2);

/** A rejected change stores the members that are valid. */
const partly = (repair: (content: JsonObject, before: JsonObject) => JsonObject): Instead => {
  return async (request, handle) => {
    const answer = await handle(request);
    const before = answer.status === 400 || answer.status === 422 ? await objectAt(request, handle) : undefined;
    if (before !== undefined && isObject(parseJson(request.body)))
      await handle({ ...request, body: JSON.stringify(repair(contentOf(request), before)) });
    return answer;
  };
};

/** The second of two equal changes stores something else. */
export const drifting = (change: (content: JsonObject) => JsonObject): Instead => {
  const last = new Map<string, string>();
  return (request, handle) => {
    const isSame = last.get(request.path) === request.body;
    last.set(request.path, isSame ? '' : request.body);
    return handle(isSame ? { ...request, body: JSON.stringify(change(contentOf(request))) } : request);
  };
};

/** Rejects a change that equals the one before it. */
const rejectingRepeats = (): Instead => {
  const last = new Map<string, string>();
  return async (request, handle) => {
    const answer = await handle(request);
    const isRepeat = answer.status === 200 && last.get(request.path) === request.body;
    last.set(request.path, request.body);
    return isRepeat ? { status: 422, body: { error: 'again' } } : answer;
  };
};

/** The second of two reads without a write between them changes the object. */
const counting = (method: string, change: (object: JsonObject) => JsonObject): Instead => {
  const reads = new Map<string, number>();
  return async (request, handle) => {
    const answer = await handle(request);
    const count = request.method === 'GET' ? (reads.get(request.path) ?? 0) + 1 : 0;
    if (answer.status === 200 || count === 0) reads.set(request.path, count);
    if (answer.status === 200 && count === 2) {
      const headers = {
        ...request.headers,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      };
      await handle({ ...request, method, headers, body: JSON.stringify(change(Object(answer.body))) });
    }
    return answer;
  };
};

/** The tag of an object is its id, and never changes. */
const taggedById: Instead = async (request, handle) => {
  const tag = `"${request.path.split('/').at(-1)}"`;
  const now = (await handle(asRead(request))).headers?.etag;
  const current = Object.fromEntries(
    ['if-match', 'if-none-match'].flatMap((name) => (request.headers[name] === tag ? [[name, String(now)]] : [])),
  );
  const answer = await handle({ ...request, headers: { ...request.headers, ...current } });
  return answer.headers?.etag === undefined ? answer : { ...answer, headers: { ...answer.headers, etag: tag } };
};

/** Every tag that an object has had counts as its present one. */
const acceptingOldTags = (condition: 'if-match' | 'if-none-match'): Instead => {
  const tags = new Map<string, Set<unknown>>();
  return async (request, handle) => {
    const known = tags.get(request.path) ?? new Set();
    tags.set(request.path, known);
    const { [condition]: given, ...headers } = request.headers;
    const isOld = given !== undefined && known.has(given);
    const answer = await handle(isOld ? { ...request, headers } : request);
    if (answer.headers?.etag !== undefined) known.add(answer.headers.etag);
    const isCached = isOld && condition === 'if-none-match' && answer.status === 200;
    return isCached ? { status: 304, headers: { etag: answer.headers?.etag ?? '' } } : answer;
  };
};

/** Answers a known key with the object that it created, whatever the content is. */
export const ignoringContent = (): Instead => {
  const bodies = new Map<unknown, string>();
  return (request, handle) => {
    const key = request.headers['idempotency-key'];
    const body = key === undefined ? request.body : (bodies.get(key) ?? request.body);
    bodies.set(key, body);
    return handle({ ...request, body });
  };
};

/** Stores answers by key and content: other content is another request. */
const keyingByContent: Instead = (request, handle) => {
  const key = request.headers['idempotency-key'];
  const headers =
    key === undefined ? request.headers : { ...request.headers, 'idempotency-key': `${key} ${request.body}` };
  return handle({ ...request, headers });
};

const withoutKey: Instead = (request, handle) => {
  const { 'idempotency-key': _, ...headers } = request.headers;
  return handle({ ...request, headers });
};

/** The contract of the library with its keys for creates, and with PUT declared idempotent. */
/** Longest time in which another request may join one that is in flight. */
const joinMs = 250;

/** Two requests in flight at the same time do not see each other's header: the second one is carried out without it. */
const racing = (header: string, keyOf: (request: TestRequest) => string): Instead => {
  const inFlight = new Map<string, () => void>();
  return async (request, handle) => {
    const key = keyOf(request);
    if (request.headers[header] === undefined) return handle(request);
    const joined = inFlight.get(key);
    if (joined !== undefined) {
      const { [header]: _, ...headers } = request.headers;
      joined();
      return handle({ ...request, headers });
    }
    const isJoined = new Promise<void>((resolve) => inFlight.set(key, resolve));
    const answer = await handle(request);
    await Promise.race([isJoined, new Promise((resolve) => setTimeout(resolve, joinMs))]);
    inFlight.delete(key);
    return answer;
  };
};

export const keyEdits: readonly ContractEdit[] = [
  { at: '#/paths/~1books/post/x-idempotency', to: { header: 'Idempotency-Key', keep: 'PT24H' } },
  {
    at: '#/paths/~1books/post/parameters',
    to: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }],
  },
  { at: '#/paths/~1books~1{bookId}/put/x-idempotency', to: 'natural' },
];

const withEdits = (api: 'library' | 'depot', edits: readonly ContractEdit[]) => () =>
  readContract(
    `${api}.json`,
    JSON.stringify(readEdited(fileURLToPath(new URL(`../fixtures/${api}.yaml`, import.meta.url)), edits)),
  );

const pages = '#/components/schemas/NewBook/properties/pages';
const isbn = '#/components/schemas/NewBook/properties/isbn';
const [add, change, item] = [/^POST \/v2\/books$/, /^PUT \/v2\/books\/b\d+$/, /^(GET|DELETE) \/v2\/books\/b\d+$/];
const book = '#/paths/~1books~1{bookId}';

/** The properties that a client of the library sets. */
const ofBook = ({ title, pages: count, isbn: number }: JsonObject): JsonObject => ({
  title,
  pages: count,
  ...(number !== undefined && { isbn: number }),
});

const library: readonly Row[] = [
  {
    ...{ name: 'the list hides the last book', at: /^GET \/v2\/books$/ },
    change: (answer, request) => {
      const { items } = Object(answer.body);
      const cut = withBody((body) => ({ ...body, items: items.slice(0, -1) }));
      return withHeaders({ 'x-total': String(Math.max(0, items.length - 1)) })(cut(answer, request), request);
    },
    caughtBy: by('created-missing', 'listBooks', '#/paths/~1books/get', 'list'),
  },
  {
    ...{ name: 'a create stores at most 100 pages', at: add },
    instead: (request, handle) => {
      const content = contentOf(request);
      const isLong = Number.isInteger(content.pages) && Number(content.pages) > 100 && Number(content.pages) <= 10_000;
      return handle(isLong ? { ...request, body: JSON.stringify({ ...content, pages: 100 }) } : request);
    },
    caughtBy: by('stored-differs', 'addBook', pages, 'stored'),
  },
  {
    ...{ name: 'a change is answered with other pages', at: change },
    change: withBody((body) => ({ ...body, pages: 1 })),
    caughtBy: by('answer-differs', 'replaceBook', pages, 'answer'),
  },
  {
    ...{ name: 'a PUT keeps the pages', at: change },
    instead: storing((content, before) => ({ ...content, pages: before.pages })),
    caughtBy: by('put-partial', 'replaceBook', pages, 'kept'),
  },
  {
    ...{ name: 'the fifth PUT keeps the pages', at: change },
    instead: fromFifth(storing((content, before) => ({ ...content, pages: before.pages }))),
    caughtBy: by('put-partial', 'replaceBook', pages, 'kept'),
  },
  {
    ...{ name: 'a PUT keeps the number that it leaves out', at: change },
    instead: storing((content, before) => ({ ...(before.isbn !== undefined && { isbn: before.isbn }), ...content })),
    caughtBy: by('put-merge', 'replaceBook', isbn, 'left out'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a book is kept', at: /^DELETE/ },
    instead: keeping,
    caughtBy: by('delete-kept', 'removeBook', `${book}/delete`, 'deleted'),
  },
  {
    ...{ name: 'a deleted book can be read', at: item },
    instead: readingDeleted(),
    caughtBy: by('use-after-free', 'readBook', `${book}/get`, 'deleted'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a repeated PUT counts the pages again', at: change },
    instead: drifting((content) => ({ ...content, pages: Number(content.pages) - 1 })),
    caughtBy: by('put-repeat', 'replaceBook', pages, 'repeated'),
  },
  {
    ...{ name: 'a PUT sets the pages of all new books', at: change },
    instead: spilling('/v2/books', 'id', (content, other) => ({ ...ofBook(other), pages: content.pages })),
    caughtBy: by('write-spills', 'replaceBook', pages, 'other'),
  },
  {
    ...{ name: 'a create replaces the book that was created first', at: add },
    instead: colliding(),
    caughtBy: by('id-collides', 'addBook', '#/paths/~1books/post', 'id'),
  },
  {
    ...{ name: 'a rejected PUT stores the pages', at: change },
    instead: partly((content, before) => ({ ...ofBook(before), pages: content.pages })),
    caughtBy: by('failed-write-left-trace', 'replaceBook', pages, 'changed'),
  },
  {
    ...{ name: 'a read counts the pages up', at: /^(GET|PUT|DELETE) \/v2\/books\/b\d+$/ },
    instead: counting('PUT', (object) => ({ ...ofBook(object), pages: Number(object.pages) + 1 })),
    caughtBy: by('read-writes', 'readBook', pages, 'read'),
  },
  {
    ...{ name: 'the tag of a book is its id', at: /^(GET|PUT|DELETE) \/v2\/books\/b\d+$/ },
    instead: taggedById,
    caughtBy: by('conditional', 'readBook', `${book}/get`, 'same-tag'),
  },
  {
    ...{ name: 'an old tag allows a PUT', at: /^(GET|PUT) \/v2\/books\/b\d+$/ },
    instead: acceptingOldTags('if-match'),
    caughtBy: by('conditional', 'replaceBook', `${book}/put`, 'lost-update'),
  },
  {
    ...{ name: 'a create ignores its key', at: add, instead: withoutKey },
    ...{ edits: keyEdits, amend: withEdits('library', keyEdits) },
    caughtBy: by('idempotency', 'addBook', '#/paths/~1books/post/x-idempotency', 'other answer'),
  },
  {
    ...{ name: 'a create forgets a key in flight', at: add },
    ...{ edits: keyEdits, amend: withEdits('library', keyEdits), options: { workers: 2 } },
    instead: racing('idempotency-key', ({ headers }) => String(headers['idempotency-key'])),
    caughtBy: by('idempotency', 'addBook', '#/paths/~1books/post/x-idempotency', 'at once'),
  },
  {
    ...{ name: 'a PUT in flight hides If-Match of another', at: change, options: { workers: 2 } },
    instead: racing('if-match', ({ path }) => path),
    caughtBy: by('conditional', 'replaceBook', `${book}/put`, 'lost-at-once'),
  },
  {
    ...{ name: 'a create gives the first answer to other content under a key', at: add, instead: ignoringContent() },
    ...{ edits: keyEdits, amend: withEdits('library', keyEdits) },
    caughtBy: by('idempotency', 'addBook', '#/paths/~1books/post/x-idempotency', 'other content'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a create accepts other content under a key', at: add, instead: keyingByContent },
    ...{ edits: keyEdits, amend: withEdits('library', keyEdits) },
    caughtBy: by('idempotency', 'addBook', '#/paths/~1books/post/x-idempotency', 'other content'),
  },
];

const parcel = '#/paths/~1depots~1{depot_id}~1parcels~1{parcel_id}';
const grams = (schema: string): string => `#/components/schemas/${schema}/properties/grams`;
const [addParcel, changeParcel] = [/^POST \/api\/depots\/[^/]+\/parcels$/, /^PATCH \/api\/depots\/.*parcels\/\d+$/];

const depot: readonly Row[] = [
  {
    ...{ name: 'a deletion takes the next parcel too', at: /^DELETE .*parcels\/\d+$/ },
    instead: async (request, handle) => {
      const answer = await handle(request);
      const { 'if-match': _, ...headers } = request.headers;
      const path = request.path.replace(/\d+$/, (digits) => String(Number(digits) + 1));
      if (answer.status === 204) await handle({ ...request, headers, path });
      return answer;
    },
    caughtBy: by('write-spills', 'removeParcel', `${parcel}/delete`, 'other'),
  },
  {
    ...{ name: 'a patch in flight hides If-Match of another', at: changeParcel, options: { workers: 2 } },
    instead: racing('if-match', ({ path }) => path),
    caughtBy: by('conditional', 'changeParcel', `${parcel}/patch`, 'lost-at-once'),
  },
  {
    ...{ name: 'a new parcel cannot be read', at: /^GET .*parcels\/(100[4-9]|10[1-9]\d)$/ },
    instead: () => ({ status: 404, body: { error: 'not-here' } }),
    caughtBy: by('created-missing', 'readParcel', `${parcel}/get`, 'read'),
  },
  {
    ...{ name: 'a patch stores other grams', at: changeParcel },
    instead: storing((content) => ({ ...content, ...(Number(content.grams) > 2 && { grams: 2 }) })),
    caughtBy: by('stored-differs', 'changeParcel', grams('ParcelChange'), 'stored'),
  },
  {
    ...{ name: 'a create is answered with other grams', at: addParcel },
    change: withBody((body) => ({ ...body, grams: 30_000 })),
    caughtBy: by('answer-differs', 'addParcel', grams('NewParcel'), 'answer'),
  },
  {
    ...{ name: 'a patch removes the note', at: changeParcel },
    instead: storing((content) => ({ note: null, ...content })),
    caughtBy: by('patch-spills', 'changeParcel', '#/components/schemas/ParcelChange/properties/note', 'unsent'),
  },
  {
    ...{ name: 'the fifth patch removes the note', at: changeParcel },
    instead: fromFifth(storing((content) => ({ note: null, ...content }))),
    caughtBy: by('patch-spills', 'changeParcel', '#/components/schemas/ParcelChange/properties/note', 'unsent'),
  },
  {
    ...{ name: 'a patch keeps a member that is null', at: changeParcel },
    instead: (request, handle) => handle({ ...request, body: request.body.replace(/,?"note":null/, '') }),
    caughtBy: by('patch-spills', 'changeParcel', '#/components/schemas/ParcelChange/properties/note', 'null'),
  },
  {
    ...{ name: 'a parcel is kept', at: /^DELETE/ },
    instead: keeping,
    caughtBy: by('delete-kept', 'removeParcel', `${parcel}/delete`, 'deleted'),
  },
  {
    ...{ name: 'a deleted parcel can be read', at: /^(GET|DELETE) .*parcels\/\d+$/ },
    instead: readingDeleted(),
    caughtBy: by('use-after-free', 'readParcel', `${parcel}/get`, 'deleted'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a patch sets the grams of all new parcels', at: /^PATCH \/api\/depots\/d-11\/parcels\/\d+$/ },
    instead: spilling('/api/depots/d-11/parcels', 'parcel_id', (content) => ({ grams: content.grams })),
    caughtBy: by('write-spills', 'changeParcel', grams('ParcelChange'), 'other'),
  },
  {
    ...{ name: 'a rejected patch stores the note', at: changeParcel },
    instead: partly(({ note }) => ({ note })),
    caughtBy: by(
      'failed-write-left-trace',
      'changeParcel',
      '#/components/schemas/ParcelChange/properties/note',
      'changed',
    ),
  },
  {
    ...{ name: 'a read counts the grams up', at: /^(GET|PATCH|DELETE) .*parcels\/\d+$/ },
    instead: counting('PATCH', (object) => ({ grams: Number(object.grams) + 1 })),
    caughtBy: by('read-writes', 'readParcel', grams('ParcelChange'), 'read'),
  },
  {
    ...{ name: 'the tag of a parcel is its id', at: /^(GET|PATCH|DELETE) .*parcels\/\d+$/ },
    instead: taggedById,
    caughtBy: by('conditional', 'readParcel', `${parcel}/get`, 'same-tag'),
  },
  {
    ...{ name: 'a read with an old tag is answered 304', at: /^GET .*parcels\/\d+$/ },
    instead: acceptingOldTags('if-none-match'),
    caughtBy: by('conditional', 'readParcel', `${parcel}/get`, 'stale-304'),
  },
  {
    ...{ name: 'a repeated patch is rejected', at: changeParcel, instead: rejectingRepeats() },
    amend: withEdits('depot', [{ at: `${parcel}/patch/x-idempotency`, to: 'natural' }]),
    caughtBy: by('idempotency', 'changeParcel', `${parcel}/patch/x-idempotency`, 'rejected'),
  },
];

export const storyFaults: readonly SeededFault[] = [
  ...library.map((row) => ({ ...row, api: 'library' as const })),
  ...depot.map((row) => ({ ...row, api: 'depot' as const })),
];
