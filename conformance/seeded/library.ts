import type { Handler, TestAnswer, TestRequest } from './serve.ts';

export const libraryKey = 'not-a-real-key-5d1c';

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly open?: boolean;
  readonly answer: (request: TestRequest, id: string) => TestAnswer;
}

/** A stateful server that conforms to `fixtures/library.yaml`. */
export function createLibrary(): Handler {
  const books = new Map<string, Record<string, unknown>>();
  const added = '2026-03-01T10:00:00Z';
  books.set('b1', {
    id: 'b1',
    title: 'Emma',
    pages: 474,
    state: 'in',
    added,
    lastLoan: { reader: 'r7', until: '2026-02-28' },
  });
  books.set('b2', { id: 'b2', title: 'Ulysses', pages: 730, state: 'out', added, lastLoan: null, mood: 'puzzled' });
  const unknown: TestAnswer = { status: 404, body: { reason: 'no such book' } };
  let readers = 0;
  const routes: readonly Route[] = [
    {
      method: 'GET',
      path: /^\/books$/,
      answer: () => ({
        status: 200,
        headers: { 'x-total': String(books.size), 'x-shelves': 'north,south' },
        body: { items: [...books.values()] },
      }),
    },
    {
      method: 'POST',
      path: /^\/books$/,
      answer: ({ body }) => {
        const id = `b${books.size + 1}`;
        const book = { ...JSON.parse(body), id, state: 'in', added, lastLoan: null };
        books.set(id, book);
        return { status: 201, headers: { location: `/v2/books/${id}` }, body: book };
      },
    },
    {
      method: 'GET',
      path: /^\/books\/([^/]+)$/,
      answer: (_, id) => {
        const book = books.get(id);
        return book === undefined ? unknown : { status: 200, headers: { etag: '"7"' }, body: book };
      },
    },
    {
      method: 'PUT',
      path: /^\/books\/([^/]+)$/,
      answer: ({ body }, id) => {
        const book = books.get(id);
        if (book === undefined) return unknown;
        books.set(id, { ...book, ...JSON.parse(body) });
        return { status: 200, body: books.get(id) };
      },
    },
    { method: 'DELETE', path: /^\/books\/([^/]+)$/, answer: (_, id) => (books.delete(id) ? { status: 204 } : unknown) },
    {
      method: 'POST',
      path: /^\/readers$/,
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
    const route = routes.find((candidate) => candidate.method === request.method && candidate.path.test(path));
    if (route === undefined) return { status: 404, body: { reason: 'no such place' } };
    if (route.open !== true && request.headers['x-library-key'] !== libraryKey) {
      return { status: 401, headers: { 'www-authenticate': 'ApiKey realm="library"' }, body: { reason: 'no key' } };
    }
    return route.answer(request, route.path.exec(path)?.[1] ?? '');
  };
}
