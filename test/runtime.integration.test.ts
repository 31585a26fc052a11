import type { RequestListener } from 'node:http';
import { createRuntime } from '@lockstep/runtime/create-runtime';
import { apiKey, basic, bearer } from '@lockstep/runtime/security/scheme';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import museumContract from '../toolkit/fixtures/museum/generated/contract.gen.json' with { type: 'json' };
import { operations as museumOperations } from '../toolkit/fixtures/museum/generated/operations.gen.ts';
import paymentsContract from '../toolkit/fixtures/payments/generated/contract.gen.json' with { type: 'json' };
import { operations as allPayments } from '../toolkit/fixtures/payments/generated/operations.gen.ts';
import { type Curator, createMuseumHandlers } from './fixtures/museum-handlers.ts';
import { createPaymentsHandlers, type Merchant } from './fixtures/payments-handlers.ts';
import { createKeptLog, type Served, serveRuntime } from './fixtures/serve-runtime.ts';

// If these fail, what serves our own contract does not serve any: two that have nothing in common with it are served whole.

const secret = 'the vault opens with 4711';
const breakDown = () => {
  throw new Error(secret);
};

type MuseumHandlers = ReturnType<typeof createMuseumHandlers>;

function createMuseum(overrides: Partial<MuseumHandlers> = {}, checkResponses = true) {
  const { logger, lines } = createKeptLog();
  const runtime = createRuntime({
    contract: museumContract,
    operations: museumOperations,
    handlers: { ...createMuseumHandlers(), ...overrides },
    security: {
      Badge: basic<Curator>(
        ({ username, password }) =>
          password === 'open sesame'
            ? {
                kind: 'good',
                principal: { name: username, reads: username === 'registry' ? 'tables' : 'lists', isSealed: false },
              }
            : { kind: 'bad', reason: 'invalid' },
        { missing: 'Show your badge: send Basic <base64 of name:password>' },
      ),
      Seal: apiKey<Curator>((key, soFar) =>
        key === 'wax' && soFar !== undefined
          ? { kind: 'good', principal: { ...soFar, isSealed: true } }
          : { kind: 'bad', reason: 'revoked' },
      ),
    },
    logger,
    checkResponses,
  });
  return { runtime, lines };
}

const { supplyEvidence, listDisputeEvents, ...paymentsOperations } = allPayments;

/** Tokens are a shop and its scopes. */
const paymentSchemes = {
  ApiKey: apiKey<Merchant>((key) =>
    key === 'key-of-bakery'
      ? { kind: 'good', principal: { shop: 'bakery', vouchedBy: ['key'] } }
      : { kind: 'bad', reason: 'invalid' },
  ),
  OAuth: bearer<Merchant>((token, soFar) => {
    const [shop = '', ...scopes] = token.split('.');
    if (shop === 'closed') return { kind: 'bad', reason: 'expired' };
    return {
      kind: 'good',
      principal: { shop, vouchedBy: [...(soFar?.vouchedBy ?? []), 'token'] },
      scopes: new Set(scopes.map((scope) => `payments:${scope}`)),
    };
  }),
};

type PaymentsHandlers = ReturnType<typeof createPaymentsHandlers>;

function createPayments(overrides: Partial<PaymentsHandlers> = {}) {
  const { logger, lines } = createKeptLog();
  const runtime = createRuntime({
    contract: paymentsContract,
    operations: paymentsOperations,
    handlers: { ...createPaymentsHandlers(), ...overrides },
    security: paymentSchemes,
    logger,
    checkResponses: true,
  });
  return { runtime, lines };
}

interface Scenario {
  readonly name: string;
  /** Method and target; `GET` where it is left out. */
  readonly asks: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestInit['body'];
  readonly status: number;
  /** Without a body where it is left out. */
  readonly mediaType?: string;
  /** Those named must be so; `null`: must not be there. */
  readonly answers?: Readonly<Record<string, string | RegExp | null>>;
  /** JSON, or text, or a part of either. */
  readonly says?: string | object;
  readonly hides?: readonly string[];
}

const json = 'application/json';
const problem = 'application/problem+json';
const curator = { authorization: `Basic ${btoa('ada:open sesame')}` };
const registry = { authorization: `Basic ${btoa('registry:open sesame')}` };
const trainee = { authorization: `Basic ${btoa('trainee:open sesame')}` };
const sends = (type: string) => ({ 'content-type': type });
const sendsJson = sends(json);
const sendsForm = sends('application/x-www-form-urlencoded');
const bell = {
  id: '0192-b',
  name: 'Bronze bell',
  room: 12,
  made: { from: -320, to: -280 },
  condition: 'sound',
} as const;
const loan = '/store/v2/loans/7b0c1f6e-6a55-4c7e-9d0f-2f1f0a3f8a11';

function upload(artefact: unknown, photo: Uint8Array<ArrayBuffer> | undefined): FormData {
  const form = new FormData();
  form.append('artefact', new Blob([JSON.stringify(artefact)], { type: json }));
  if (photo !== undefined) form.append('photo', new Blob([photo], { type: 'image/png' }), 'photo.png');
  return form;
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0xff, 0xfe, 0x00]);

/** In the order they are asked: what one changes the next may see. */
const museumScenarios: readonly Scenario[] = [
  // Reading.
  {
    name: 'a list for nobody in particular',
    asks: '/store/v2/artefacts',
    status: 200,
    mediaType: json,
    answers: { 'x-total': '3' },
    says: [bell, { id: '0193-m' }],
  },
  {
    name: 'a page, a list of rooms and a deep object',
    asks: '/store/v2/artefacts?room=12,3&made[from]=1000&page=1',
    status: 200,
    mediaType: json,
    answers: { 'x-total': '1' },
    says: [{ id: '0194-v' }],
  },
  {
    name: 'a table for who reads tables',
    asks: '/store/v2/artefacts?room=12',
    headers: registry,
    status: 200,
    mediaType: 'text/csv',
    answers: { 'x-total': '2' },
    says: 'id,name\n0192-b,Bronze bell\n0194-v,Vase',
  },
  {
    name: 'a badge that is wrong, where none is asked for',
    asks: '/store/v2/artefacts',
    headers: { authorization: `Basic ${btoa('ada:guess')}` },
    status: 200,
    mediaType: json,
  },
  {
    name: 'a literal path next to a template',
    asks: '/store/v2/artefacts/on-loan',
    headers: curator,
    status: 200,
    mediaType: json,
    says: [{ id: '0194-v' }],
  },
  {
    name: 'one artefact, for anybody',
    asks: '/store/v2/artefacts/0192-b',
    status: 200,
    mediaType: json,
    answers: { etag: '"1"' },
    says: bell,
  },
  {
    name: 'a photo, byte by byte',
    asks: '/store/v2/artefacts/0192-b/photo',
    status: 200,
    mediaType: 'image/png',
    answers: { 'content-length': '6' },
  },
  {
    name: 'HEAD with an operation of its own, which claims no length',
    asks: 'HEAD /store/v2/artefacts/0192-b/photo',
    status: 200,
    answers: { 'content-length': null },
  },
  {
    name: 'HEAD with an operation of its own, refused by it',
    asks: 'HEAD /store/v2/artefacts/0193-m/photo',
    status: 404,
    answers: { 'content-length': null },
  },
  {
    name: 'HEAD where GET is declared',
    asks: 'HEAD /store/v2/artefacts/0192-b',
    status: 200,
    answers: { 'content-length': '97', 'content-type': json, etag: '"1"' },
  },
  {
    name: 'OPTIONS',
    asks: 'OPTIONS /store/v2/artefacts/0192-b',
    status: 204,
    answers: { allow: 'DELETE, GET, HEAD, OPTIONS, PUT' },
  },

  // Writing.
  {
    name: 'a new artefact, its default filled in',
    asks: 'POST /store/v2/artefacts',
    headers: { ...curator, ...sendsJson },
    body: JSON.stringify({ name: 'Comb', room: 4 }),
    status: 201,
    mediaType: json,
    answers: { location: '/store/v2/artefacts/0203-n' },
    says: { id: '0203-n', name: 'Comb', room: 4, condition: 'sound' },
  },
  {
    name: 'a new artefact with its photo',
    asks: 'POST /store/v2/artefacts',
    headers: curator,
    body: upload({ name: 'Coin', room: 5, condition: 'fragile' }, png),
    status: 201,
    mediaType: json,
    says: { id: '0204-n', name: 'Coin', room: 5, condition: 'fragile' },
  },
  {
    name: 'that photo',
    asks: '/store/v2/artefacts/0204-n/photo',
    status: 200,
    mediaType: 'image/png',
    says: Buffer.from(png).toString('latin1'),
  },
  {
    name: 'a replacement of what was read',
    asks: 'PUT /store/v2/artefacts/0192-b',
    headers: { ...curator, ...sendsJson, 'if-match': '"1"' },
    body: JSON.stringify({ name: 'Bell', room: 13, made: null }),
    status: 204,
    answers: { 'content-length': null },
  },
  {
    name: 'a replacement of what has changed since',
    asks: 'PUT /store/v2/artefacts/0192-b',
    headers: { ...curator, ...sendsJson, 'if-match': '"1"' },
    body: JSON.stringify({ name: 'Bell', room: 13 }),
    status: 412,
    mediaType: problem,
    says: { type: 'about:blank', status: 412, title: 'Changed since it was read' },
  },
  {
    name: 'a form, with a number in it',
    asks: 'POST /store/v2/loans',
    headers: { ...curator, ...sendsForm },
    body: 'artefactId=0192-b&borrower=Ada&until=2027-01-31&answerTo=https%3A%2F%2Fa.example&insuredFor=19.99',
    status: 202,
    mediaType: json,
    says: { loanId: '0d4f52c3-1f8e-4f4e-8f9c-60c2f3a1b7aa', state: 'requested', until: '2027-01-31' },
  },
  {
    name: 'a patch in a type of JSON',
    asks: `PATCH ${loan}`,
    headers: { ...curator, ...sends('application/merge-patch+json') },
    body: '{"until":null}',
    status: 200,
    mediaType: json,
    says: { state: 'granted', until: null },
  },

  // Both of two schemes.
  {
    name: 'a removal with badge and seal',
    asks: 'DELETE /store/v2/artefacts/0193-m',
    headers: { ...curator, 'x-seal': 'wax' },
    status: 204,
  },
  {
    name: 'a removal with badge alone',
    asks: 'DELETE /store/v2/artefacts/0192-b',
    headers: curator,
    status: 401,
    mediaType: problem,
    answers: { 'www-authenticate': 'Basic realm="Museum store", ApiKey realm="Museum store"' },
    says: { status: 401, title: 'Unauthorized', detail: 'The header X-Seal is missing' },
    hides: ['open sesame'],
  },
  {
    name: 'a removal with a seal that counts no more',
    asks: 'DELETE /store/v2/artefacts/0192-b',
    headers: { ...curator, 'x-seal': 'lead' },
    status: 401,
    mediaType: problem,
    says: { detail: 'The key was revoked' },
    hides: ['lead'],
  },
  {
    name: 'a removal with a seal alone',
    asks: 'DELETE /store/v2/artefacts/0192-b',
    headers: { 'x-seal': 'wax' },
    status: 401,
    mediaType: problem,
    says: { detail: 'Show your badge: send Basic <base64 of name:password>' },
  },

  // Refusals, in the words of the contract where it has some.
  {
    name: 'no such path',
    asks: '/store/v2/artefact',
    status: 404,
    mediaType: problem,
    says: {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'not found route: GET /store/v2/artefact, did you mean /store/v2/artefacts?',
    },
  },
  { name: 'another edition', asks: '/store/v1/artefacts', status: 404, mediaType: problem },
  { name: 'without the base path', asks: '/artefacts', status: 404, mediaType: problem },
  {
    name: 'a method that the path does not have',
    asks: 'PATCH /store/v2/artefacts',
    status: 405,
    mediaType: problem,
    answers: { allow: 'GET, HEAD, OPTIONS, POST' },
    says: { title: 'Method Not Allowed', detail: 'PATCH is not allowed here, use GET, HEAD, OPTIONS or POST' },
  },
  {
    name: 'nobody, where a range declares the refusal',
    asks: '/store/v2/artefacts/on-loan',
    status: 401,
    mediaType: problem,
    answers: { 'www-authenticate': 'Basic realm="Museum store"' },
    says: {
      type: 'about:blank',
      status: 401,
      title: 'Unauthorized',
      detail: expect.stringContaining('Show your badge'),
    },
  },
  {
    name: 'a wrong badge',
    asks: '/store/v2/artefacts/on-loan',
    headers: { authorization: `Basic ${btoa('ada:guess')}` },
    status: 401,
    mediaType: problem,
    says: { status: 401, title: 'Unauthorized', detail: 'User or password is wrong' },
    hides: ['guess', btoa('ada:guess')],
  },
  {
    name: 'what a handler refuses by a status of the range',
    asks: '/store/v2/artefacts/on-loan',
    headers: trainee,
    status: 403,
    mediaType: problem,
    says: { type: 'about:blank', status: 403, title: 'Trainees do not see loans' },
  },
  {
    name: 'what a handler refuses, named by the one type that its status has',
    asks: '/store/v2/artefacts/9999-z',
    status: 404,
    mediaType: problem,
    says: { type: 'about:blank', status: 404, title: 'Not in this house' },
  },
  {
    name: 'an id of the wrong form, undeclared',
    asks: '/store/v2/artefacts/bell',
    status: 400,
    mediaType: problem,
    says: { status: 400, title: 'Bad Request', errors: [{ in: 'path', at: 'artefactId' }] },
  },
  {
    name: 'a query name that is not declared, with the declared refusal filled',
    asks: '/store/v2/artefacts?rooms=1',
    status: 400,
    mediaType: problem,
    says: {
      type: 'about:blank',
      status: 400,
      title: 'Bad Request',
      detail: 'query parameter rooms is not known, did you mean room?',
    },
  },
  {
    name: 'an item of a list out of range',
    asks: '/store/v2/artefacts?room=12,100',
    status: 400,
    mediaType: problem,
    says: { detail: expect.stringContaining('room/1') },
  },
  {
    name: 'a member of a deep object that is not known',
    asks: '/store/v2/artefacts?made[form]=3',
    status: 400,
    mediaType: problem,
    says: { detail: expect.stringContaining('did you mean from?') },
  },
  {
    name: 'a body with a name of too many letters',
    asks: 'POST /store/v2/artefacts',
    headers: { ...curator, ...sendsJson },
    body: JSON.stringify({ name: 'a'.repeat(121), room: 1 }),
    status: 400,
    mediaType: problem,
    says: { status: 400, detail: 'name is too long, 121 characters: at most 120' },
    hides: ['aaaaaaaaaaaa'],
  },
  {
    name: 'a size of four numbers',
    asks: 'POST /store/v2/artefacts',
    headers: { ...curator, ...sendsJson },
    body: JSON.stringify({ name: 'Comb', room: 1, sizeMillimetres: [1, 2, 3, 4] }),
    status: 400,
    mediaType: problem,
  },
  {
    name: 'a part of a part with a room that is none',
    asks: 'POST /store/v2/artefacts',
    headers: { ...curator, ...sendsJson },
    body: JSON.stringify({ name: 'Comb', room: 1, parts: [{ name: 'Tooth', room: 'attic' }] }),
    status: 400,
    mediaType: problem,
    says: { detail: expect.stringContaining('parts/0/room') },
  },
  {
    name: 'an upload without its photo',
    asks: 'POST /store/v2/artefacts',
    headers: curator,
    body: upload({ name: 'Coin', room: 5 }, undefined),
    status: 400,
    mediaType: problem,
    says: { detail: expect.stringContaining('photo is required') },
  },
  {
    name: 'an upload whose part is no such artefact',
    asks: 'POST /store/v2/artefacts',
    headers: curator,
    body: upload({ name: 'Coin', room: 500 }, png),
    status: 400,
    mediaType: problem,
    says: { detail: expect.stringContaining('artefact/room') },
  },
  {
    name: 'an upload that breaks off',
    asks: 'POST /store/v2/artefacts',
    headers: { ...curator, ...sends('multipart/form-data; boundary=x') },
    body: '--x\r\nContent-Disposition: form-data; name="artefact"\r\n\r\n{"name"',
    status: 400,
    mediaType: problem,
    says: { detail: 'the body is not valid multipart/form-data' },
  },
  {
    name: 'an upload that names no boundary',
    asks: 'POST /store/v2/artefacts',
    headers: { ...curator, ...sends('multipart/form-data') },
    body: '--x--',
    status: 400,
    mediaType: problem,
    says: { detail: 'the body is not valid multipart/form-data' },
  },
  {
    name: 'a body of a type that is not declared, where no refusal of it is',
    asks: `PATCH ${loan}`,
    headers: { ...curator, ...sendsJson },
    body: '{"until":null}',
    status: 415,
    mediaType: problem,
    says: {
      title: 'Unsupported Media Type',
      detail: expect.stringContaining('send the body as application/merge-patch+json'),
    },
  },
  {
    name: 'a body of a type that is not declared, where bad requests are',
    asks: 'POST /store/v2/artefacts',
    headers: { ...curator, ...sends('text/plain') },
    body: 'Comb',
    status: 400,
    mediaType: problem,
    says: { detail: expect.stringContaining('send the body as application/json or multipart/form-data') },
  },
  {
    name: 'a body that is too large, where no refusal of it is declared',
    asks: `PATCH ${loan}`,
    headers: { ...curator, ...sends('application/merge-patch+json') },
    body: `{"until":null}${' '.repeat(65_536)}`,
    status: 413,
    mediaType: problem,
    says: { detail: 'The body is larger than 65536 bytes' },
  },
  {
    name: 'a loan of what is on loan',
    asks: 'POST /store/v2/loans',
    headers: { ...curator, ...sendsForm },
    body: 'artefactId=0194-v&borrower=Ada&until=2027-01-31&answerTo=https%3A%2F%2Fa.example',
    status: 409,
    mediaType: problem,
    says: { title: 'Out of the house already' },
  },
  {
    name: 'a form with a name twice',
    asks: 'POST /store/v2/loans',
    headers: { ...curator, ...sendsForm },
    body: 'artefactId=0192-b&artefactId=0194-v',
    status: 400,
    mediaType: problem,
    says: { detail: 'artefactId is sent more than once' },
  },
  {
    name: 'a sum that is no whole number of cents',
    asks: 'POST /store/v2/loans',
    headers: { ...curator, ...sendsForm },
    body: 'artefactId=0192-b&borrower=Ada&until=2027-01-31&answerTo=https%3A%2F%2Fa.example&insuredFor=19.995',
    status: 400,
    mediaType: problem,
    says: { detail: expect.stringContaining('multiple of 0.01') },
  },
  {
    name: 'a header that is required',
    asks: 'PUT /store/v2/artefacts/0192-b',
    headers: { ...curator, ...sendsJson },
    body: JSON.stringify({ name: 'Bell', room: 13 }),
    status: 400,
    mediaType: problem,
    says: { status: 400, detail: 'If-Match is required' },
  },
];

const key = { 'x-api-key': 'key-of-bakery' };
const token = (...scopes: string[]) => ({ authorization: `Bearer ${['florist', ...scopes].join('.')}` });
const amount = { currency: 'EUR', value: 1250 };
const card = { type: 'card', holder: 'Ada', number: '4111111111111111', expiry: '2030-01', securityCode: '737' };
const pay = (change: object = {}) => JSON.stringify({ amount, method: card, reference: 'r', ...change });
const refunds = '/api/payments/AAAABBBBCCCCDDDD/refunds';

const paymentsScenarios: readonly Scenario[] = [
  // One of two schemes, or both.
  {
    name: 'a payment by key',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson, 'idempotency-key': 'k-1' },
    body: pay(),
    status: 200,
    mediaType: json,
    answers: { 'idempotency-key': 'k-1' },
    says: { result: 'Authorised', reference: '1000AAAABBBBCCCC', capturedAt: null },
    hides: ['4111'],
  },
  {
    name: 'the same payment by token, with no key to repeat',
    asks: 'POST /api/payments',
    headers: { ...token('write'), ...sendsJson },
    body: pay(),
    status: 200,
    mediaType: json,
    answers: { 'idempotency-key': null },
    says: { result: 'Authorised' },
  },
  {
    name: 'a payment by both, the token without its scopes',
    asks: 'POST /api/payments',
    headers: { ...key, ...token(), ...sendsJson },
    body: pay(),
    status: 200,
    mediaType: json,
  },
  {
    name: 'a payment by a token that may only read',
    asks: 'POST /api/payments',
    headers: { ...token('read'), ...sendsJson },
    body: pay(),
    status: 403,
    mediaType: problem,
    answers: { 'www-authenticate': 'Bearer realm="Payments", error="insufficient_scope", scope="payments:write"' },
    says: { title: 'Forbidden', detail: 'The token lacks the scope payments:write' },
  },
  {
    name: 'a payment by nobody',
    asks: 'POST /api/payments',
    headers: sendsJson,
    body: pay(),
    status: 401,
    mediaType: problem,
    answers: { 'www-authenticate': 'ApiKey realm="Payments", Bearer realm="Payments"' },
    says: { title: 'Unauthorized' },
  },
  {
    name: 'a payment by a token that has expired and a key that was not sent',
    asks: 'POST /api/payments',
    headers: { authorization: 'Bearer closed.write', ...sendsJson },
    body: pay(),
    status: 401,
    mediaType: problem,
    answers: { 'www-authenticate': 'ApiKey realm="Payments", Bearer realm="Payments", error="invalid_token"' },
    says: { detail: 'The access token has expired' },
    hides: ['closed'],
  },
  {
    name: 'a wrong key, refused by default in the words of the contract',
    asks: 'POST /api/payments/AAAABBBBCCCCDDDD/captures',
    headers: { 'x-api-key': 'guessed' },
    status: 401,
    mediaType: json,
    answers: { 'www-authenticate': 'ApiKey realm="Payments"' },
    says: { errorCode: '401', message: 'The key is invalid', status: 401 },
    hides: ['guessed'],
  },

  // Bodies.
  {
    name: 'a large payment without a session',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson },
    body: pay({ amount: { currency: 'EUR', value: 200_000 } }),
    status: 200,
    mediaType: json,
    says: { result: 'ActionRequired', action: { method: 'GET' } },
  },
  {
    name: 'a large payment with its session in a cookie',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson, cookie: 'theme=dark; session=7b0c1f6e-6a55-4c7e-9d0f-2f1f0a3f8a11' },
    body: pay({ amount: { currency: 'EUR', value: 200_000 } }),
    status: 200,
    mediaType: json,
    says: { result: 'Authorised' },
  },
  {
    name: 'a session that is none',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson, cookie: 'session=1' },
    body: pay(),
    status: 422,
    mediaType: json,
    says: { errorCode: '422', message: expect.stringContaining('session'), status: 422 },
  },
  {
    name: 'another form of a choice',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson },
    body: pay({ method: { type: 'storedCard', token: 'tok-12345' } }),
    status: 200,
    mediaType: json,
    says: { result: 'Refused', reason: 'Blocked' },
  },
  {
    name: 'a choice within a choice',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson },
    body: pay({ method: { type: 'bankTransfer', account: { iban: 'DE02120300000000202051' } } }),
    status: 200,
    mediaType: json,
    says: { result: 'Authorised' },
  },
  {
    name: 'the member that the chosen form has and this has not',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson },
    body: pay({ method: { ...card, expiry: '2030-13' } }),
    status: 422,
    mediaType: json,
    says: { errorCode: '422', message: expect.stringContaining('method/expiry') },
    hides: ['4111', '737'],
  },
  {
    name: 'what the meant form lacks, whatever others lack',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson },
    body: pay({ method: { type: 'storedCard' } }),
    status: 422,
    mediaType: json,
    says: { errorCode: '422', message: 'method/token is required' },
  },
  {
    name: 'a form that the choice does not have',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson },
    body: pay({ method: { type: 'cheque' } }),
    status: 422,
    mediaType: json,
    says: { message: expect.stringMatching(/method\/type .*card, storedCard, bankTransfer or invoice/) },
  },
  {
    name: 'a requirement of one value for another',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson },
    body: pay({ method: { type: 'invoice' } }),
    status: 422,
    mediaType: json,
    says: { message: expect.stringContaining('shopper is required') },
  },
  {
    name: 'what is asked too often',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson },
    body: pay({ reference: 'again' }),
    status: 429,
    mediaType: json,
    answers: { 'retry-after': '17' },
    says: { errorCode: '429', message: 'bakery asks too often' },
  },
  {
    name: 'what is no JSON',
    asks: 'POST /api/payments',
    headers: { ...key, ...sendsJson },
    body: '{"amount":',
    status: 422,
    mediaType: json,
    says: { errorCode: '422', message: expect.stringContaining('the body is not valid JSON') },
  },
  {
    name: 'a body that may be left out',
    asks: 'POST /api/payments/AAAABBBBCCCCDDDD/captures',
    headers: key,
    status: 201,
    mediaType: json,
    says: { amount, reference: 'key', status: 'received' },
  },
  {
    name: 'a body that need not be left out',
    asks: 'POST /api/payments/AAAABBBBCCCCDDDD/captures',
    headers: { ...key, ...sendsJson },
    body: JSON.stringify({ amount: { currency: 'EUR', value: 3 }, note: 'half' }),
    status: 201,
    mediaType: json,
    says: { amount: { currency: 'EUR', value: 3 }, note: 'half' },
  },
  {
    name: 'a type that default refuses',
    asks: 'POST /api/payments/AAAABBBBCCCCDDDD/captures',
    headers: { ...key, ...sends('text/xml') },
    body: '<amount/>',
    status: 415,
    mediaType: json,
    says: { errorCode: '415', message: expect.stringContaining('text/xml'), status: 415 },
  },
  {
    name: 'a size that default refuses',
    asks: 'POST /api/payments/AAAABBBBCCCCDDDD/captures',
    headers: { ...key, ...sendsJson },
    body: ' '.repeat(65_537),
    status: 413,
    mediaType: json,
    says: { errorCode: '413', status: 413 },
  },
  {
    name: 'what a handler refuses by default',
    asks: 'POST /api/payments/XXXXBBBBCCCCDDDD/captures',
    headers: key,
    status: 404,
    mediaType: json,
    says: { errorCode: '404', message: 'No such payment', status: 404 },
  },

  // Parameters.
  {
    name: 'a template with text behind its parameter',
    asks: refunds,
    headers: token('read'),
    status: 200,
    mediaType: json,
    says: { data: [{ amount, note: 'broken' }, { amount }], _links: {} },
  },
  {
    name: 'the other value of that parameter',
    asks: '/api/payments/AAAABBBBCCCCDDDD/reversals',
    headers: token('read'),
    status: 200,
    mediaType: json,
    says: { data: [], _links: {} },
  },
  {
    name: 'a value that the parameter does not have',
    asks: '/api/payments/AAAABBBBCCCCDDDD/charges',
    headers: token('read'),
    status: 400,
    mediaType: problem,
    says: { errors: [{ in: 'path', at: 'kind', nearest: ['refund', 'reversal'] }] },
  },
  {
    name: 'a path that is another operation of another method',
    asks: '/api/payments/AAAABBBBCCCCDDDD/captures',
    status: 405,
    mediaType: problem,
    answers: { allow: 'OPTIONS, POST' },
  },
  {
    name: 'a list between pipes, in a type of its own',
    asks: `${refunds}?fields=note%7Cnumber`,
    headers: token('read'),
    status: 200,
    mediaType: 'application/vnd.pay.v2+json',
    says: { 1: { amount, note: 'broken' }, 2: { amount } },
  },
  {
    name: 'a time with its colons as they are',
    asks: `${refunds}?since=2026-06-01T00:00:00Z`,
    headers: token('read'),
    status: 200,
    mediaType: json,
    says: { data: [], _links: {} },
  },
  {
    name: 'one of several forms of a deep object',
    asks: `${refunds}?filter[field]=note&filter[equals]=broken`,
    headers: token('read'),
    status: 200,
    mediaType: json,
    says: { data: [{ amount, note: 'broken' }], _links: {} },
  },
  {
    name: 'a deep object of no form',
    asks: `${refunds}?filter[field]=note`,
    headers: token('read'),
    status: 400,
    mediaType: problem,
    says: { errors: [{ in: 'query', at: 'filter' }] },
  },
  {
    name: 'what is asked for and not there, refused as it is declared',
    asks: '/api/payments/XXXXBBBBCCCCDDDD/refunds',
    headers: token('read'),
    status: 404,
    mediaType: json,
    says: { errorCode: '404', message: 'No such payment' },
  },
  {
    name: 'an object whose members are parameters',
    asks: '/api/paymentMethods?country=DE&currency=EUR&value=4000',
    headers: key,
    status: 200,
    mediaType: json,
    says: [{ type: 'card' }, { type: 'invoice' }],
  },
  {
    name: 'the same with a value that decides',
    asks: '/api/paymentMethods?country=DE&currency=EUR&value=90000',
    headers: key,
    status: 200,
    mediaType: json,
    says: [{ type: 'card', name: 'Card', fields: [{ key: 'number' }] }],
  },
  {
    name: 'such an object with a member missing',
    asks: '/api/paymentMethods?country=DE&currency=EUR',
    headers: key,
    status: 400,
    mediaType: json,
    says: { errorCode: '400', message: 'amount/value is required' },
  },
  {
    name: 'a parameter that is required',
    asks: '/api/paymentMethods',
    headers: key,
    status: 400,
    mediaType: json,
    says: { errorCode: '400', message: 'country is required' },
  },
];

describe.each([
  { name: 'a museum', create: (): Created => createMuseum(), scenarios: museumScenarios },
  { name: 'payments', create: (): Created => createPayments(), scenarios: paymentsScenarios },
])('$name', ({ create, scenarios }) => {
  const { runtime, lines } = create();
  let served: Served;
  beforeAll(async () => {
    served = await serveRuntime(runtime);
  });
  afterAll(async () => {
    await served.close();
    expect(lines, 'nothing is logged').toEqual([]);
  });

  test.for(scenarios)('$name', (scenario) => judge(served.origin, scenario));
});

interface Failure {
  readonly create: () => Created;
  readonly scenario: Scenario;
  /** The one line that the log gets. */
  readonly logs: { readonly text: string; readonly context: object };
}

const oneArtefact = { name: 'x', asks: '/store/v2/artefacts/0192-b', mediaType: problem } as const;
const onePayment = {
  name: 'x',
  asks: 'POST /api/payments',
  headers: { ...key, ...sendsJson },
  body: pay(),
  status: 500,
  mediaType: json,
} as const;
const internalProblem = { type: 'about:blank', title: 'Internal Server Error', status: 500, detail: 'Internal error' };
const broken = { text: 'the answer breaks the contract' };

const failures: readonly Failure[] = [
  {
    create: () => createMuseum({ readArtefact: breakDown }),
    scenario: { ...oneArtefact, name: 'a handler that throws', status: 500, says: internalProblem, hides: [secret] },
    logs: { text: 'internal error', context: { operationId: 'readArtefact', err: new Error(secret) } },
  },
  {
    create: () => createPayments({ createPayment: async () => breakDown() }),
    scenario: {
      ...onePayment,
      name: 'a handler that rejects, where a range declares it',
      says: { errorCode: '500', message: 'Internal error', status: 500 },
      hides: [secret, '4111'],
    },
    logs: { text: 'internal error', context: { operationId: 'createPayment', err: new Error(secret) } },
  },
  {
    create: () => createMuseum({ readArtefact: () => ({ status: 200, headers: {}, body: bell }) as never }),
    scenario: {
      ...oneArtefact,
      name: 'an answer without a header of the contract',
      status: 500,
      says: internalProblem,
    },
    logs: {
      ...broken,
      context: { status: 200, reason: 'is missing', pointer: expect.stringMatching(/headers\/ETag$/) },
    },
  },
  {
    create: () =>
      createMuseum({
        readArtefact: () => ({ status: 200, headers: { ETag: '"1"' }, body: { ...bell, worth: secret } }),
      }),
    scenario: { ...oneArtefact, name: 'an answer with a member beyond the contract', status: 500, hides: [secret] },
    logs: { ...broken, context: { reason: expect.stringContaining('worth') } },
  },
  {
    create: () => createMuseum({ readArtefact: () => ({ status: 418, body: { short: 'and stout' } }) as never }),
    scenario: { ...oneArtefact, name: 'a status beyond the contract', status: 500, hides: ['stout'] },
    logs: { ...broken, context: { reason: '418 is not declared' } },
  },
  {
    create: () =>
      createPayments({ createPayment: () => ({ status: 200, body: { result: 'Refused', reason: secret } }) as never }),
    scenario: {
      ...onePayment,
      name: 'an answer that is none of several forms',
      says: { errorCode: '500', message: 'Internal error' },
      hides: [secret],
    },
    logs: { ...broken, context: { operationId: 'createPayment', status: 200 } },
  },
  {
    create: () =>
      createPayments({
        createPayment: () => ({
          status: 429,
          headers: { 'Retry-After': '' },
          body: { errorCode: '429', message: 'x' },
        }),
      }),
    scenario: { ...onePayment, name: 'a header beyond its schema', answers: { 'retry-after': null } },
    logs: { ...broken, context: { pointer: expect.stringMatching(/headers\/Retry-After$/) } },
  },
];

describe('what fails', () => {
  test.for(failures)('is a 500 that reveals nothing, and a line in the log: $scenario.name', async (failure) => {
    const { runtime, lines } = failure.create();
    const served = await serveRuntime(runtime);
    try {
      await judge(served.origin, failure.scenario);
    } finally {
      await served.close();
    }
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ ...failure.logs, context: { requestId: 'r-1', ...failure.logs.context } });
  });

  test('leaves as it is where answers are not checked', async () => {
    const { runtime, lines } = createMuseum({ readArtefact: () => ({ status: 418, body: bell }) as never }, false);
    const served = await serveRuntime(runtime);
    await judge(served.origin, { ...oneArtefact, name: 'x', status: 418, mediaType: json, says: bell });
    await served.close();
    expect(lines).toEqual([]);
  });
});

describe('a start is refused', () => {
  const { logger } = createKeptLog();
  const payments = { contract: paymentsContract, handlers: createPaymentsHandlers(), logger };
  const anyScheme = bearer<Merchant>(() => ({ kind: 'bad', reason: 'invalid' }));
  const certified = { operations: { supplyEvidence, listDisputeEvents } };
  // Mistakes that types would find, for callers without types.
  const create = (options: object) => () => createRuntime(options as never);

  test.each([
    {
      name: 'for a scheme that no check knows',
      start: create({
        ...payments,
        ...certified,
        handlers: { supplyEvidence: breakDown, listDisputeEvents: breakDown },
        security: { Certificate: anyScheme },
      }),
      says: 'supplyEvidence: the security scheme Certificate is of type mutualTLS, which no check knows',
    },
    {
      name: 'without a check for a scheme',
      start: create({ ...payments, operations: paymentsOperations, security: { OAuth: anyScheme } }),
      says: 'no check for the security scheme ApiKey of type apiKey: pass security.ApiKey, created by apiKey',
    },
    {
      name: 'with a check of another type',
      start: create({
        ...payments,
        operations: paymentsOperations,
        security: { ...paymentSchemes, OAuth: paymentSchemes.ApiKey },
      }),
      says: 'the security scheme OAuth is of type oauth2: create security.OAuth by bearer, not by apiKey',
    },
    {
      name: 'without a handler',
      start: create({
        ...payments,
        operations: paymentsOperations,
        security: paymentSchemes,
        handlers: { ...payments.handlers, capturePayment: undefined },
      }),
      says: 'capturePayment: there is no handler',
    },
  ])('$name', ({ start, says }) => {
    expect(start).toThrow(says);
  });
});

interface Created {
  readonly runtime: { readonly listener: RequestListener };
  readonly lines: readonly { readonly context: object; readonly text: string }[];
}

async function judge(origin: string, { asks, headers = {}, body = null, ...want }: Scenario): Promise<void> {
  const [method = '', target = ''] = asks.includes(' ') ? asks.split(' ') : ['GET', asks];
  const response = await fetch(`${origin}${target}`, { method, headers: { ...headers, 'x-request-id': 'r-1' }, body });
  const text = Buffer.from(await response.arrayBuffer()).toString(
    want.mediaType?.startsWith('image/') ? 'latin1' : 'utf8',
  );
  expect({ status: response.status, text }).toEqual({ status: want.status, text: expect.any(String) });
  if (method !== 'HEAD') expect(response.headers.get('content-type')).toBe(want.mediaType ?? null);
  if (want.mediaType === undefined) expect(text).toBe('');
  expect(response.headers.get('x-request-id')).toBe('r-1');
  for (const [name, value] of Object.entries(want.answers ?? {})) {
    if (value instanceof RegExp) expect(response.headers.get(name), name).toMatch(value);
    else expect(response.headers.get(name), name).toBe(value);
  }
  if (typeof want.says === 'string') expect(text).toBe(want.says);
  else if (want.says !== undefined) expect(JSON.parse(text)).toMatchObject(want.says);
  for (const hidden of want.hides ?? []) expect(text).not.toContain(hidden);
}
