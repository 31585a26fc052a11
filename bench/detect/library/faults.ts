// The faults of server.ts, each of which breaks one sentence of the contract or of an RFC.
import { request } from 'node:http';
import type { FaultClass } from '../score.ts';
import credentials from './credentials.json' with { type: 'json' };

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body, or `undefined` if it is no JSON. */
  readonly json: unknown;
  /** The error of the connection, if it broke. */
  readonly failure?: string;
}

export interface Options {
  /** Default is the token of the first account; `null` sends none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is. */
  readonly body?: object | string;
}

/** Sends a request below the base path: `send('GET /books')`. */
export type Send = (target: string, options?: Options) => Promise<Reply>;

export interface Fault {
  readonly id: string;
  /** A: any answer. B: HTTP semantics. C: validation of requests. D: credentials and access. E: lists. F: state. */
  readonly class: FaultClass;
  readonly operation: string;
  /** Other operations whose answers the fault changes, or whose requests bring the state about. */
  readonly also?: readonly string[];
  readonly breaks: string;
  /** A value that differs between the clean and the faulty server. */
  readonly prove: (send: Send) => Promise<unknown>;
}

export const createSend =
  (url: string): Send =>
  (target, { token = credentials.first.token, headers = {}, body } = {}) =>
    new Promise((done) => {
      const [method = 'GET', path = ''] = target.split(' ');
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const text = typeof body === 'object' ? JSON.stringify(body) : body;
      const sent = request(`${url}${credentials.basePath}${path}`, {
        method,
        agent: false,
        headers: {
          ...(token !== null && { Authorization: `Bearer ${token}` }),
          ...(text !== undefined && { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(text)) }),
          ...headers,
        },
      });
      sent.once('error', ({ message }) =>
        done({ status: 0, headers: {}, text: '', json: undefined, failure: message }),
      );
      sent.once('response', (response) => {
        const chunks: Buffer[] = [];
        const finish = (failure?: string) => {
          const { statusCode: status = 0, headers } = response;
          const answer = Buffer.concat(chunks).toString();
          const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
          done({ status, headers: flat, text: answer, json: parse(answer), ...(failure !== undefined && { failure }) });
        };
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => finish());
        response.once('error', ({ message }) => finish(message));
      });
      sent.end(text);
    });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const bookId = (n: string) => `5d41402a-0000-4000-8000-000000000${n}`;
const copyId = (n: string) => `3c6e0b8a-0000-4000-8000-000000000${n}`;
const memberId = (n: string) => `9b2d7c11-0000-4000-8000-000000000${n}`;
const loanId = (n: string) => `e4da3b7f-0000-4000-8000-000000000${n}`;

const book = {
  isbn: '9780141036144',
  title: 'Down the estuary',
  authors: ['A. Fictitious'],
  genre: 'novel',
  language: 'en',
};
const member = { name: 'Zoë Invented', email: 'zoe@mail.example', pin: '4711' };
const loan = { memberId: memberId('201'), copyId: copyId('101') };
const reservation = { pickupUntil: '2027-03-01' };
const reserved = `/members/${memberId('202')}/reservations/${bookId('001')}`;
const reservedElsewhere = `/members/${memberId('211')}/reservations/${bookId('011')}`;
const second = { token: credentials.second.token };
const narrow = credentials.first.narrow;

/** The status of one request. */
const status = (target: string, options?: Options) => async (send: Send) => (await send(target, options)).status;
const part = (target: string, read: (reply: Reply) => unknown, options?: Options) => async (send: Send) =>
  read(await send(target, options));
/** The value at names of the body. */
const at = ({ json }: Reply, ...names: (string | number)[]) =>
  names.reduce((value: unknown, name) => (value as Record<string, unknown> | undefined)?.[name], json);
const keys = ({ json }: Reply) => Object.keys(json ?? {});
const creates = (what: object, more: object) =>
  status(what === book ? 'POST /books' : 'POST /members', { body: { ...what, ...more } });
/** The titles of books, or the days on which loans are due, on all pages. A faulty list may not come to its end. */
async function walk(send: Send, target: string): Promise<readonly unknown[]> {
  const shown: unknown[] = [];
  for (let next: unknown = `/v1${target}`; typeof next === 'string' && shown.length < 20; ) {
    const reply = await send(`GET ${next.slice(3)}`);
    shown.push(...(at(reply, 'items') as Record<string, unknown>[]).map(({ title, receipt }) => title ?? receipt));
    next = at(reply, 'next');
  }
  return shown;
}
/** The version of book 1 in If-Match, after a patch or not. */
const patch = (send: Send, body: object, headers: Record<string, string> = { 'If-Match': '"1"' }) =>
  send(`PATCH /books/${bookId('001')}`, { body, headers });
const form = (fields: Record<string, string>) => ({
  token: null,
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString(),
});
const clientForm = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }, more = {}) =>
  form({ client_id: clientId, client_secret: clientSecret, ...more });

const table = {
  // A: any answer
  'copy-shelf-null': {
    class: 'A',
    operation: 'GET /books/{bookId}/copies/{copyId}',
    breaks: 'shelf is a string or absent: /components/schemas/Copy/properties/shelf',
    prove: part(`GET /books/${bookId('001')}/copies/${copyId('102')}`, keys),
  },
  'copy-in-repair': {
    class: 'A',
    operation: 'GET /books/{bookId}/copies/{copyId}',
    breaks: 'status is one of three words: /components/schemas/CopyStatus/enum',
    prove: part(`GET /books/${bookId('001')}/copies/${copyId('103')}`, (reply) => at(reply, 'status')),
  },
  'pin-in-member': {
    class: 'A',
    operation: 'POST /members',
    breaks: 'pin is writeOnly: /components/schemas/MemberInput/properties/pin; Member has no further members',
    prove: part('POST /members', keys, { body: member }),
  },
  'book-created-200': {
    class: 'A',
    operation: 'POST /books',
    breaks: 'success is 201: /paths/~1books/post/responses',
    prove: creates(book, {}),
  },
  'problem-as-json': {
    class: 'A',
    operation: 'GET /loans/{loanId}',
    breaks: 'errors are application/problem+json: /components/responses/NotFound/content',
    prove: part(`GET /loans/${loanId('999')}`, ({ headers }) => headers['content-type']),
  },
  'second-page-bare': {
    class: 'A',
    operation: 'GET /books',
    breaks: 'a book has updatedAt: /components/schemas/Book/required',
    prove: async (send: Send) => {
      const first = await send('GET /books?limit=1');
      return keys({ ...first, json: at(await send(`GET ${String(at(first, 'next')).slice(3)}`), 'items', 0) });
    },
  },
  'fee-as-text': {
    class: 'A',
    operation: 'GET /loans',
    breaks: 'an amount is a number: /components/schemas/Loan/properties/fee/properties/amount/type',
    prove: part('GET /loans?status=overdue', (reply) => typeof at(reply, 'items', 0, 'fee', 'amount')),
  },
  'due-with-time': {
    class: 'A',
    operation: 'POST /loans',
    breaks: 'dueOn is a date: /components/schemas/Loan/properties/dueOn/format',
    prove: part('POST /loans', (reply) => String(at(reply, 'dueOn')).length, { body: loan }),
  },
  'receipt-snowflake': {
    class: 'A',
    operation: 'POST /loans',
    breaks: 'receipt is at most 9007199254740991: /components/schemas/Loan/properties/receipt/maximum',
    prove: part('POST /loans', (reply) => Number.isSafeInteger(at(reply, 'receipt')), { body: loan }),
  },
  'search-by-regexp': {
    class: 'A',
    operation: 'GET /books',
    breaks: '500 is not documented, and q is any text of 1 to 40 characters: /paths/~1books/get/parameters/0',
    prove: status('GET /books?q=sea%20('),
  },
  'length-in-characters': {
    class: 'A',
    operation: 'GET /books/{bookId}',
    breaks: 'Content-Length is the number of octets: RFC 9110, 8.6',
    prove: part(`GET /books/${bookId('002')}`, ({ json }) => json !== undefined),
  },
  'token-cacheable': {
    class: 'A',
    operation: 'POST /oauth/token',
    breaks: 'Cache-Control is no-store: /paths/~1oauth~1token/post/responses/200/headers; RFC 6749, 5.1',
    prove: part('POST /oauth/token', ({ headers }) => headers['cache-control'], clientForm(credentials.first)),
  },
  'last-page-without-next': {
    class: 'A',
    operation: 'GET /loans',
    breaks: 'next is required: /components/schemas/LoanPage/required',
    prove: part('GET /loans', keys),
  },
  'conflict-status-text': {
    class: 'A',
    operation: 'POST /members',
    breaks: 'status is an integer: /components/schemas/Problem/properties/status/type; RFC 9457, 3.1.2',
    prove: part('POST /members', (reply) => at(reply, 'status'), { body: { ...member, email: 'm201@mail.example' } }),
  },
  'html-for-bad-json': {
    class: 'A',
    operation: 'POST /books',
    breaks: 'errors are application/problem+json: /components/responses/BadRequest/content',
    prove: part('POST /books', ({ headers }) => headers['content-type'], { body: '{"isbn":' }),
  },
  // B: HTTP semantics
  'head-405': {
    class: 'B',
    operation: 'HEAD /books',
    breaks: 'HEAD is answered as GET without content: RFC 9110, 9.3.2',
    prove: status('HEAD /books'),
  },
  'head-length-0': {
    class: 'B',
    operation: 'HEAD /loans/{loanId}',
    breaks: 'Content-Length of HEAD is that of GET or absent: RFC 9110, 8.6',
    prove: part(`HEAD /loans/${loanId('301')}`, ({ headers }) => headers['content-length']),
  },
  'no-allow': {
    class: 'B',
    operation: '*',
    breaks: '405 has Allow: RFC 9110, 15.5.6',
    prove: part('PUT /books', ({ headers }) => headers.allow),
  },
  'options-without-patch': {
    class: 'B',
    operation: 'OPTIONS /books/{bookId}',
    breaks: 'Allow lists the methods of the resource: RFC 9110, 10.2.1',
    prove: part(`OPTIONS /books/${bookId('001')}`, ({ headers }) => headers.allow),
  },
  'undeclared-delete': {
    class: 'B',
    operation: 'DELETE /books/{bookId}',
    breaks: 'the method is not in the contract, so it is answered 405: RFC 9110, 15.5.6; /paths/~1books~1{bookId}',
    prove: status(`DELETE /books/${bookId('003')}`),
  },
  'etag-unchanged': {
    class: 'B',
    operation: 'PATCH /books/{bookId}',
    breaks: 'a strong entity tag changes with the representation: RFC 9110, 8.8.1',
    prove: async (send: Send) => (await patch(send, { title: 'Another' })).headers.etag,
  },
  'if-match-ignored': {
    class: 'B',
    operation: 'PATCH /books/{bookId}',
    breaks: 'a false If-Match prevents the change: RFC 9110, 13.1.1; /components/responses/PreconditionFailed',
    prove: async (send: Send) => (await patch(send, { title: 'Another' }, { 'If-Match': '"77"' })).status,
  },
  'never-304': {
    class: 'B',
    operation: 'GET /books/{bookId}',
    breaks: 'the answer is 304 if an entity tag is current: /paths/~1books~1{bookId}/get/parameters/0',
    prove: status(`GET /books/${bookId('001')}`, { headers: { 'If-None-Match': '"1"' } }),
  },
  'weak-tag': {
    class: 'B',
    operation: 'GET /books/{bookId}',
    breaks: 'If-None-Match compares weakly: RFC 9110, 13.1.2',
    prove: status(`GET /books/${bookId('001')}`, { headers: { 'If-None-Match': 'W/"1"' } }),
  },
  'location-without-base': {
    class: 'B',
    operation: 'POST /members',
    breaks: 'Location is the path of the new resource: /components/headers/Location; RFC 9110, 10.2.2',
    prove: part('POST /members', ({ headers }) => headers.location?.startsWith('/v1/'), { body: member }),
  },
  'loan-without-location': {
    class: 'B',
    operation: 'POST /loans',
    breaks: 'Location is required: /paths/~1loans/post/responses/201/headers',
    prove: part('POST /loans', ({ headers }) => 'location' in headers, { body: loan }),
  },
  'null-keeps': {
    class: 'B',
    operation: 'PATCH /books/{bookId}',
    breaks: 'null removes a member: RFC 7396, 2; /paths/~1books~1{bookId}/patch/description',
    prove: async (send: Send) => keys(await patch(send, { subtitle: null })),
  },
  'notes-replaced': {
    class: 'B',
    operation: 'PATCH /books/{bookId}',
    breaks: 'an object is merged: RFC 7396, 2; /paths/~1books~1{bookId}/patch/description',
    prove: async (send: Send) => at(await patch(send, { notes: { condition: 'rebound' } }), 'notes'),
  },
  'failed-patch-applies': {
    class: 'B',
    operation: 'PATCH /books/{bookId}',
    breaks: 'a rejected patch changes nothing: /paths/~1books~1{bookId}/patch/description',
    prove: async (send: Send) => {
      await patch(send, { title: 'Another', ageFrom: 99 });
      return at(await send(`GET /books/${bookId('001')}`), 'title');
    },
  },
  'put-requeues': {
    class: 'B',
    operation: 'PUT /members/{memberId}/reservations/{bookId}',
    breaks:
      'a changed reservation keeps its place: /paths/~1members~1{memberId}~1reservations~1{bookId}/put/description',
    prove: async (send: Send) => {
      await send(`PUT ${reserved.replace('202', '201')}`, { body: reservation });
      return at(await send(`PUT ${reserved}`, { body: reservation }), 'position');
    },
  },
  'cancel-keeps': {
    class: 'B',
    operation: 'DELETE /members/{memberId}/reservations/{bookId}',
    breaks:
      'the reservation no longer exists: /paths/~1members~1{memberId}~1reservations~1{bookId}/delete/responses/204',
    prove: async (send: Send) => [(await send(`DELETE ${reserved}`)).status, (await send(`DELETE ${reserved}`)).status],
  },
  'get-bumps-version': {
    class: 'B',
    operation: 'GET /books/{bookId}',
    breaks: 'GET is safe, and the entity tag is that of the state: RFC 9110, 9.2.1',
    prove: async (send: Send) => {
      await send(`GET /books/${bookId('001')}`);
      return (await send(`GET /books/${bookId('001')}`)).headers.etag;
    },
  },
  'bad-json-500': {
    class: 'B',
    operation: 'POST /members',
    breaks: 'a body that is no JSON is answered 400: /components/responses/BadRequest',
    prove: status('POST /members', { body: '{"name":' }),
  },
  'content-type-ignored': {
    class: 'B',
    operation: 'POST /loans',
    breaks: 'another media type is answered 415: /components/responses/UnsupportedMediaType',
    prove: status('POST /loans', { body: loan, headers: { 'Content-Type': 'text/plain' } }),
  },
  'accept-ignored': {
    class: 'B',
    operation: 'GET /members/{memberId}',
    breaks: 'a client that accepts no JSON is answered 406: /components/responses/NotAcceptable',
    prove: status(`GET /members/${memberId('201')}`, { headers: { Accept: 'text/html' } }),
  },
  'idempotency-key-forgotten': {
    class: 'B',
    operation: 'POST /loans',
    breaks: 'a repeated Idempotency-Key lends nothing: /paths/~1loans/post/description',
    prove: async (send: Send) => {
      const options = { body: loan, headers: { 'Idempotency-Key': 'desk-2-0041' } };
      await send('POST /loans', options);
      return (await send('POST /loans', options)).status;
    },
  },
  'member-cacheable': {
    class: 'B',
    operation: 'GET /members/{memberId}',
    breaks: 'Cache-Control is no-store: /paths/~1members~1{memberId}/get/responses/200/headers',
    prove: part(`GET /members/${memberId('201')}`, ({ headers }) => headers['cache-control']),
  },
  // C: validation of requests
  'limit-51': {
    class: 'C',
    operation: 'GET /loans',
    breaks: 'limit is at most 50: /components/parameters/limit/schema/maximum',
    prove: status('GET /loans?limit=51'),
  },
  'due-before-any-day': {
    class: 'C',
    operation: 'GET /loans',
    breaks: 'dueBefore is a date: /paths/~1loans/get/parameters/2/schema/format',
    prove: status('GET /loans?dueBefore=2027-02-30'),
  },
  'loan-id-any': {
    class: 'C',
    operation: 'GET /loans/{loanId}',
    breaks: 'an id that is no UUID is answered 400: /components/parameters/loanId/schema/format',
    prove: status('GET /loans/301'),
  },
  'cursor-any': {
    class: 'C',
    operation: 'GET /books',
    breaks: 'another value than that of a link is rejected: /components/parameters/cursor/description',
    prove: status('GET /books?cursor=abc'),
  },
  'idempotency-key-any': {
    class: 'C',
    operation: 'POST /loans',
    breaks: 'the key has 8 to 64 of some characters: /paths/~1loans/post/parameters/0/schema/pattern',
    prove: status('POST /loans', { body: loan, headers: { 'Idempotency-Key': 'a b' } }),
  },
  'days-default': {
    class: 'C',
    operation: 'POST /loans',
    breaks: 'days is 28 unless given: /components/schemas/LoanInput/properties/days/default',
    prove: part('POST /loans', (reply) => at(reply, 'dueOn') === at(reply, 'lentOn'), { body: loan }),
  },
  'return-needs-body': {
    class: 'C',
    operation: 'POST /loans/{loanId}/return',
    breaks: 'the body is optional: /paths/~1loans~1{loanId}~1return/post/requestBody/required',
    prove: status(`POST /loans/${loanId('301')}/return`),
  },
  'charset-parameter': {
    class: 'C',
    operation: 'POST /books',
    breaks: 'application/json with a parameter is application/json: RFC 9110, 8.3.1',
    prove: status('POST /books', { body: book, headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
  },
  'isbn-unanchored': {
    class: 'C',
    operation: 'POST /books',
    breaks: 'the whole ISBN matches: /components/schemas/BookInput/properties/isbn/pattern',
    prove: creates(book, { isbn: '97801410361441' }),
  },
  'title-in-bytes': {
    class: 'C',
    operation: 'POST /books',
    breaks: 'the length counts characters: /components/schemas/BookInput/properties/title/maxLength',
    prove: creates(book, { title: 'ż'.repeat(100) }),
  },
  'authors-repeat': {
    class: 'C',
    operation: 'POST /books',
    breaks: 'no author is repeated: /components/schemas/BookInput/properties/authors/uniqueItems',
    prove: creates(book, { authors: ['A. Fictitious', 'A. Fictitious'] }),
  },
  'no-children': {
    class: 'C',
    operation: 'POST /books',
    breaks: 'children is a genre: /components/schemas/Genre/enum',
    prove: creates(book, { genre: 'children' }),
  },
  'cost-zero': {
    class: 'C',
    operation: 'POST /books',
    breaks: 'the cost is above 0: /components/schemas/BookInput/properties/replacementCost/exclusiveMinimum',
    prove: creates(book, { replacementCost: 0 }),
  },
  'first-copy-only': {
    class: 'C',
    operation: 'POST /books',
    breaks: 'each copy has a barcode: /components/schemas/BookInput/properties/copies/items/properties/barcode/pattern',
    prove: creates(book, { copies: [{ barcode: 'LB-000418' }, { barcode: 'none' }] }),
  },
  'empty-patch': {
    class: 'C',
    operation: 'PATCH /books/{bookId}',
    breaks: 'a patch has a member: /components/schemas/BookPatch/minProperties',
    prove: async (send: Send) => (await patch(send, {})).status,
  },
  'address-extra': {
    class: 'C',
    operation: 'POST /members',
    breaks: 'an address has no further members: /components/schemas/Address/additionalProperties',
    prove: creates(member, { address: { street: 'Kai 1', postcode: '20457', city: 'Hafen', floor: 3 } }),
  },
  'phone-null': {
    class: 'C',
    operation: 'POST /members',
    breaks: 'phone may be null: /components/schemas/MemberInput/properties/phone/type',
    prove: creates(member, { phone: null }),
  },
  'email-any': {
    class: 'C',
    operation: 'POST /members',
    breaks: 'email is an address: /components/schemas/MemberInput/properties/email/format',
    prove: creates(member, { email: 'zoe at mail' }),
  },
  'pin-optional': {
    class: 'C',
    operation: 'POST /members',
    breaks: 'pin is required: /components/schemas/MemberInput/required',
    prove: status('POST /members', { body: { name: member.name, email: member.email } }),
  },
  // D: credentials and access
  'copy-public': {
    class: 'D',
    operation: 'GET /books/{bookId}/copies/{copyId}',
    breaks: 'the operation needs a token: /paths/~1books~1{bookId}~1copies~1{copyId}/get/security',
    prove: status(`GET /books/${bookId('001')}/copies/${copyId('101')}`, { token: null }),
  },
  'expired-token': {
    class: 'D',
    operation: '*',
    breaks: 'an expired token is rejected with 401: RFC 6750, 3.1',
    prove: status('GET /books', { token: credentials.first.expired }),
  },
  'signature-unchecked': {
    class: 'D',
    operation: '*',
    breaks: 'an invalid token is rejected with 401: RFC 6750, 3.1',
    prove: status('GET /books', { token: `${credentials.first.token.slice(0, -1)}_` }),
  },
  'scheme-case': {
    class: 'D',
    operation: '*',
    breaks: 'the name of a scheme is case-insensitive: RFC 9110, 11.1',
    prove: status('GET /books', { token: null, headers: { Authorization: `bearer ${credentials.first.token}` } }),
  },
  'no-challenge': {
    class: 'D',
    operation: '*',
    breaks: '401 has WWW-Authenticate: RFC 9110, 15.5.2; /components/responses/Unauthorized/headers',
    prove: part('GET /books', ({ headers }) => headers['www-authenticate'], { token: null }),
  },
  'token-in-query': {
    class: 'D',
    operation: 'GET /books',
    breaks: 'the token is in the Authorization header: /components/securitySchemes/desk/description',
    prove: status(`GET /books?access_token=${credentials.first.token}`, { token: null }),
  },
  'lend-by-any-scope': {
    class: 'D',
    operation: 'POST /loans',
    breaks: 'lending needs loans:write: /paths/~1loans/post/security',
    prove: status('POST /loans', { body: loan, token: narrow['loans:read'] }),
  },
  'wrong-scope': {
    class: 'D',
    operation: 'GET /loans',
    breaks: 'loans:read is enough: /paths/~1loans/get/security',
    prove: status('GET /loans', { token: narrow['loans:read'] }),
  },
  'insufficient-401': {
    class: 'D',
    operation: 'POST /books',
    breaks: 'a lacking scope is answered 403: /components/responses/Forbidden; RFC 6750, 3.1',
    prove: status('POST /books', { body: book, token: narrow['catalogue:read'] }),
  },
  'or-as-and': {
    class: 'D',
    operation: 'GET /members/{memberId}',
    breaks: 'either scope is enough: /paths/~1members~1{memberId}/get/security',
    prove: status(`GET /members/${memberId('201')}`, { token: narrow.admin }),
  },
  'and-as-or': {
    class: 'D',
    operation: 'PATCH /books/{bookId}',
    breaks: 'both scopes are needed: /paths/~1books~1{bookId}/patch/security',
    prove: status(`PATCH /books/${bookId('001')}`, {
      body: { title: 'Another' },
      headers: { 'If-Match': '"1"' },
      token: narrow['catalogue:read'],
    }),
  },
  'foreign-loan': {
    class: 'D',
    operation: 'GET /loans/{loanId}',
    breaks: 'a client sees nothing of the other branches: /info/description; /components/responses/NotFound',
    prove: status(`GET /loans/${loanId('311')}`),
  },
  'foreign-book-change': {
    class: 'D',
    operation: 'PATCH /books/{bookId}',
    breaks: 'a client sees nothing of the other branches: /info/description; /components/responses/NotFound',
    prove: async (send: Send) => {
      await send(`PATCH /books/${bookId('011')}`, { body: { title: 'Another' }, headers: { 'If-Match': '"1"' } });
      return at(await send(`GET /books/${bookId('011')}`, second), 'title');
    },
  },
  'foreign-loans-listed': {
    class: 'D',
    operation: 'GET /loans',
    breaks: 'the loans are those of the branch: /paths/~1loans/get/summary',
    prove: part(`GET /loans?memberId=${memberId('211')}`, (reply) => at(reply, 'items', 'length')),
  },
  'total-of-all': {
    class: 'D',
    operation: 'GET /books',
    breaks:
      'total counts the books on all pages, which are those of the branch: /components/schemas/BookPage/properties/total',
    prove: part('GET /books', (reply) => at(reply, 'total')),
  },
  'foreign-cancel': {
    class: 'D',
    operation: 'DELETE /members/{memberId}/reservations/{bookId}',
    breaks: 'a client sees nothing of the other branches: /info/description; /components/responses/NotFound',
    prove: status(`DELETE ${reservedElsewhere}`),
  },
  'foreign-403': {
    class: 'D',
    operation: 'GET /members/{memberId}',
    breaks: 'a resource of another branch is answered 404: /components/responses/NotFound; 403 is for scopes',
    prove: status(`GET /members/${memberId('211')}`),
  },
  'copy-of-any-book': {
    class: 'D',
    operation: 'GET /books/{bookId}/copies/{copyId}',
    breaks: 'a copy is found only under its own book: /paths/~1books~1{bookId}~1copies~1{copyId}/get/responses/200',
    prove: status(`GET /books/${bookId('002')}/copies/${copyId('101')}`),
  },
  'branch-by-body': {
    class: 'D',
    operation: 'POST /members',
    breaks:
      'a member is enrolled in the branch of the client: /paths/~1members/post/summary; /components/schemas/MemberInput',
    prove: creates(member, { branch: 'hillside' }),
  },
  'scope-escalation': {
    class: 'D',
    operation: 'POST /oauth/token',
    breaks: 'a scope that the client may not have is answered 400: /paths/~1oauth~1token/post/responses/400',
    prove: status('POST /oauth/token', clientForm(credentials.kiosk, { scope: 'catalogue:read loans:write' })),
  },
  'secret-unchecked-in-form': {
    class: 'D',
    operation: 'POST /oauth/token',
    breaks: 'a wrong secret is answered 401: /paths/~1oauth~1token/post/responses/401; RFC 6749, 5.2',
    prove: status('POST /oauth/token', clientForm({ ...credentials.first, clientSecret: 'wrong' })),
  },
  // E: lists
  'page-skips-one': {
    class: 'E',
    operation: 'GET /books',
    breaks:
      'next is the next page, so no book is left out: /components/schemas/BookPage/properties/next; RFC 8288, 3.3',
    prove: (send: Send) => walk(send, '/books?limit=1'),
  },
  'page-repeats-last': {
    class: 'E',
    operation: 'GET /loans',
    breaks:
      'next is the next page, so no loan is on two pages: /components/schemas/LoanPage/properties/next; RFC 8288, 3.3',
    prove: (send: Send) => walk(send, '/loans?limit=2'),
  },
  'total-of-rest': {
    class: 'E',
    operation: 'GET /loans',
    breaks: 'total counts the loans on all pages: /components/schemas/LoanPage/properties/total',
    prove: async (send: Send) => {
      const first = await send('GET /loans?limit=1');
      return at(await send(`GET ${String(at(first, 'next')).slice(3)}`), 'total');
    },
  },
  'next-without-filter': {
    class: 'E',
    operation: 'GET /books',
    breaks: 'each page has books of these genres: /paths/~1books/get/parameters/1; BookPage/properties/next',
    prove: (send: Send) => walk(send, '/books?limit=1&genre=novel&genre=children'),
  },
  'genre-last-only': {
    class: 'E',
    operation: 'GET /books',
    breaks: 'books of any of these genres: /paths/~1books/get/parameters/1/description',
    prove: (send: Send) => walk(send, '/books?genre=novel&genre=children'),
  },
  'title-descending-ignored': {
    class: 'E',
    operation: 'GET /books',
    breaks: '- is descending: /paths/~1books/get/parameters/3/description',
    prove: (send: Send) => walk(send, '/books?sort=-title'),
  },
  'due-before-inclusive': {
    class: 'E',
    operation: 'GET /loans',
    breaks: 'loans that are due before this day: /paths/~1loans/get/parameters/2/description',
    prove: async (send: Send) => {
      const due = at(await send(`GET /loans/${loanId('302')}`), 'dueOn');
      return (await walk(send, `/loans?status=overdue&dueBefore=${due}`)).length;
    },
  },
  'open-with-overdue': {
    class: 'E',
    operation: 'GET /loans',
    breaks: 'only loans with this status: /paths/~1loans/get/parameters/1/description',
    prove: (send: Send) => walk(send, '/loans?status=open'),
  },
  // F: state
  'created-notes-lost': {
    class: 'F',
    operation: 'POST /books',
    also: ['GET /books/{bookId}', 'GET /books', 'PATCH /books/{bookId}'],
    breaks:
      '201 means that the book was created as it is answered: /paths/~1books/post/responses/201; RFC 9110, 15.3.2',
    prove: async (send: Send) => {
      const { headers } = await send('POST /books', { body: { ...book, notes: { condition: 'new' } } });
      return at(await send(`GET ${String(headers.location).slice(3)}`), 'notes');
    },
  },
  'title-cut': {
    class: 'F',
    operation: 'POST /books',
    also: ['GET /books/{bookId}', 'GET /books', 'PATCH /books/{bookId}'],
    breaks: 'a title has up to 120 characters: /components/schemas/BookInput/properties/title; RFC 9110, 15.3.2',
    prove: async (send: Send) => {
      const { headers } = await send('POST /books', { body: { ...book, title: 'Tide '.repeat(20) } });
      return at(await send(`GET ${String(headers.location).slice(3)}`), 'title');
    },
  },
  'patch-resets-age': {
    class: 'F',
    operation: 'PATCH /books/{bookId}',
    also: ['GET /books/{bookId}', 'GET /books'],
    breaks: 'a member that a merge patch omits stays: RFC 7396, 2; /paths/~1books~1{bookId}/patch/description',
    prove: async (send: Send) => {
      await send(`PATCH /books/${bookId('003')}`, { body: { title: 'Ebb' }, headers: { 'If-Match': '"1"' } });
      return at(await send(`GET /books/${bookId('003')}`), 'ageFrom');
    },
  },
  'updated-at-stays': {
    class: 'F',
    operation: 'PATCH /books/{bookId}',
    also: ['GET /books/{bookId}', 'GET /books'],
    breaks: 'updatedAt is the time of the last change: /components/schemas/Book/properties/updatedAt',
    prove: async (send: Send) => {
      const changed = await patch(send, { title: 'Another' });
      return at(changed, 'updatedAt') === at(changed, 'createdAt');
    },
  },
  'genre-of-all': {
    class: 'F',
    operation: 'PATCH /books/{bookId}',
    also: ['GET /books/{bookId}', 'GET /books'],
    breaks: 'PATCH changes the resource of its target URI alone: RFC 5789, 2; /paths/~1books~1{bookId}/patch/summary',
    prove: async (send: Send) => {
      const { headers } = await send('POST /books', { body: book });
      await patch(send, { genre: 'essay' });
      return at(await send(`GET ${String(headers.location).slice(3)}`), 'genre');
    },
  },
  'earlier-tag-accepted': {
    class: 'F',
    operation: 'PATCH /books/{bookId}',
    also: ['GET /books/{bookId}', 'GET /books'],
    breaks: 'the entity tag of an earlier state prevents the change: RFC 9110, 13.1.1; .../patch/parameters/0',
    prove: async (send: Send) => {
      await patch(send, { title: 'Another' });
      return (await patch(send, { ageFrom: 12 })).status;
    },
  },
  'put-keeps-notify': {
    class: 'F',
    operation: 'PUT /members/{memberId}/reservations/{bookId}',
    breaks: 'PUT replaces the state; notify is email unless given: RFC 9110, 9.3.4; ReservationInput/properties/notify',
    prove: async (send: Send) => {
      await send(`PUT ${reserved}`, { body: { ...reservation, notify: 'sms' } });
      return at(await send(`PUT ${reserved}`, { body: reservation }), 'notify');
    },
  },
  'cancel-cancels-all': {
    class: 'F',
    operation: 'DELETE /members/{memberId}/reservations/{bookId}',
    also: ['PUT /members/{memberId}/reservations/{bookId}'],
    breaks: 'DELETE removes the resource of its target URI alone: RFC 9110, 9.3.5; .../delete/responses/204',
    prove: async (send: Send) => {
      const other = reserved.replace('202', '201');
      await send(`PUT ${other}`, { body: reservation });
      await send(`DELETE ${reserved}`);
      return (await send(`PUT ${other}`, { body: reservation })).status;
    },
  },
  'key-with-any-body': {
    class: 'F',
    operation: 'POST /loans',
    breaks: 'a repeated Idempotency-Key with another body is answered 422: /paths/~1loans/post/description',
    prove: async (send: Send) => {
      const headers = { 'Idempotency-Key': 'desk-2-0041' };
      await send('POST /loans', { body: loan, headers });
      return (await send('POST /loans', { body: { ...loan, copyId: copyId('102') }, headers })).status;
    },
  },
  'rejected-loan-takes-copy': {
    class: 'F',
    operation: 'POST /loans',
    also: ['GET /books/{bookId}/copies/{copyId}', 'GET /books/{bookId}', 'GET /books', 'PATCH /books/{bookId}'],
    breaks: 'a rejected request lends nothing: /paths/~1loans/post/description; RFC 9110, 15.5.10',
    prove: async (send: Send) => {
      await send('POST /loans', { body: { ...loan, memberId: memberId('203') } });
      return at(await send(`GET /books/${bookId('001')}/copies/${copyId('101')}`), 'status');
    },
  },
  'return-keeps-on-loan': {
    class: 'F',
    operation: 'POST /loans/{loanId}/return',
    also: [
      'GET /books/{bookId}/copies/{copyId}',
      'GET /books/{bookId}',
      'GET /books',
      'PATCH /books/{bookId}',
      'POST /loans',
    ],
    breaks: 'the copy is on the shelf again: /paths/~1loans~1{loanId}~1return/post/description',
    prove: async (send: Send) => {
      await send(`POST /loans/${loanId('301')}/return`);
      return at(await send(`GET /books/${bookId('001')}/copies/${copyId('104')}`), 'status');
    },
  },
  'returned-loans-counted': {
    class: 'F',
    operation: 'GET /members/{memberId}',
    also: ['POST /loans/{loanId}/return'],
    breaks: 'openLoans counts the loans that are not returned: /components/schemas/Member/properties/openLoans',
    prove: async (send: Send) => {
      await send(`POST /loans/${loanId('301')}/return`);
      return at(await send(`GET /members/${memberId('201')}`), 'openLoans');
    },
  },
  'read-extends-loan': {
    class: 'F',
    operation: 'GET /loans/{loanId}',
    also: ['GET /loans', 'POST /loans/{loanId}/return'],
    breaks: 'GET is safe: RFC 9110, 9.2.1; dueOn is the day of lending and the number of days',
    prove: async (send: Send) => {
      const reads = [await send(`GET /loans/${loanId('301')}`), await send(`GET /loans/${loanId('301')}`)];
      return new Set(reads.map((reply) => at(reply, 'dueOn'))).size;
    },
  },
} as const satisfies Record<string, Omit<Fault, 'id'>>;

export type FaultId = keyof typeof table;

export const faults: readonly Fault[] = Object.entries(table).map(([id, fault]) => ({ id, ...fault }));
export const isFaultId = (id: string): id is FaultId => Object.hasOwn(table, id);
export function operationsOf(id: FaultId): readonly string[] {
  const { operation, also = [] }: Omit<Fault, 'id'> = table[id];
  return [operation, ...also];
}
/** Whether the fault shows in answers that depend on earlier requests or on several objects. */
export const isStateful = (id: FaultId): boolean => table[id].class >= 'E';
