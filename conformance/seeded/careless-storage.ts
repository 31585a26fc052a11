// How careless servers store, show, change and delete objects.
import { isObject, type JsonObject, parseJson } from '../contract/document.ts';
import type { Instead } from './faults.ts';
import type { Handler, TestAnswer, TestRequest } from './serve.ts';

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
export const fromFifth = (fault: Instead): Instead => {
  const counts = new Map<string, number>();
  return (request, handle) => {
    const count = (counts.get(request.path) ?? 0) + 1;
    counts.set(request.path, count);
    return count < 5 ? handle(request) : fault(request, handle);
  };
};

/** Answers a deletion, and keeps the object. */
export const keeping: Instead = async (request, handle) => {
  const isThere = (await handle({ ...request, method: 'GET', body: '' })).status === 200;
  return isThere ? { status: 204 } : handle(request);
};

function accountOf({ headers }: TestRequest): string {
  return String(headers['x-library-key'] ?? headers.cookie);
}

/** The path within an account. */
function keyOf(request: TestRequest): string {
  return `${accountOf(request)} ${request.path}`;
}

/** Reads of a deleted object show it. */
export const readingDeleted = (): Instead => {
  const deleted = new Map<string, TestAnswer>();
  return async (request, handle) => {
    const before = request.method === 'DELETE' ? await handle(asRead(request)) : undefined;
    const answer = await handle(request);
    if (before?.status === 200 && answer.status === 204) deleted.set(keyOf(request), before);
    return answer.status === 404 && request.method === 'GET' ? (deleted.get(keyOf(request)) ?? answer) : answer;
  };
};

/** A fault that remembers: each server has its own memory, since one fault is injected into several. */
function forEachServer(create: () => Instead): Instead {
  const known = new WeakMap<Handler, Instead>();
  return (request, handle) => {
    const own = known.get(handle) ?? create();
    known.set(handle, own);
    return own(request, handle);
  };
}

/** Lists with a value of a parameter show deleted objects too. @param select the deleted objects that an answer shows */
export const listingDeleted = (
  select: (request: TestRequest, deleted: readonly JsonObject[]) => readonly JsonObject[],
): Instead =>
  forEachServer(() => {
    const deleted = new Map<string, JsonObject>();
    return async (request, handle) => {
      const before = request.method === 'DELETE' ? await objectAt(request, handle) : undefined;
      const answer = await handle(request);
      if (before !== undefined && answer.status === 204) deleted.set(keyOf(request), before);
      if (request.method !== 'GET' || answer.status !== 200) return answer;
      const own = [...deleted].flatMap(([key, object]) => (key.startsWith(accountOf(request)) ? [object] : []));
      const added = select(request, own);
      const { items } = Object(answer.body);
      if (Array.isArray(answer.body)) return { ...answer, body: [...answer.body, ...added] };
      return Array.isArray(items)
        ? { ...answer, body: { ...Object(answer.body), items: [...items, ...added] } }
        : answer;
    };
  });

/** A change of a deleted object brings it back. @param status of the answer */
export const reviving = (status = 200): Instead =>
  forEachServer(() => {
    const deleted = new Map<string, JsonObject>();
    const revived = new Map<string, JsonObject>();
    return async (request, handle) => {
      const { method } = request;
      const path = keyOf(request);
      const [old, own] = [deleted.get(path), revived.get(path)];
      const before = method === 'DELETE' && own === undefined ? await objectAt(request, handle) : undefined;
      const answer = await handle(request);
      if (before !== undefined && answer.status === 204) deleted.set(path, before);
      if (answer.status !== 404 || (old ?? own) === undefined) return answer;
      if (method === 'PUT') revived.set(path, { ...(own ?? old), ...contentOf(request) });
      if (method === 'DELETE' && revived.delete(path)) return { status: 204 };
      const isNew = method === 'PUT' && own === undefined;
      const headers = { location: request.path };
      return revived.has(path) ? { status: isNew ? status : 200, headers, body: revived.get(path) } : answer;
    };
  });

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
export const spilling = (
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
export const partly = (repair: (content: JsonObject, before: JsonObject) => JsonObject): Instead => {
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
export const rejectingRepeats = (): Instead => {
  const last = new Map<string, string>();
  return async (request, handle) => {
    const answer = await handle(request);
    const isRepeat = answer.status === 200 && last.get(request.path) === request.body;
    last.set(request.path, request.body);
    return isRepeat ? { status: 422, body: { error: 'again' } } : answer;
  };
};

/** The second of two reads without a write between them changes the object. */
export const counting = (method: string, change: (object: JsonObject) => JsonObject): Instead => {
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
export const taggedById: Instead = async (request, handle) => {
  const tag = `"${request.path.split('/').at(-1)}"`;
  const now = (await handle(asRead(request))).headers?.etag;
  const current = Object.fromEntries(
    ['if-match', 'if-none-match'].flatMap((name) => (request.headers[name] === tag ? [[name, String(now)]] : [])),
  );
  const answer = await handle({ ...request, headers: { ...request.headers, ...current } });
  return answer.headers?.etag === undefined ? answer : { ...answer, headers: { ...answer.headers, etag: tag } };
};

/** Every tag that an object has had counts as its present one. */
export const acceptingOldTags = (condition: 'if-match' | 'if-none-match'): Instead => {
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
export const keyingByContent: Instead = (request, handle) => {
  const key = request.headers['idempotency-key'];
  const headers =
    key === undefined ? request.headers : { ...request.headers, 'idempotency-key': `${key} ${request.body}` };
  return handle({ ...request, headers });
};

export const withoutKey: Instead = (request, handle) => {
  const { 'idempotency-key': _, ...headers } = request.headers;
  return handle({ ...request, headers });
};

/** Longest time in which another request may join one that is in flight. */
const joinMs = 250;

/** Two requests in flight at the same time do not see each other's header: the second one is carried out without it. */
export const racing = (header: string, keyOf: (request: TestRequest) => string): Instead => {
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
