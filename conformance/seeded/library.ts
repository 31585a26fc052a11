import { createHash } from 'node:crypto';
import type { Handler, TestAnswer, TestRequest } from './serve.ts';
import type { Validate } from './validate.ts';

export const libraryKey = 'not-a-real-key-5d1c';
/** The key of a second library, which has no book at first. */
export const secondLibraryKey = 'not-a-real-key-9a40';

type Books = Map<string, Record<string, unknown>>;

/** A job that goes on with each read. */
interface Scan {
  readonly content: object;
  readonly until: string;
  reads: number;
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly open?: boolean;
  readonly rejection?: number;
  readonly answer: (request: TestRequest, books: Books, id: string) => TestAnswer;
}

const added = '2026-03-01T10:00:00Z';

/** Statuses of rejections; an operation with another one for invalid values has it in its route. */
const rejections = { 'media type': 415, syntax: 400, schema: 400 };

/** A stateful server that conforms to `fixtures/library.yaml`. Each key has books of its own. */
export function createLibrary(validate: Validate): Handler {
  const first: Books = new Map();
  first.set('b1', {
    id: 'b1',
    title: 'Emma',
    pages: 474,
    state: 'in',
    added,
    lastLoan: { reader: 'r7', until: '2026-02-28' },
  });
  first.set('b2', { id: 'b2', title: 'Ulysses', pages: 730, state: 'out', added, lastLoan: null, mood: 'puzzled' });
  const libraries: ReadonlyMap<string, Books> = new Map([
    [libraryKey, first],
    [secondLibraryKey, new Map()],
  ]);
  const unknown: TestAnswer = { status: 404, body: { reason: 'no such book' } };
  /** Answers to creates by their `Idempotency-Key`. */
  const answers = new Map<unknown, { readonly body: string; readonly answer: TestAnswer }>();
  /** By the ids of book and note. */
  const notes = new Map<string, object>();
  const desks = new WeakMap<Books, object>();
  const deskOf = (books: Books): object => desks.get(books) ?? { notice: 'Closed in August', seats: 12 };
  const scans = new WeakMap<Books, Map<string, Scan>>();
  const scansOf = (books: Books): Map<string, Scan> => {
    const known = scans.get(books) ?? new Map<string, Scan>();
    scans.set(books, known);
    return known;
  };
  let count = first.size;
  /** The clock of the scanner: each read is three seconds later. */
  let seconds = 0;
  const clock = (): string => new Date(Date.parse(added) + seconds * 1_000).toUTCString();
  let readers = 0;
  const tagged = (book: Record<string, unknown>): TestAnswer => ({
    status: 200,
    headers: { etag: tagOf(book) },
    body: book,
  });
  /** Whether `If-Match` and `If-None-Match` let a request to a book pass; else the answer. */
  const rejectCondition = ({ method, headers }: TestRequest, book: Record<string, unknown>): TestAnswer | undefined => {
    const tag = tagOf(book);
    if (headers['if-match'] !== undefined && headers['if-match'] !== tag)
      return { status: 412, body: { reason: 'changed' } };
    if (headers['if-none-match'] !== tag && headers['if-none-match'] !== '*') return undefined;
    return method === 'GET' ? { status: 304, headers: { etag: tag } } : { status: 412, body: { reason: 'exists' } };
  };
  const routes: readonly Route[] = [
    {
      method: 'GET',
      path: /^\/books$/,
      answer: (_, books) => ({
        status: 200,
        headers: { 'x-total': String(books.size), 'x-shelves': 'north,south' },
        body: { items: [...books.values()] },
      }),
    },
    {
      method: 'POST',
      path: /^\/books$/,
      answer: ({ body, headers }, books) => {
        const key = headers['idempotency-key'];
        const known = key === undefined ? undefined : answers.get(key);
        if (known !== undefined)
          return known.body === body ? known.answer : { status: 400, body: { reason: 'another request has this key' } };
        count += 1;
        const id = `b${count}`;
        const book = { ...JSON.parse(body), id, state: 'in', added, lastLoan: null };
        books.set(id, book);
        const answer = { status: 201, headers: { location: `/v2/books/${id}` }, body: book };
        if (key !== undefined) answers.set(key, { body, answer });
        return answer;
      },
    },
    {
      method: 'GET',
      path: /^\/books\/([^/]+)$/,
      answer: (request, books, id) => {
        const book = books.get(id);
        return book === undefined ? unknown : (rejectCondition(request, book) ?? tagged(book));
      },
    },
    {
      method: 'PUT',
      path: /^\/books\/([^/]+)$/,
      answer: (request, books, id) => {
        const book = books.get(id);
        if (book === undefined) return unknown;
        const rejected = rejectCondition(request, book);
        if (rejected !== undefined) return rejected;
        const { id: own, state, mood, added, lastLoan } = book;
        const kept = { id: own, state, added, lastLoan, ...(mood !== undefined && { mood }) };
        const changed = { ...JSON.parse(request.body), ...kept };
        books.set(id, changed);
        return { status: 200, body: changed };
      },
    },
    {
      method: 'DELETE',
      path: /^\/books\/([^/]+)$/,
      answer: (request, books, id) => {
        const book = books.get(id);
        const rejected = book && rejectCondition(request, book);
        return rejected ?? (books.delete(id) ? { status: 204 } : unknown);
      },
    },
    { method: 'GET', path: /^\/desk$/, answer: (_, books) => ({ status: 200, body: deskOf(books) }) },
    {
      method: 'PUT',
      path: /^\/desk$/,
      answer: ({ body }, books) => {
        desks.set(books, JSON.parse(body));
        return { status: 200, body: deskOf(books) };
      },
    },
    {
      method: 'POST',
      path: /^\/books\/([^/]+)\/notes$/,
      answer: ({ body }, books, id) => {
        if (!books.has(id)) return unknown;
        count += 1;
        const note = { ...JSON.parse(body), id: `n${count}` };
        notes.set(`${id}/n${count}`, note);
        return { status: 201, body: note };
      },
    },
    {
      method: 'GET',
      path: /^\/books\/([^/]+)\/notes\/[^/]+$/,
      answer: ({ path }, books, id) => {
        const note = books.has(id) ? notes.get(`${id}/${path.split('/').at(-1)}`) : undefined;
        return note === undefined ? unknown : { status: 200, body: note };
      },
    },
    {
      method: 'POST',
      path: /^\/scans$/,
      answer: ({ body }, books) => {
        count += 1;
        const until = new Date(Date.parse(added) + (seconds + 20) * 1_000).toISOString();
        const scan = { content: JSON.parse(body), until, reads: 0 };
        scansOf(books).set(`s${count}`, scan);
        return { status: 202, body: { ...scan.content, id: `s${count}`, state: 'queued', until } };
      },
    },
    {
      method: 'GET',
      path: /^\/scans\/([^/]+)$/,
      answer: (_, books, id) => {
        const scan = scansOf(books).get(id);
        if (scan === undefined) return unknown;
        seconds += 3;
        scan.reads += 1;
        const { content, until, reads } = scan;
        const state = ['queued', 'scanning'][reads - 1] ?? 'done';
        return { status: 200, headers: { date: clock() }, body: { ...content, id, state, until } };
      },
    },
    {
      method: 'POST',
      path: /^\/readers$/,
      rejection: 422,
      answer: ({ body }) => {
        readers += 1;
        return { status: 201, body: { id: readers, name: JSON.parse(body).name, pass: `PASS-000-${readers}-XYZ` } };
      },
    },
    {
      method: 'GET',
      path: /^\/motto$/,
      open: true,
      answer: () => ({
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: 'Silence, please',
      }),
    },
  ];
  return (request) => {
    const path = request.path.replace(/^\/v2/, '');
    const here = routes.filter((candidate) => candidate.path.test(path));
    const route = here.find(({ method }) => method === (request.method === 'HEAD' ? 'GET' : request.method));
    if (here.length === 0) return { status: 404, body: { reason: 'no such place' } };
    if (route === undefined)
      return { status: 405, headers: { allow: here.map(({ method }) => method).join(', ') }, body: { reason: 'no' } };
    const books = libraries.get(String(request.headers['x-library-key']));
    if (route.open !== true && books === undefined)
      return { status: 401, headers: { 'www-authenticate': 'ApiKey realm="library"' }, body: { reason: 'no key' } };
    const validated = validate({ ...request, path });
    if ('fault' in validated) {
      const { fault, reason } = validated;
      const own = fault === 'schema' ? route.rejection : undefined;
      return { status: own ?? rejections[fault], body: { reason } };
    }
    const body = JSON.stringify(validated.content ?? {});
    return route.answer({ ...request, body }, books ?? first, route.path.exec(path)?.[1] ?? '');
  };
}

function tagOf(book: object): string {
  return `"${createHash('sha256').update(JSON.stringify(book)).digest('hex').slice(0, 24)}"`;
}
