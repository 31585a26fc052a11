// Servers that store, count, order and show objects in ways that no contract forbids.
import { isObject, type JsonObject } from '../contract/document.ts';
import type { Clock } from '../execute/clock.ts';
import { createTestClock } from '../seeded/apis.ts';
import { contentOf, objectAt } from '../seeded/careless-storage.ts';
import type { Instead } from '../seeded/faults.ts';
import type { TestAnswer } from '../seeded/serve.ts';
import type { ContractEdit } from '../seeded/validate.ts';
import type { FalsePositiveServer } from './servers.ts';

/** Further members of a book, which clients may send and reads show. */
function withMembers(members: Readonly<Record<string, JsonObject>>, required: readonly string[] = []): ContractEdit[] {
  const names = Object.entries(members);
  return [
    ...names.map(([name, to]) => ({ at: `#/components/schemas/NewBook/properties/${name}`, to })),
    ...names.map(([name, to]) => ({ at: `#/components/schemas/Book/allOf/0/properties/${name}`, to })),
    { at: '#/components/schemas/NewBook/required', to: ['title', 'pages', ...required] },
  ];
}

/** Stores other content than an accepted write has sent. @param before the stored book; undefined for a create */
const storedAs =
  (change: (content: JsonObject, before: JsonObject | undefined) => JsonObject): Instead =>
  async (request, handle) => {
    const before = request.method === 'PUT' ? await objectAt(request, handle) : undefined;
    const answer = await handle(request);
    const { id } = Object(answer.body);
    if (answer.status > 201 || id === undefined) return answer;
    const { 'if-match': _, 'if-none-match': __, 'idempotency-key': ___, ...headers } = request.headers;
    const body = JSON.stringify(change(contentOf(request), before));
    const stored = await handle({ ...request, method: 'PUT', path: `/v2/books/${id}`, headers, body });
    return { ...answer, body: stored.body };
  };

const itemsOf = ({ body }: TestAnswer): readonly JsonObject[] =>
  isObject(body) && Array.isArray(body.items) ? body.items : [];

/** Changes the list of books. */
const listing =
  (change: (items: readonly JsonObject[]) => readonly JsonObject[]) =>
  (answer: TestAnswer): TestAnswer => {
    if (!isObject(answer.body) || !Array.isArray(answer.body.items)) return answer;
    const items = change(itemsOf(answer));
    return { ...answer, headers: { ...answer.headers, 'x-total': String(items.length) }, body: { items } };
  };

/** The content that replaces a book. */
const contentOfBook = ({ id: _, state: __, mood: ___, added: ____, lastLoan: _____, ...content }: JsonObject) =>
  content;

/** Each write makes one more rank free. */
const ranking = (): Instead => {
  let last = 1;
  return storedAs((content) => {
    last += 1;
    return { ...content, rank: Math.min(Number(content.rank), 1 + (last % 4)) };
  });
};

/** A write to one book changes others, as their rules require. */
const adjusting =
  (adjust: (other: JsonObject, written: JsonObject) => JsonObject): Instead =>
  async (request, handle) => {
    const answer = await handle(request);
    const written = answer.body;
    if (answer.status > 201 || !isObject(written) || written.id === undefined) return answer;
    const { 'if-match': _, 'if-none-match': __, 'idempotency-key': ___, ...headers } = request.headers;
    const list = await handle({ ...request, method: 'GET', path: '/v2/books', headers, body: '' });
    for (const other of itemsOf(list).filter(({ id }) => id !== written.id)) {
      const body = JSON.stringify(contentOfBook(adjust(other, written)));
      await handle({ ...request, method: 'PUT', path: `/v2/books/${other.id}`, headers, body });
    }
    return answer;
  };

/** Another client adds two books each time the list is read. */
const busy: Instead = async (request, handle) => {
  const { 'if-match': _, 'if-none-match': __, ...headers } = { ...request.headers, 'content-type': 'application/json' };
  for (const title of ['Theirs', 'Also theirs'])
    await handle({ ...request, method: 'POST', headers, body: JSON.stringify({ title, pages: 90, genre: 'fantasy' }) });
  return handle(request);
};

/** Lists show a book three seconds after it was added. */
const indexing = (clock: Clock): Instead => {
  const seen = new Map<unknown, number>();
  return async (request, handle) => {
    const answer = await handle(request);
    const now = clock.now();
    if (request.method === 'POST' && answer.status === 201) seen.set(Object(answer.body).id, now);
    return listing((items) => items.filter(({ id }) => now - (seen.get(id) ?? Number.NEGATIVE_INFINITY) > 3_000))(
      answer,
    );
  };
};

/** A cache keeps each list for a minute. */
const caching = (clock: Clock): Instead => {
  const kept = new Map<string, { readonly at: number; readonly answer: TestAnswer }>();
  return async (request, handle) => {
    const key = `${request.query} ${request.headers['x-library-key']}`;
    const known = kept.get(key);
    const age = 1 + Math.floor((clock.now() - (known?.at ?? 0)) / 1_000);
    if (known !== undefined && age < 60)
      return { ...known.answer, headers: { ...known.answer.headers, age: String(age), 'cache-control': 'max-age=60' } };
    const answer = await handle(request);
    if (answer.status === 200) kept.set(key, { at: clock.now(), answer });
    return answer;
  };
};

/** Gives the book with the sent number if there is one, with its new content. */
const byNumber = (): Instead => {
  const ids = new Map<unknown, unknown>();
  return async (request, handle) => {
    const { isbn } = contentOf(request);
    const key = `${isbn} ${request.headers['x-library-key']}`;
    const path = `/v2/books/${ids.get(key)}`;
    const { 'if-match': _, 'if-none-match': __, ...headers } = request.headers;
    const known = ids.has(key) ? await handle({ ...request, method: 'PUT', path, headers }) : undefined;
    if (known?.status === 200) return known;
    const answer = await handle(request);
    if (answer.status === 201 && isbn !== undefined) ids.set(key, Object(answer.body).id);
    return answer;
  };
};

/** A create removes the book that was created before. */
const keepingLast = (): Instead => {
  const last = new Map<unknown, string>();
  return async (request, handle) => {
    const answer = await handle(request);
    const key = request.headers['x-library-key'];
    const { 'if-match': _, 'if-none-match': __, ...headers } = request.headers;
    const path = last.get(key);
    if (answer.status !== 201) return answer;
    if (path !== undefined) await handle({ ...request, method: 'DELETE', path, headers, body: '' });
    last.set(key, `/v2/books/${Object(answer.body).id}`);
    return answer;
  };
};

/** Deleted books are in no list, and can still be read. */
const keepingInTrash = (): Instead => {
  const deleted = new Map<string, TestAnswer>();
  const keyOf = (path: string, key: unknown): string => `${path} ${key}`;
  return async (request, handle) => {
    const key = keyOf(request.path, request.headers['x-library-key']);
    const { 'if-match': _, 'if-none-match': __, ...headers } = request.headers;
    const before = await handle({ ...request, method: 'GET', headers, body: '' });
    const answer = await handle(request);
    if (request.method === 'DELETE' && answer.status === 204) deleted.set(key, before);
    return request.method === 'GET' && answer.status === 404 ? (deleted.get(key) ?? answer) : answer;
  };
};

/** The waits of other runs do not move it. */
const ownClock = createTestClock();

const writes = /^(POST|PUT) \/v2\/books/;
const lists = /^GET \/v2\/books(\?|$)/;
const text = { type: 'string' };
const integer = { type: 'integer' };

const rows: readonly Omit<FalsePositiveServer, 'api' | 'options'>[] = [
  {
    ...{ name: 'writes durations in hours', at: writes, tempts: ['stored-differs', 'put-partial'] },
    contract: withMembers({ lent: { ...text, pattern: '^PT[0-9]+[HM]$', example: 'PT60M' } }, ['lent']),
    instead: storedAs((content) => ({ ...content, lent: String(content.lent).replace('PT60M', 'PT1H') })),
  },
  {
    ...{ name: 'has one spelling of its own for each colour', at: writes, tempts: ['stored-differs', 'put-partial'] },
    contract: withMembers({ colour: { ...text, pattern: '^#[0-9a-f]{3}$|^[a-z]{3,9}$', example: 'red' } }, ['colour']),
    instead: storedAs((content) => ({ ...content, colour: content.colour === 'red' ? '#f00' : content.colour })),
    inconclusive: ['stored-differs'],
  },
  {
    ...{ name: 'keeps tags as a set', at: writes, tempts: ['stored-differs'] },
    contract: withMembers(
      { tags: { type: 'array', items: { ...text, enum: ['old', 'red'] }, example: ['red', 'red', 'old'] } },
      ['tags'],
    ),
    instead: storedAs(({ tags, ...content }) => ({ ...content, tags: [...new Set(tags as string[])].sort() })),
  },
  {
    ...{ name: 'moves a book to the next free rank', at: writes, tempts: ['stored-differs', 'put-partial'] },
    contract: withMembers({ rank: { ...integer, minimum: 1 } }, ['rank']),
    fresh: ranking,
    // The next free rank may be the old one by chance.
    inconclusive: ['stored-differs', 'put-partial'],
  },
  {
    name: 'counts changes in a member that clients may send',
    ...{ at: writes, tempts: ['put-repeat', 'answer-differs', 'stored-differs'] },
    contract: withMembers({ version: integer, updatedAt: { ...text, format: 'date-time' } }, ['version', 'updatedAt']),
    instead: storedAs((content, before) => ({
      ...content,
      version: Number(before?.version ?? 0) + 1,
      updatedAt: new Date().toISOString(),
    })),
  },
  {
    ...{ name: 'completes a new book a moment later', at: /\/v2\/books/, tempts: ['answer-differs', 'read-writes'] },
    contract: withMembers({ shelved: { ...text, enum: ['waiting', 'done'] } }, ['shelved']),
    change: (answer, { method }) => {
      const shown = (book: JsonObject): JsonObject => ({ ...book, shelved: method === 'GET' ? 'done' : 'waiting' });
      const isBook = isObject(answer.body) && answer.body.shelved !== undefined;
      return isBook ? { ...answer, body: shown(Object(answer.body)) } : listing((items) => items.map(shown))(answer);
    },
    inconclusive: ['stored-differs'],
  },
  {
    ...{ name: 'has one book of the month', at: writes, tempts: ['write-spills'] },
    contract: withMembers({ isFirst: { type: 'boolean' } }, ['isFirst']),
    instead: adjusting((other, { isFirst }) => ({ ...other, isFirst: isFirst === true ? false : other.isFirst })),
    inconclusive: ['write-spills'],
  },
  {
    ...{ name: 'moves other books down for one', at: writes, tempts: ['write-spills'] },
    contract: withMembers({ place: { ...integer, minimum: 1, maximum: 1_000_000 } }, ['place']),
    instead: adjusting((other, { place }) => ({
      ...other,
      place: Number(other.place ?? 1) + (Number(other.place ?? 1) >= Number(place) ? 1 : 0),
    })),
    inconclusive: ['write-spills'],
  },
  {
    ...{
      name: 'lists no archived book',
      at: lists,
      tempts: ['put-repeat', 'failed-write-left-trace', 'created-missing'],
    },
    contract: withMembers({ archived: { type: 'boolean' } }),
    change: listing((items) => items.filter(({ archived }) => archived !== true)),
    inconclusive: ['created-missing'],
  },
  {
    ...{ name: 'has other clients at the same time', at: lists, tempts: ['put-repeat', 'failed-write-left-trace'] },
    contract: withMembers({ genre: { ...text, enum: ['fantasy', 'science'] } }),
    instead: busy,
  },
  {
    name: 'lists new books after three seconds',
    at: /\/v2\/books$/,
    tempts: ['created-missing'],
    instead: indexing(ownClock),
  },
  {
    name: 'lists books from a cache',
    at: lists,
    tempts: ['delete-kept', 'created-missing'],
    instead: caching(ownClock),
  },
  {
    ...{ name: 'has one book of each number', at: /^POST \/v2\/books$/, tempts: ['id-collides'], fresh: byNumber },
    contract: [
      {
        at: '#/paths/~1books/post/responses/200',
        to: {
          description: 'A book that was there',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } },
        },
      },
    ],
    inconclusive: ['id-collides'],
  },
  {
    ...{ name: 'keeps deleted books in a trash', at: /^(GET|DELETE) \/v2\/books\/b\d+$/ },
    ...{ tempts: ['use-after-free', 'delete-kept'], fresh: keepingInTrash, inconclusive: ['use-after-free'] },
  },
  {
    ...{ name: 'has a weak tag that stays', at: /^GET \/v2\/books\/b\d+$/, tempts: ['conditional'] },
    change: (answer, { path }) => ({
      ...answer,
      headers: { ...answer.headers, etag: `W/"${path.split('/').at(-1)}"` },
    }),
  },
  {
    ...{ name: 'counts the reads of a book', at: /^GET \/v2\/books/, tempts: ['read-writes', 'conditional'] },
    contract: [{ at: '#/components/schemas/Book/allOf/1/properties/reads', to: integer }],
    change: (answer, _, count) =>
      isObject(answer.body) && answer.body.id !== undefined
        ? { ...answer, body: { ...answer.body, reads: count } }
        : answer,
  },
  {
    ...{ name: 'accepts any text for a kind, and shows a kind of its own', at: writes },
    tempts: ['stored-differs', 'put-partial'],
    contract: [
      ...withMembers({ kind: { ...text, maxLength: 60 } }, ['kind']),
      { at: '#/components/schemas/Book/allOf/0/properties/kind', to: { ...text, enum: ['novel', 'play'] } },
    ],
    instead: storedAs((content) => ({ ...content, kind: 'novel' })),
  },
  {
    ...{ name: 'computes a member from others', at: writes, tempts: ['stored-differs', 'put-partial'] },
    contract: withMembers({ weight: { type: 'number' } }),
    instead: storedAs((content) => ({ ...content, weight: Number(content.pages) * 5 })),
    inconclusive: ['stored-differs', 'put-partial', 'put-merge'],
  },
  {
    ...{ name: 'makes a changed book a draft again', at: writes, tempts: ['stored-differs', 'patch-spills'] },
    contract: withMembers({ status: { ...text, enum: ['public', 'draft'] } }, ['status']),
    instead: storedAs((content, before) => ({
      ...content,
      ...(before?.title !== content.title && { status: 'draft' }),
    })),
    inconclusive: ['stored-differs', 'put-partial', 'answer-differs'],
  },
  {
    ...{ name: 'keeps only its last book', at: /^POST \/v2\/books$/, tempts: ['write-spills', 'created-missing'] },
    fresh: keepingLast,
    inconclusive: ['write-spills'],
  },
  {
    ...{ name: 'fills in an undeclared default again', at: writes, tempts: ['put-merge', 'put-partial'] },
    contract: withMembers({ currency: { ...text, enum: ['EUR', 'USD'] } }),
    instead: storedAs((content) => ({ currency: 'EUR', ...content })),
    inconclusive: ['put-merge'],
  },
];

/** Counts the changes of each parcel in a member that clients may send. */
const counting = (): Instead => {
  const counts = new Map<unknown, number>();
  return async (request, handle) => {
    const answer = await handle(request);
    const { parcel_id: id } = Object(answer.body);
    if (answer.status > 201 || id === undefined) return answer;
    if (request.method !== 'GET') counts.set(id, (counts.get(id) ?? 0) + 1);
    return { ...answer, body: { ...Object(answer.body), revision: counts.get(id) ?? 1 } };
  };
};

const ofParcels: Omit<FalsePositiveServer, 'api' | 'options'> = {
  name: 'counts the changes of a parcel in a member that clients may send',
  ...{ at: /^(GET|POST|PATCH) .*parcels/, tempts: ['patch-spills', 'answer-differs'] },
  contract: ['NewParcel', 'ParcelChange', 'Parcel'].map((schema) => ({
    at: `#/components/schemas/${schema}/properties/revision`,
    to: integer,
  })),
  fresh: counting,
};

/** Carries out the operations of a JSON Patch, which the depot itself stores as a member `0`. */
const patching = (): Instead => {
  const notes = new Map<unknown, unknown>();
  const shown = ({ 0: _, ...parcel }: JsonObject): JsonObject => {
    const note = notes.get(parcel.parcel_id);
    return note === undefined ? parcel : { ...parcel, note };
  };
  return async (request, handle) => {
    const answer = await handle(request);
    const { body } = answer;
    if (answer.status !== 200) return answer;
    if (Array.isArray(body)) return { ...answer, body: body.map(shown) };
    const [operation] = request.method === 'PATCH' ? (JSON.parse(request.body) as JsonObject[]) : [];
    const parcel: JsonObject = Object(body);
    if (operation !== undefined) notes.set(parcel.parcel_id, operation.value);
    return { ...answer, body: shown(parcel) };
  };
};

/** A parcel is changed by the operations of a JSON Patch. */
const byOperations: Omit<FalsePositiveServer, 'api' | 'options'> = {
  ...{ name: 'changes a parcel by JSON Patch', at: /^(GET|PATCH) .*parcels/ },
  tempts: ['patch-spills', 'stored-differs'],
  contract: [
    {
      at: '#/paths/~1depots~1{depot_id}~1parcels~1{parcel_id}/patch/requestBody/content',
      to: {
        'application/json-patch+json': {
          schema: {
            ...{ type: 'array', minItems: 1, maxItems: 1 },
            items: {
              ...{ type: 'object', required: ['op', 'path', 'value'] },
              properties: {
                ...{ op: { ...text, enum: ['replace'] }, path: { ...text, enum: ['/note'] } },
                value: { ...text, maxLength: 60 },
              },
            },
          },
        },
      },
    },
  ],
  fresh: patching,
};

export const objectServers: readonly FalsePositiveServer[] = [
  ...rows.map((row) => ({ ...row, api: 'library' as const })),
  ...[ofParcels, byOperations].map((row) => ({ ...row, api: 'depot' as const })),
].map((row) => ({ ...row, options: { phases: ['baseline', 'story'] as const, clock: ownClock } }));
