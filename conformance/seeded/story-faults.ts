// Faults of state: what a server stores, shows, changes and deletes.
import type { JsonObject } from '../contract/document.ts';
import { withEdits } from './apis.ts';
import {
  acceptingOldTags,
  colliding,
  contentOf,
  counting,
  drifting,
  fromFifth,
  ignoringContent,
  keeping,
  keyingByContent,
  listingDeleted,
  partly,
  racing,
  readingDeleted,
  rejectingRepeats,
  reviving,
  spilling,
  storing,
  taggedById,
  withoutKey,
} from './careless-storage.ts';
import { by, type SeededFault, withBody, withHeaders } from './faults.ts';
import type { ContractEdit } from './validate.ts';

type Row = Omit<SeededFault, 'api'>;

/** The contract of the library with its keys for creates, and with PUT declared idempotent. */
export const keyEdits: readonly ContractEdit[] = [
  { at: '#/paths/~1books/post/x-idempotency', to: { header: 'Idempotency-Key', keep: 'PT24H' } },
  {
    at: '#/paths/~1books/post/parameters',
    to: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }],
  },
  { at: '#/paths/~1books~1{bookId}/put/x-idempotency', to: 'natural' },
];

const marks = { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 20 } };

/** The contract of the library with a list in each book. */
const markEdits: readonly ContractEdit[] = ['NewBook', 'Book/allOf/0'].map((schema) => ({
  at: `#/components/schemas/${schema}/properties/marks`,
  to: marks,
}));

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
    ...{ name: 'a PUT with the same title keeps the pages', at: change },
    instead: storing((content, before) =>
      content.title === before.title ? { ...content, pages: before.pages } : content,
    ),
    caughtBy: by('put-partial', 'replaceBook', pages, 'kept'),
  },
  {
    ...{ name: 'a PUT in its second media type loses the number', at: change },
    instead: (request, handle) => {
      const isSecond = /vnd/.test(request.headers['content-type'] ?? '');
      return storing(({ isbn: number, ...content }) => (isSecond ? content : { ...content, isbn: number }))(
        request,
        handle,
      );
    },
    caughtBy: by('stored-differs', 'replaceBook', isbn, 'stored'),
  },
  {
    ...{ name: 'a PUT keeps the time that reads show without a declaration', at: change },
    instead: storing((content, { due }) => ({ ...content, ...(due !== undefined && { due }) })),
    caughtBy: by('put-partial', 'replaceBook', '#/components/schemas/NewBook/properties/due', 'kept'),
  },
  {
    ...{ name: 'a PUT stores only the first mark', at: change, edits: markEdits },
    amend: withEdits('library', markEdits),
    instead: storing((content) => ({
      ...content,
      ...(Array.isArray(content.marks) && { marks: content.marks.slice(0, 1) }),
    })),
    caughtBy: by('put-partial', 'replaceBook', '#/components/schemas/NewBook/properties/marks', 'kept'),
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
    ...{ name: 'one view of the list shows deleted books', at: /^(GET|DELETE) \/v2\/books/ },
    instead: listingDeleted(({ query }, deleted) => (query.get('view') === 'full' ? deleted : [])),
    caughtBy: by('delete-kept', 'removeBook', `${book}/delete`, 'deleted'),
  },
  {
    ...{ name: 'a PUT brings a deleted book back', at: /^\w+ \/v2\/books\/b\d+$/ },
    instead: reviving(),
    caughtBy: by('use-after-free', 'replaceBook', `${book}/put`, 'revived'),
    options: { permissions: { effects: [], readOnly: false, writes: 'all' } },
  },
  {
    ...{ name: 'a change stores the most pages as one fewer', at: change },
    instead: (request, handle) => {
      const content = contentOf(request);
      return handle(
        content.pages === 10_000 ? { ...request, body: JSON.stringify({ ...content, pages: 9_999 }) } : request,
      );
    },
    caughtBy: by('stored-differs', 'replaceBook', pages, 'stored'),
    options: { phases: ['story', 'boundary'] },
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
    ...{ name: 'the tag of a book is its id', at: /^(GET|HEAD|PUT|DELETE) \/v2\/books\/b\d+$/ },
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
    ...{ name: 'a patch removes the shelf, which it does not declare', at: /^PATCH/ },
    instead: storing((content) => ({ ...content, shelf: null })),
    caughtBy: by('patch-spills', 'changeParcel', '#/components/schemas/NewParcel/properties/shelf', 'unsent'),
  },
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
    ...{ name: 'the tag of a parcel is its id', at: /^(GET|HEAD|PATCH|DELETE) .*parcels\/\d+$/ },
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
