import { by, type Instead, type SeededFault, withBody, withHeaders, withItem } from './faults.ts';

const list = /^GET \/v2\/books$/;
const read = /^GET \/v2\/books\/b/;
const add = /^POST \/v2\/books$/;
const book = '#/components/schemas/Book/allOf';

const write = /^(POST|PUT) \/v2\/books/;

/** Changes the texts of a request before the server reads them. */
const withText =
  (change: (text: string) => string): Instead =>
  (request, handle) => {
    const revive = (_: string, value: unknown): unknown => (typeof value === 'string' ? change(value) : value);
    const read = (): string => JSON.stringify(JSON.parse(request.body, revive));
    return handle(isJsonText(request.body) ? { ...request, body: read() } : request);
  };

function isJsonText(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

type Row = Omit<SeededFault, 'api'>;

const rows: readonly Row[] = [
  {
    name: 'a required property is missing',
    at: list,
    change: withItem('items', (item) => delete item.title),
    caughtBy: by('body-schema', 'listBooks', `${book}/0/required`, 'required'),
  },
  {
    name: 'only the last item of a list is wrong',
    at: list,
    change: withItem('items', (item) => Object.assign(item, { pages: '730' }), 1),
    caughtBy: by('body-schema', 'listBooks', `${book}/0/properties/pages/type`, 'type'),
  },
  {
    name: 'a number is below its minimum',
    at: read,
    change: withBody((body) => ({ ...body, pages: 0 })),
    caughtBy: by('body-schema', 'readBook', `${book}/0/properties/pages/minimum`, 'minimum'),
  },
  {
    name: 'a value is not listed in a closed enum',
    at: read,
    change: withBody((body) => ({ ...body, state: 'lost' })),
    caughtBy: by('body-schema', 'readBook', `${book}/1/properties/state/enum`, 'enum'),
  },
  {
    name: 'a date-time is not a date',
    at: read,
    change: withBody((body) => ({ ...body, added: 'yesterday' })),
    caughtBy: by('body-schema', 'readBook', `${book}/1/properties/added/format`, 'format'),
  },
  {
    name: 'a member is missing in the matching branch of a union',
    at: list,
    change: withItem('items', (item) => Object.assign(item, { lastLoan: { reader: 'r7' } })),
    caughtBy: by('body-schema', 'listBooks', '#/components/schemas/Loan/required', 'required'),
  },
  {
    name: 'JSON is truncated',
    at: read,
    change: (answer) => ({ ...answer, headers: { 'content-type': 'application/json' }, body: '{"id":"b1",' }),
    caughtBy: by(
      'body-schema',
      'readBook',
      '#/paths/~1books~1{bookId}/get/responses/200/content/application~1json',
      'json',
    ),
  },
  {
    name: 'JSON is not UTF-8',
    at: read,
    change: (answer) => ({
      ...answer,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"title":"é"}', 'latin1'),
    }),
    caughtBy: by(
      'body-schema',
      'readBook',
      '#/paths/~1books~1{bookId}/get/responses/200/content/application~1json',
      'encoding',
    ),
  },
  {
    name: 'plain content is labelled gzip',
    at: read,
    change: withHeaders({ 'content-encoding': 'gzip' }),
    caughtBy: by('http-law', 'readBook', '#/paths/~1books~1{bookId}/get/responses/200', 'content-coding'),
  },
  {
    name: 'a string is replaced by a number that is too large to represent',
    at: read,
    change: (answer) => ({
      ...answer,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...Object(answer.body), title: 0 }).replace('"title":0', '"title":1e999999'),
    }),
    caughtBy: by('body-schema', 'readBook', `${book}/0/properties/title/type`, 'type'),
  },
  {
    name: 'a text is too long',
    at: /motto/,
    change: (answer) => ({ ...answer, body: 'x'.repeat(81) }),
    caughtBy: by(
      'body-schema',
      'readMotto',
      '#/paths/~1motto/get/responses/200/content/text~1plain/schema/maxLength',
      'maxLength',
    ),
  },
  {
    name: 'HTML replaces JSON',
    at: list,
    change: (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'text/html' },
      body: '<p>books</p>',
    }),
    caughtBy: by('media-type', 'listBooks', '#/paths/~1books/get/responses/200/content', 'content'),
  },
  {
    name: 'Content-Type is missing',
    at: list,
    change: (answer) => ({ ...answer, body: JSON.stringify(answer.body) }),
    caughtBy: by('media-type', 'listBooks', '#/paths/~1books/get/responses/200/content', 'content'),
  },
  {
    name: 'a success status is not documented',
    at: list,
    change: (answer) => ({ ...answer, status: 203 }),
    caughtBy: by('status-undocumented', 'listBooks', '#/paths/~1books/get/responses', 'responses'),
  },
  {
    name: 'a 4xx is not documented',
    at: add,
    change: () => ({ status: 409, body: { reason: 'taken' } }),
    caughtBy: by('status-undocumented', 'addBook', '#/paths/~1books/post/responses', 'responses'),
  },
  {
    name: 'a required header is missing',
    at: list,
    change: withHeaders({ 'x-total': '' }),
    caughtBy: by(
      'header-schema',
      'listBooks',
      '#/paths/~1books/get/responses/200/headers/X-Total/required',
      'required',
    ),
  },
  {
    name: 'a header is below its minimum',
    at: list,
    change: withHeaders({ 'x-total': '-1' }),
    caughtBy: by(
      'header-schema',
      'listBooks',
      '#/paths/~1books/get/responses/200/headers/X-Total/schema/minimum',
      'minimum',
    ),
  },
  {
    name: 'an item of a header is not listed in its enum',
    at: list,
    change: withHeaders({ 'x-shelves': 'north,west' }),
    caughtBy: by(
      'header-schema',
      'listBooks',
      '#/paths/~1books/get/responses/200/headers/X-Shelves/schema/items/enum',
      'enum',
    ),
  },
  {
    name: 'a 500',
    at: read,
    change: () => ({ status: 500, body: { reason: 'oops' } }),
    caughtBy: by('server-error', 'readBook', '#/paths/~1books~1{bookId}/get', '500'),
  },
  {
    name: 'a 500 to a create, which is not repeated',
    at: add,
    change: () => ({ status: 500, body: { reason: 'oops' } }),
    caughtBy: by('server-error', 'addBook', '#/paths/~1books/post', '500'),
  },
  {
    name: 'a permanent 503',
    at: list,
    change: () => ({ status: 503, body: { reason: 'busy' } }),
    caughtBy: by('server-error', 'listBooks', '#/paths/~1books/get', '503'),
  },
  {
    name: 'a password is returned under another name',
    at: /^POST \/v2\/readers/,
    change: (answer, request) => ({
      ...answer,
      body: { ...Object(answer.body), phrase: JSON.parse(request.body).password },
    }),
    caughtBy: by('secret-echoed', 'enrolReader', '#/components/schemas/NewReader/properties/password', 'writeOnly'),
  },
  {
    name: 'a writeOnly secret is returned',
    at: /^POST \/v2\/readers/,
    change: (answer, request) => ({
      ...answer,
      body: { ...(answer.body as object), password: JSON.parse(request.body).password },
    }),
    caughtBy: by(
      'write-only-exposed',
      'enrolReader',
      '#/components/schemas/Reader/properties/password/writeOnly',
      'writeOnly',
    ),
  },
  {
    name: 'a book contains the pass of a reader',
    at: /^PUT/,
    change: withBody((body) => ({ ...body, note: 'kept for PASS-000-1-XYZ' })),
    caughtBy: by('sensitive-leak', 'replaceBook', '#/components/schemas/Reader/properties/pass', 'x-sensitive'),
  },
  {
    name: 'Location is not a URI reference',
    at: add,
    change: withHeaders({ location: 'books b3' }),
    caughtBy: by('http-law', 'addBook', '#/paths/~1books/post/responses/201', 'location-reference'),
  },
  {
    name: 'ETag has no quotes',
    at: /^(GET|HEAD) \/v2\/books\/b/,
    change: withHeaders({ etag: '7' }),
    caughtBy: by('http-law', 'readBook', '#/paths/~1books~1{bookId}/get/responses/200', 'etag-grammar'),
  },
  {
    name: 'Date is no date of HTTP',
    at: read,
    change: withHeaders({ date: '2026-03-01T12:00:00Z' }),
    caughtBy: by('http-law', 'readBook', '#/paths/~1books~1{bookId}/get/responses/200', 'date-value'),
  },
  {
    name: 'Age is negative',
    at: read,
    change: withHeaders({ age: '-1' }),
    caughtBy: by('http-law', 'readBook', '#/paths/~1books~1{bookId}/get/responses/200', 'age-value'),
  },
  {
    name: 'JSON begins with a byte order mark',
    at: read,
    change: (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'application/json' },
      body: `\ufeff${JSON.stringify(answer.body)}`,
    }),
    caughtBy: by('http-law', 'readBook', '#/paths/~1books~1{bookId}/get/responses/200', 'json-byte-order-mark'),
  },
  {
    name: 'a 400 contains a stack frame',
    at: add,
    change: () => ({ status: 400, body: { reason: 'TypeError: at addBook (/srv/books.js:10:5)' } }),
    caughtBy: by('internals-leaked', 'addBook', '#/paths/~1books/post', 'a JavaScript stack frame'),
    severity: 'suspect',
  },
  {
    name: 'no answer arrives in time',
    at: read,
    change: (answer) => ({ ...answer, instead: 'hang' }),
    caughtBy: by('no-answer', 'readBook', '#/paths/~1books~1{bookId}/get', 'timeout'),
  },
  {
    name: 'the connection is reset',
    at: read,
    change: (answer) => ({ ...answer, instead: 'reset' }),
    caughtBy: by('no-answer', 'readBook', '#/paths/~1books~1{bookId}/get', 'reset'),
  },
  {
    name: 'the body is shorter than Content-Length',
    at: read,
    change: (answer) => ({
      ...answer,
      raw: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{"id"',
    }),
    caughtBy: by('no-answer', 'readBook', '#/paths/~1books~1{bookId}/get', 'truncated'),
  },
  {
    name: 'the answer is not HTTP',
    at: read,
    change: (answer) => ({ ...answer, raw: 'hello\r\n\r\n' }),
    caughtBy: by('no-answer', 'readBook', '#/paths/~1books~1{bookId}/get', 'malformed'),
  },
  {
    name: 'a 204 has a Content-Length',
    at: /^DELETE/,
    change: (answer) => ({
      ...answer,
      raw: 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\nConnection: close\r\n\r\n',
    }),
    caughtBy: by('http-law', 'removeBook', '#/paths/~1books~1{bookId}/delete/responses/204', 'content-after-204'),
  },
  {
    name: 'the storage has only Latin-1',
    at: write,
    instead: withText((text) => text.replaceAll(/[^\0-\xff]/gu, '?')),
    caughtBy: by('text-changed', 'addBook', '#/components/schemas/NewBook/properties/title/type', 'replaced'),
  },
  {
    name: 'text is escaped before it is stored',
    at: write,
    instead: withText((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
    caughtBy: by('text-changed', 'addBook', '#/components/schemas/NewBook/properties/title/type', 'escaped'),
  },
  {
    name: 'a change to text with emoji fails',
    at: /^PUT \/v2\/books\/b/,
    instead: (request, handle) => (/\p{Emoji_Presentation}/u.test(request.body) ? { status: 500 } : handle(request)),
    caughtBy: by('server-error', 'replaceBook', '#/paths/~1books~1{bookId}/put', '500'),
    options: { phases: ['text'] },
  },
  {
    name: 'the contract breaks a MUST at two places',
    at: read,
    change: (answer) => answer,
    amend: (contract) => {
      const problem = {
        line: 1,
        message: '"str" is not a type.',
        fix: 'Use string.',
        breaks: 'JSON Schema 2020-12, 6.1.1',
      };
      const at = (name: string) => ({ ...problem, pointer: `#/components/schemas/Loan/properties/${name}/type` });
      return { ...contract, problems: [...contract.problems, at('reader'), at('until')] };
    },
    caughtBy: by('contract', '', '#/components/schemas/Loan/properties/reader/type', 'type'),
    severity: 'suspect',
  },
  {
    name: 'an answer takes too long',
    at: read,
    change: (answer) => ({ ...answer, delayMs: 2_000 }),
    caughtBy: by('slow', 'readBook', '#/paths/~1books~1{bookId}/get', 'slow'),
    // Each read takes its time.
    options: { slowMs: 1_500, phases: ['baseline'] },
  },
];

export const libraryFaults: readonly SeededFault[] = rows.map((row) => ({ ...row, api: 'library' }));
