// A circulation desk over HTTP: the server of contract.yaml, in memory. It is correct unless one fault of faults.ts is switched on.
import { createHmac, randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import express, { type Request, type Response } from 'express';
import { parse } from 'yaml';
import { type FaultId, isFaultId, isStateful, operationsOf } from './faults.ts';
import { type Book, type Dict, day, type Loan, type Member, type Owned, type Reservation, seed } from './seed.ts';

// The contract

interface Schema {
  type?: string | string[];
  default?: unknown;
  enum?: string[];
  format?: string;
  pattern?: string;
  exclusiveMinimum?: number;
  minProperties?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  items?: Schema;
  uniqueItems?: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

type Security = readonly Record<string, readonly string[]>[];

interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly security: Security;
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses: Record<string, { readonly content?: object }>;
}

const base = '/v1';
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
const contract: Dict = parse(readFileSync(join(import.meta.dirname, 'contract.yaml'), 'utf8'));

/** A copy without references: each place has schemas of its own. */
function resolve(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolve);
  if (!isObject(node)) return node;
  const { $ref, ...rest } = node;
  const names = typeof $ref === 'string' ? $ref.split('/').slice(1) : [];
  const target = names.length > 0 ? resolve(names.reduce((at: unknown, name) => (at as Dict)[name], contract)) : {};
  return Object.assign({}, target, Object.fromEntries(Object.entries(rest).map(([name, it]) => [name, resolve(it)])));
}

function loadOperations(): Record<string, Operation> {
  const paths = resolve(contract.paths) as Record<string, Dict>;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      const parameters = [item.parameters ?? [], operation?.parameters ?? []].flat() as Parameter[];
      return operation === undefined ? [] : [{ ...operation, method, path, parameters }];
    }),
  );
  return Object.fromEntries(operations.map((operation) => [operation.operationId, operation]));
}

const operations = loadOperations();

// Validation of requests

/** RFC 5321, 4.1.2: the format of ajv-formats rejects quoted names, addresses in brackets, and domains of one label. */
const mailbox =
  /^([\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*|"([ !#-[\]-~]|\\[ -~])*")@([a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*|\[[\da-z.:-]+\])$/i;
const ajv = new Ajv2020({ strict: false, useDefaults: true, validateSchema: false, logger: false });
ajvFormats.default(ajv, { mode: 'full' });
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
ajv.addFormat('email', mailbox);
ajv.addKeyword({ keyword: 'maxBytes', validate: (max: number, text: string) => Buffer.byteLength(text) <= max });
const compiled = new WeakMap<Schema, ValidateFunction>();

interface Violation {
  readonly pointer: string;
  readonly detail: string;
}

/** Fills in defaults too. */
function validate(schema: Schema, value: unknown): readonly Violation[] {
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  if (check(value)) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => ({
    pointer: instancePath,
    detail: message ?? 'is invalid',
  }));
}

const parameterOf = ({ parameters }: Operation, name: string): Schema =>
  parameters.find((parameter) => parameter.name === name)?.schema ?? {};

function bodyOf({ requestBody }: Operation, ...names: string[]): Schema {
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema ?? {};
  return names.reduce((at, name) => (name === '[]' ? at.items : at.properties?.[name]) ?? {}, schema);
}

/** Faults of one keyword in one place. */
const schemaFaults: { readonly [id in FaultId]?: (operation: Operation) => void } = {
  'limit-51': (it) => Object.assign(parameterOf(it, 'limit'), { maximum: 51 }),
  'due-before-any-day': (it) => delete parameterOf(it, 'dueBefore').format,
  'idempotency-key-any': (it) => delete parameterOf(it, 'Idempotency-Key').pattern,
  'loan-id-any': (it) => delete parameterOf(it, 'loanId').format,
  'days-default': (it) => delete bodyOf(it, 'days').default,
  'isbn-unanchored': (it) => Object.assign(bodyOf(it, 'isbn'), { pattern: '97[89][0-9]{10}' }),
  'title-in-bytes': (it) => Object.assign(bodyOf(it, 'title'), { maxBytes: 120 }),
  'authors-repeat': (it) => delete bodyOf(it, 'authors').uniqueItems,
  'no-children': (it) => bodyOf(it, 'genre').enum?.pop(),
  'cost-zero': (it) => Object.assign(bodyOf(it, 'replacementCost'), { minimum: 0, exclusiveMinimum: -1 }),
  'first-copy-only': (it) => {
    Object.assign(bodyOf(it, 'copies'), { prefixItems: [structuredClone(bodyOf(it, 'copies', '[]'))] });
    delete bodyOf(it, 'copies', '[]', 'barcode').pattern;
  },
  'empty-patch': (it) => delete bodyOf(it).minProperties,
  'address-extra': (it) => delete bodyOf(it, 'address').additionalProperties,
  'phone-null': (it) => Object.assign(bodyOf(it, 'phone'), { type: 'string' }),
  'email-any': (it) => delete bodyOf(it, 'email').format,
  'pin-optional': (it) => bodyOf(it).required?.pop(),
  'branch-by-body': (it) => Object.assign(bodyOf(it).properties ?? {}, { branch: { enum: ['harbour', 'hillside'] } }),
};

// Credentials

interface Claims {
  readonly branch: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expires: number;
}

const allScopes = ['catalogue:read', 'loans:read', 'loans:write', 'admin'];
const clients: Record<
  string,
  { readonly secret: string; readonly branch: string; readonly scopes: readonly string[] }
> = {
  'harbour-desk': { secret: 'not-a-secret-1', branch: 'harbour', scopes: allScopes },
  'harbour-kiosk': { secret: 'not-a-secret-2', branch: 'harbour', scopes: ['catalogue:read'] },
  'hillside-desk': { secret: 'not-a-secret-3', branch: 'hillside', scopes: allScopes },
};
const lifetimeSeconds = 3600;

const sign = (payload: string) => createHmac('sha256', 'an-obviously-fake-key').update(payload).digest('base64url');

function createToken(claims: Claims): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${payload}.${sign(payload)}`;
}

function readToken(x: Exchange, token: string): Claims | undefined {
  const [payload = '', signature] = token.split('.');
  const isSigned = token === `${payload}.${sign(payload)}`;
  const claims = parseJson(Buffer.from(payload, 'base64url'));
  if (!isObject(claims) || !Array.isArray(claims.scopes) || signature === undefined) return undefined;
  const isCurrent = Number(claims.expires) > Date.now();
  if (!isSigned && !(isCurrent && x.breaks('signature-unchecked'))) return undefined;
  if (!isCurrent && !x.breaks('expired-token')) return undefined;
  return claims as unknown as Claims;
}

function authorize(x: Exchange, security: Security): Claims {
  const header = x.request.get('Authorization');
  const [, scheme = '', given] = /^(bearer) +([\w.~+/-]+=*)$/i.exec(header ?? '') ?? [];
  let claims = given === undefined ? undefined : readToken(x, given);
  if (claims && scheme !== 'Bearer' && x.breaks('scheme-case')) claims = undefined;
  if (header === undefined && x.has('token-in-query')) {
    claims = readToken(x, x.query.get('access_token') ?? '');
    x.breaks('token-in-query', claims !== undefined);
  }
  if (header === undefined && x.breaks('copy-public')) return { branch: 'harbour', scopes: [], expires: 0 };
  if (claims === undefined) {
    const challenge = `Bearer realm="circulation"${/^bearer\b/i.test(header ?? '') ? ', error="invalid_token"' : ''}`;
    const headers = x.breaks('no-challenge') ? undefined : { 'WWW-Authenticate': challenge };
    throw new Rejection(401, 'A valid access token is required.', headers);
  }
  const alternatives = security.map((requirement) => requirement.desk ?? []);
  if (!isAllowed(x, alternatives, claims.scopes)) {
    const challenge = `Bearer realm="circulation", error="insufficient_scope", scope="${alternatives[0]?.join(' ')}"`;
    throw new Rejection(x.broken('insufficient-401', 401, 403), 'The access token lacks a scope.', {
      'WWW-Authenticate': challenge,
    });
  }
  return claims;
}

function isAllowed(x: Exchange, alternatives: readonly (readonly string[])[], scopes: readonly string[]): boolean {
  const has = (scope: string) => scopes.includes(scope);
  const value = alternatives.some((needed) => needed.every(has));
  if (x.has('or-as-and')) return x.broken('or-as-and', alternatives.flat().every(has), value);
  if (x.has('and-as-or')) return x.broken('and-as-or', alternatives.flat().some(has), value);
  if (x.has('wrong-scope')) return x.broken('wrong-scope', has('loans:write'), value);
  return x.broken('lend-by-any-scope', true, value);
}

const tokenError = (x: Exchange, status: number, error: string, description: string): Answer => ({
  status,
  body: { error, error_description: description },
  headers: status === 401 && !x.breaks('no-challenge') ? { 'WWW-Authenticate': 'Basic realm="circulation"' } : {},
});

function issueToken(x: Exchange): Answer {
  const form = new URLSearchParams(x.text);
  const names = [...form.keys()];
  if (new Set(names).size < names.length) return tokenError(x, 400, 'invalid_request', 'A parameter is repeated.');
  const header = x.request.get('Authorization');
  const [basicId, basicSecret] = header === undefined ? [] : readBasic(header);
  const isTwice = form.get('client_secret') || (form.get('client_id') && form.get('client_id') !== basicId);
  if (header !== undefined && isTwice) {
    return tokenError(x, 400, 'invalid_request', 'The client authenticates twice.');
  }
  const [id, secret] =
    header === undefined ? [form.get('client_id'), form.get('client_secret')] : [basicId, basicSecret];
  const client = Object.hasOwn(clients, id ?? '') ? clients[id ?? ''] : undefined;
  const isKnown = client !== undefined && client.secret === secret;
  const skipsSecret = client !== undefined && header === undefined;
  if (client === undefined || !(isKnown || (skipsSecret && x.breaks('secret-unchecked-in-form')))) {
    return tokenError(x, 401, 'invalid_client', 'The client is unknown or its secret is wrong.');
  }
  const grant = form.get('grant_type');
  if (!grant) return tokenError(x, 400, 'invalid_request', 'grant_type is missing.');
  if (grant !== 'client_credentials')
    return tokenError(x, 400, 'unsupported_grant_type', 'The grant is not supported.');
  const scopes = form.get('scope')?.split(' ') ?? [];
  const mayHave = (scope: string) => client.scopes.includes(scope);
  const isFree = scopes.every((scope) => allScopes.includes(scope)) && !scopes.every(mayHave);
  if (form.get('scope') && !scopes.every(mayHave) && !(isFree && x.breaks('scope-escalation'))) {
    return tokenError(x, 400, 'invalid_scope', 'The client may not have one of the scopes.');
  }
  const granted = form.get('scope') ? [...new Set(scopes)] : client.scopes;
  const expires = Date.parse(x.now) + lifetimeSeconds * 1000;
  const token = createToken({ branch: client.branch, scopes: granted, expires });
  return {
    status: 200,
    body: { access_token: token, token_type: 'Bearer', expires_in: lifetimeSeconds, scope: granted.join(' ') },
    headers: x.breaks('token-cacheable') ? { 'Cache-Control': undefined } : { Pragma: 'no-cache' },
  };
}

/** RFC 6749, 2.3.1: id and secret are form-encoded in Basic credentials. */
function readBasic(header: string): (string | undefined)[] {
  const [, encoded = ''] = /^basic +([\w+/-]+=*)$/i.exec(header) ?? [];
  const text = Buffer.from(encoded, 'base64').toString();
  const pair = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
  return pair.map((part) => new URLSearchParams(`part=${part.replaceAll('&', '%26')}`).get('part') ?? undefined);
}

// Requests and answers

interface Answer {
  readonly status: number;
  readonly type?: string;
  /** A string is sent as it is. */
  readonly body?: Dict | string;
  readonly headers?: Record<string, string | undefined>;
}

class Rejection extends Error {
  readonly status: number;
  readonly headers: Record<string, string> | undefined;
  readonly errors: readonly object[] | undefined;
  constructor(status: number, detail: string, headers?: Record<string, string>, errors?: readonly object[]) {
    super(detail);
    this.status = status;
    this.headers = headers;
    this.errors = errors;
  }
}

/** Values that a request and its twin on the clean state have in common, so that equal answers are equal. */
interface Shared {
  readonly now: string;
  /** Of the objects that the request creates, in their order. */
  readonly ids: string[];
  /** The body can be read once only. */
  bytes?: Promise<Buffer>;
}

/** One request, from its arrival to its answer. */
class Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly path: string;
  readonly store: ReturnType<typeof seed>;
  readonly query: URLSearchParams;
  readonly operation: Operation | undefined;
  /** The operation with a faulty schema. */
  readonly mutant: Operation | undefined;
  readonly fault: FaultId | undefined;
  triggered = false;
  branch = '';
  text = '';
  body: Dict = {};
  readonly parameters: Dict = {};
  readonly #shared: Shared;
  #idCount = 0;

  /** @param original the request that this one is the twin of */
  constructor(
    desk: Desk,
    request: Request,
    response: Response,
    path: string,
    operation?: Operation,
    original?: Exchange,
  ) {
    const { method } = request;
    this.request = request;
    this.response = response;
    this.path = path;
    this.#shared = original === undefined ? { now: new Date().toISOString(), ids: [] } : original.#shared;
    this.store = desk.store;
    this.query = new URLSearchParams(request.originalUrl.split('?').slice(1).join('?'));
    this.operation = operation;
    const names = ['*', `${method} ${path}`, method === 'HEAD' ? `GET ${path}` : ''];
    this.fault = desk.fault && operationsOf(desk.fault).some((it) => names.includes(it)) ? desk.fault : undefined;
    this.mutant = this.fault && desk.mutant?.operationId === operation?.operationId ? desk.mutant : undefined;
  }

  get now(): string {
    return this.#shared.now;
  }

  newId(): string {
    const { ids } = this.#shared;
    const index = this.#idCount++;
    ids[index] ??= randomUUID();
    return ids[index];
  }

  readBytes(): Promise<Buffer> {
    this.#shared.bytes ??= readBytes(this.request, this.response);
    return this.#shared.bytes;
  }

  /** Whether the fault is switched on for this operation. It need not change the answer. */
  has(id: FaultId): boolean {
    return this.fault === id;
  }

  /** Whether the fault is switched on where it changes the answer or its effect, if `differs`. The log then has `triggered`. */
  breaks(id: FaultId, differs = true): boolean {
    if (!this.has(id) || !differs) return false;
    this.triggered = true;
    return true;
  }

  broken<T>(id: FaultId, faulty: T, value: T): T {
    return this.breaks(id, JSON.stringify(faulty) !== JSON.stringify(value)) ? faulty : value;
  }

  parameter<T>(name: string): T {
    return this.parameters[name] as T;
  }

  /** Violations of the schema in force, and the value with its defaults. `read` returns a new value each time. */
  judge(clean: Schema, faulty: Schema | undefined, read: () => unknown): [readonly Violation[], unknown] {
    const [first, second] = [read(), read()];
    const outcome: [readonly Violation[], unknown] = [validate(clean, first), first];
    if (faulty === undefined) return outcome;
    const broken: typeof outcome = [validate(faulty, second), second];
    if (JSON.stringify(broken[0]) !== JSON.stringify(outcome[0])) this.triggered = true;
    return broken;
  }
}

function readParameters(x: Exchange, { parameters }: Operation): void {
  for (const [index, { name, in: place, schema, required }] of parameters.entries()) {
    const header = x.request.get(name);
    const given = {
      path: [x.request.params[name] ?? ''].flat(),
      query: x.query.getAll(name),
      header: header === undefined ? [] : [header],
    }[place];
    if (given.length === 0 && required) throw new Rejection(428, `${name} is required.`);
    const value = schema.type === 'array' ? given : given.length > 1 ? given : coerce(given[0], schema);
    if (given.length === 0) x.parameters[name] = schema.default;
    else {
      const [errors] = x.judge(schema, x.mutant?.parameters[index]?.schema, () => value);
      const list = errors.map(({ detail }) => ({ parameter: name, detail }));
      if (list.length > 0) throw new Rejection(400, `The parameter ${name} is invalid.`, undefined, list);
      x.parameters[name] = value;
    }
  }
}

function coerce(text: string | undefined, { type }: Schema): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'integer' && /^-?(0|[1-9]\d*)$/.test(text ?? '')) return Number(text);
  return text;
}

const noJson = 'The body is no JSON.';
const readRaw = express.raw({ type: () => true, limit: 65_536, inflate: false });

async function readBytes(request: Request, response: Response): Promise<Buffer> {
  await new Promise<void>((done, fail) => readRaw(request, response, (error) => (error ? fail(error) : done())));
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

async function readBody(x: Exchange, { requestBody }: Operation): Promise<void> {
  const [[type = '', { schema }] = ['', { schema: {} as Schema }]] = Object.entries(requestBody?.content ?? {});
  if (!requestBody) return;
  const accepted = { Accept: type, ...(x.operation?.method === 'patch' && { 'Accept-Patch': type }) };
  if ((x.request.get('Content-Encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw new Rejection(415, 'The body must have no content coding.', { ...accepted, 'Accept-Encoding': 'identity' });
  }
  const bytes = await x.readBytes();
  const contentType = x.request.get('Content-Type');
  const [given, ...rest] = (contentType ?? (bytes.length > 0 ? '' : type)).split(';');
  const isRead = given?.trim().toLowerCase() === type && !(rest.length > 0 && x.breaks('charset-parameter'));
  if (!isRead && !x.breaks('content-type-ignored')) throw new Rejection(415, `The body must be ${type}.`, accepted);
  x.text = bytes.toString();
  if (type.endsWith('urlencoded')) return;
  if (bytes.length === 0) {
    if (requestBody.required || x.breaks('return-needs-body')) throw new Rejection(400, 'The body is missing.');
    x.body = x.judge(schema, undefined, () => ({}))[1] as Dict;
    return;
  }
  const read = () => parseJson(bytes);
  const value = read();
  if (value === undefined) {
    if (x.breaks('bad-json-500')) throw new Error('Unexpected token in JSON');
    throw new Rejection(400, noJson);
  }
  const [errors, body] = x.judge(schema, Object.values(x.mutant?.requestBody?.content ?? {})[0]?.schema, read);
  if (errors.length > 0) {
    if (x.has('failed-patch-applies') && isObject(value)) applyUntilInvalid(x, value, schema);
    throw new Rejection(422, 'The body does not match its schema.', undefined, errors);
  }
  x.body = body as Dict;
}

/** Whether the answer is 304 (RFC 9110, 13.2.2). A resource without an entity tag has `tag` undefined. */
function checkPreconditions(x: Exchange, exists: boolean, tag?: string): boolean {
  const ifMatch = x.request.get('If-Match')?.trim();
  const ifNoneMatch = x.request.get('If-None-Match')?.trim();
  const tags = (list: string): string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  if (ifMatch !== undefined) {
    const isEarlier = (it: string) => /^"[1-9]\d*"$/.test(it) && Number(it.slice(1, -1)) <= Number(tag?.slice(1, -1));
    const isOne = (it: string) => it === tag || (x.has('earlier-tag-accepted') && isEarlier(it));
    const isCurrent = exists && (ifMatch === '*' || (tag !== undefined && tags(ifMatch).some(isOne)));
    if (!isCurrent && !x.breaks('if-match-ignored')) throw new Rejection(412, 'The resource has another state.');
  }
  if (ifNoneMatch === undefined || !exists) return false;
  const known = tags(ifNoneMatch);
  const isKnownWeakly = known.some((it) => it.replace('W/', '') === tag);
  const isKnown = ifNoneMatch === '*' || x.broken('weak-tag', known.includes(tag ?? ''), isKnownWeakly);
  if (isKnown && x.operation?.method !== 'get') throw new Rejection(412, 'The client has the current state.');
  return isKnown && !x.breaks('never-304');
}

function reject(x: Exchange, error: Error & { status?: number }): Answer {
  const { status = 500, message } = error;
  const { headers, errors } = error instanceof Rejection ? error : {};
  if (message === noJson && x.breaks('html-for-bad-json')) {
    const body = `<!DOCTYPE html>\n<html lang="en"><body><pre>SyntaxError: ${message}</pre></body></html>\n`;
    return { status, type: 'text/html; charset=utf-8', body };
  }
  const newer: Record<number, string> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };
  const shown: unknown = status === 409 ? x.broken<unknown>('conflict-status-text', '409', 409) : status;
  return {
    status,
    type: x.broken('problem-as-json', 'application/json', 'application/problem+json'),
    body: {
      type: 'about:blank',
      title: newer[status] ?? STATUS_CODES[status],
      status: shown,
      detail: status === 500 ? 'Something went wrong.' : message,
      ...(errors && { errors }),
    },
    ...(headers && { headers }),
  };
}

// Operations

const location = (path: string) => ({ Location: `${base}${path}` });
const tagOf = ({ version }: Book) => `"${version}"`;
const sameId = (id: string) => (item: { readonly id: string }) => item.id === id.toLowerCase();

/** The object with this id, if the branch of the client has it. With `fault` an object of another branch is returned too. */
function own<T extends Owned>(x: Exchange, all: readonly T[], id: string, fault?: FaultId): T {
  const found = all.find(sameId(id));
  if (found && (found.branch === x.branch || (fault && x.breaks(fault)))) return found;
  if (found && x.breaks('foreign-403')) throw new Rejection(403, 'It belongs to another branch.');
  throw new Rejection(404, 'The branch has no such resource.');
}

function page<T extends Owned>(
  x: Exchange,
  all: readonly T[],
  matches: (item: T) => boolean,
  show: (item: T) => Dict,
): Answer {
  const limit = x.parameter<number>('limit');
  const cursor = x.parameter<string | undefined>('cursor');
  const toCursor = ({ id }: Owned) => Buffer.from(id).toString('base64url');
  const mine = all.filter(({ branch }) => branch === x.branch);
  const isOpen = x.has('foreign-loans-listed') && x.parameter('memberId') !== undefined;
  const list = isOpen ? all : mine;
  const after = 1 + list.findIndex((item) => toCursor(item) === cursor);
  const isLater = cursor !== undefined && after > 0;
  const shift = x.has('page-skips-one') ? 1 : x.has('page-repeats-last') && limit > 1 ? -1 : 0;
  const start = after + (isLater ? shift : 0);
  if (cursor !== undefined && after === 0 && !x.breaks('cursor-any'))
    throw new Rejection(400, 'The cursor is unknown.');
  const rest = list.slice(start).filter(matches);
  const items = rest.slice(0, limit);
  x.breaks(
    'foreign-loans-listed',
    [...list.filter(matches), list[start - 1]].some((it) => it && it.branch !== x.branch),
  );
  const last = items.at(-1);
  const query = new URLSearchParams(x.query);
  if (last) query.set('cursor', toCursor(last));
  if (x.has('next-without-filter')) query.delete('genre');
  const next = rest.length > limit ? `${base}${x.operation?.path}?${query}` : null;
  const count = x.has('total-of-rest') ? rest.length : list.filter(matches).length;
  const total = x.broken('total-of-all', all.filter(matches).length, count);
  const isLast = next === null && x.breaks('last-page-without-next');
  return {
    status: 200,
    body: { items: items.map(show), total, ...(isLast ? {} : { next }) },
    headers: { Link: next === null ? undefined : `<${next}>; rel="next"` },
  };
}

const showBook = ({ id, fields, copies, createdAt, updatedAt }: Book): Dict => ({
  id,
  ...fields,
  copies,
  createdAt,
  updatedAt,
});

const byTitle = (a: Book, b: Book) =>
  Buffer.compare(Buffer.from(`${a.fields.title}`), Buffer.from(`${b.fields.title}`));
const byEntry = (a: Book, b: Book) => Number(a.createdAt > b.createdAt) - Number(a.createdAt < b.createdAt);

function sortBooks(x: Exchange): readonly Book[] {
  const sort = x.parameter<string>('sort');
  const compare = sort.endsWith('title') ? byTitle : byEntry;
  const isDescending = sort.startsWith('-') && !(compare === byTitle && x.has('title-descending-ignored'));
  return x.store.books.toSorted(isDescending ? (a, b) => compare(b, a) : compare);
}

function listBooks(x: Exchange): Answer {
  const q = x.parameter<string | undefined>('q')?.toLowerCase();
  const genres = x.parameter<string[] | undefined>('genre');
  const available = x.parameter<boolean | undefined>('available');
  if (q !== undefined && !isPattern(q) && x.breaks('search-by-regexp'))
    throw new SyntaxError('Invalid regular expression');
  const matches = ({ fields, copies }: Book) =>
    (q === undefined || String(fields.title).toLowerCase().includes(q)) &&
    (genres === undefined || genres.slice(x.has('genre-last-only') ? -1 : 0).includes(String(fields.genre))) &&
    (available === undefined || available === copies.some(({ status }) => status === 'onShelf'));
  return page(x, sortBooks(x), matches, (book) => {
    const { updatedAt, ...bare } = showBook(book);
    return x.parameter('cursor') !== undefined && x.breaks('second-page-bare') ? bare : { ...bare, updatedAt };
  });
}

function createBook(x: Exchange): Answer {
  const { copies, ...fields } = x.body as { copies: { barcode: string; shelf?: string }[] };
  const book: Book = {
    id: x.newId(),
    branch: x.branch,
    version: 1,
    fields,
    copies: copies.map((copy) => ({ id: x.newId(), ...copy, status: 'onShelf' })),
    createdAt: x.now,
    updatedAt: x.now,
  };
  x.store.books.push(book);
  const headers = { ...location(`/books/${book.id}`), ETag: tagOf(book) };
  const body = showBook(book);
  const { notes: _, ...bare } = book.fields;
  if (x.has('created-notes-lost')) book.fields = bare;
  if (x.has('title-cut')) book.fields = { ...book.fields, title: [...String(x.body.title)].slice(0, 60).join('') };
  return { status: x.broken('book-created-200', 200, 201), body, headers };
}

function getBook(x: Exchange): Answer {
  const book = own(x, x.store.books, x.parameter('bookId'));
  const headers = { ETag: tagOf(book), 'Cache-Control': 'private, no-cache', Vary: 'Authorization' };
  if (checkPreconditions(x, true, tagOf(book))) return { status: 304, headers };
  if (x.breaks('get-bumps-version')) book.version += 1;
  return { status: 200, body: showBook(book), headers };
}

function updateBook(x: Exchange): Answer {
  const book = own(x, x.store.books, x.parameter('bookId'), 'foreign-book-change');
  checkPreconditions(x, true, tagOf(book));
  const { genre } = book.fields;
  book.fields = mergePatch(x, book.fields, x.body);
  if (x.has('patch-resets-age') && x.body.ageFrom === undefined) book.fields.ageFrom = 0;
  for (const other of x.has('genre-of-all') && x.body.genre !== undefined ? x.store.books : [])
    if (other.fields.genre === genre) other.fields = { ...other.fields, genre: x.body.genre };
  if (!x.has('updated-at-stays')) book.updatedAt = x.now;
  if (!x.breaks('etag-unchanged')) book.version += 1;
  return { status: 200, body: showBook(book), headers: { ETag: tagOf(book) } };
}

/** RFC 7396, 2. */
function mergePatch(x: Exchange, target: unknown, patch: Dict): Dict {
  const result: Dict = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    const old = result[name];
    if (value === null && x.breaks('null-keeps', old !== undefined)) continue;
    if (value === null) delete result[name];
    else if (!isObject(value)) result[name] = value;
    else result[name] = x.broken('notes-replaced', mergePatch(x, {}, value), mergePatch(x, old, value));
  }
  return result;
}

/** Sets member by member as a loop over setters does, up to the first invalid one. */
function applyUntilInvalid(x: Exchange, patch: Dict, schema: Schema): void {
  const book = x.store.books.find(sameId(x.parameter('bookId')));
  if (book?.branch !== x.branch || x.request.get('If-Match') !== tagOf(book)) return;
  for (const [name, value] of Object.entries(patch)) {
    const property = schema.properties?.[name];
    if (property === undefined || validate(property, value).length > 0) return;
    book.fields = x.broken('failed-patch-applies', mergePatch(x, book.fields, { [name]: value }), book.fields);
  }
}

function getCopy(x: Exchange): Answer {
  const book = own(x, x.store.books, x.parameter('bookId'));
  const isIt = sameId(x.parameter('copyId'));
  const elsewhere = x.store.books.filter(({ branch }) => branch === x.branch).flatMap(({ copies }) => copies);
  const copy = x.broken('copy-of-any-book', elsewhere.find(isIt), book.copies.find(isIt));
  if (copy === undefined) throw new Rejection(404, 'The book has no such copy.');
  const status = x.broken('copy-in-repair', copy.status.replace('repair', 'inRepair'), copy.status);
  const shelf = copy.shelf === undefined && x.breaks('copy-shelf-null') ? { shelf: null } : {};
  return { status: 200, body: { ...copy, ...shelf, status } };
}

function showMember(x: Exchange, { id, cardNumber, fields, blocked, joinedAt }: Member): Dict {
  const { pin, ...shown } = fields;
  const isOpen = ({ returnedAt }: Loan) => returnedAt === null || x.has('returned-loans-counted');
  const openLoans = x.store.loans.filter((loan) => loan.memberId === id && isOpen(loan)).length;
  return { id, cardNumber, ...(x.breaks('pin-in-member') && { pin }), ...shown, blocked, openLoans, joinedAt };
}

function createMember(x: Exchange): Answer {
  const { branch = x.branch, ...fields } = x.body as { branch?: string; email: string };
  const { members } = x.store;
  const isSame = (other: Member) =>
    other.branch === branch && String(other.fields.email).toLowerCase() === fields.email.toLowerCase();
  if (members.some(isSame)) throw new Rejection(409, 'Another member has this e-mail address.');
  const member: Member = {
    id: x.newId(),
    branch,
    cardNumber: String(10_000_500 + members.length),
    fields: { phone: null, ...fields },
    blocked: false,
    joinedAt: x.now,
  };
  members.push(member);
  const path = `/members/${member.id}`;
  const headers = { Location: x.broken('location-without-base', path, base + path) };
  return { status: 201, body: showMember(x, member), headers };
}

function getMember(x: Exchange): Answer {
  const member = own(x, x.store.members, x.parameter('memberId'));
  const headers = { 'Cache-Control': x.broken('member-cacheable', 'public, max-age=300', 'no-store') };
  return { status: 200, body: showMember(x, member), headers };
}

function showReservation(x: Exchange, { memberId, bookId, createdAt, fields }: Reservation): Dict {
  const queue = x.store.reservations.filter((it) => it.bookId === bookId);
  const position = 1 + queue.findIndex((it) => it.memberId === memberId);
  return { memberId, bookId, ...fields, position, createdAt };
}

function findReservation(x: Exchange) {
  const { id: memberId } = own(x, x.store.members, x.parameter('memberId'), 'foreign-cancel');
  const { id: bookId } = own(x, x.store.books, x.parameter('bookId'), 'foreign-cancel');
  const index = x.store.reservations.findIndex((it) => it.memberId === memberId && it.bookId === bookId);
  return { memberId, bookId, index, old: x.store.reservations[index] };
}

function putReservation(x: Exchange): Answer {
  const { memberId, bookId, index, old } = findReservation(x);
  const { reservations } = x.store;
  checkPreconditions(x, old !== undefined);
  const isKept = old && !x.breaks('put-requeues');
  if (old && !isKept) reservations.splice(index, 1);
  const reservation = isKept ? old : { memberId, bookId, createdAt: x.now, fields: {} };
  const isSent = (name: string) => Object.hasOwn(parseJson(Buffer.from(x.text)) as Dict, name);
  const isOld = old && x.has('put-keeps-notify') && !isSent('notify');
  reservation.fields = isOld ? { ...x.body, notify: old.fields.notify } : x.body;
  if (!isKept) reservations.push(reservation);
  const body = showReservation(x, reservation);
  if (old) return { status: 200, body };
  return { status: 201, body, headers: location(`/members/${memberId}/reservations/${bookId}`) };
}

function cancelReservation(x: Exchange): Answer {
  const { index, old } = findReservation(x);
  if (old === undefined) throw new Rejection(404, 'The member has no reservation of this book.');
  checkPreconditions(x, true);
  if (!x.breaks('cancel-keeps')) x.store.reservations.splice(index, 1);
  const others = x.store.reservations.filter(({ bookId }) => bookId !== old.bookId);
  if (x.has('cancel-cancels-all')) x.store.reservations.splice(0, Number.POSITIVE_INFINITY, ...others);
  return { status: 204 };
}

function showLoan(x: Exchange, { branch: _, ...loan }: Loan): Dict {
  const overdueDays = (Date.parse(loan.returnedAt?.slice(0, 10) ?? day(0)) - Date.parse(loan.dueOn)) / 86_400_000;
  const amount = Math.min(25, Math.max(0, overdueDays) / 5);
  return {
    ...loan,
    status: statusOf(loan),
    fee: { amount: amount > 0 ? x.broken<unknown>('fee-as-text', amount.toFixed(2), amount) : 0, currency: 'EUR' },
  };
}

const statusOf = ({ returnedAt, dueOn }: Pick<Loan, 'returnedAt' | 'dueOn'>) =>
  returnedAt !== null ? 'returned' : dueOn < day(0) ? 'overdue' : 'open';

function listLoans(x: Exchange): Answer {
  const memberId = x.parameter<string | undefined>('memberId')?.toLowerCase();
  const status = x.parameter<string | undefined>('status');
  const dueBefore = x.parameter<string | undefined>('dueBefore');
  const isIn = (loan: Loan, wanted: string) =>
    x.has('open-with-overdue') && wanted === 'open' ? loan.returnedAt === null : statusOf(loan) === wanted;
  const matches = (loan: Loan) =>
    (memberId === undefined || loan.memberId === memberId) &&
    (status === undefined || isIn(loan, status)) &&
    (dueBefore === undefined || loan.dueOn < dueBefore || (x.has('due-before-inclusive') && loan.dueOn === dueBefore));
  return page(x, x.store.loans, matches, (loan) => showLoan(x, loan));
}

function createLoan(x: Exchange): Answer {
  const input = x.body as { memberId: string; copyId: string; days?: number; note: string | null };
  const { loans, keys, books, members } = x.store;
  const key = x.parameter<string | undefined>('Idempotency-Key');
  const slot = `${x.branch} ${key}`;
  const earlier = key === undefined ? undefined : keys.get(slot);
  if (earlier && !x.breaks('idempotency-key-forgotten')) {
    if (!isDeepStrictEqual(earlier.body, x.body) && !x.has('key-with-any-body'))
      throw new Rejection(422, 'Another request had this Idempotency-Key.');
    return { status: 201, body: showLoan(x, earlier.loan), headers: location(`/loans/${earlier.loan.id}`) };
  }
  const isOwn = ({ branch }: Owned) => branch === x.branch;
  const member = members.filter(isOwn).find(sameId(input.memberId));
  if (!member) throw invalid('/memberId', 'is no member of the branch');
  const book = books.filter(isOwn).find(({ copies }) => copies.some(sameId(input.copyId)));
  const copy = book?.copies.find(sameId(input.copyId));
  if (!book || !copy) throw invalid('/copyId', 'is no copy of the branch');
  if (member.blocked && x.has('rejected-loan-takes-copy') && copy.status === 'onShelf') copy.status = 'onLoan';
  if (member.blocked) throw new Rejection(409, 'The member is blocked.');
  if (copy.status !== 'onShelf') throw new Rejection(409, 'The copy is not on the shelf.');
  copy.status = 'onLoan';
  const loan: Loan = {
    id: x.newId(),
    branch: x.branch,
    receipt: x.broken('receipt-snowflake', 2 ** 62, 2000 + loans.length),
    memberId: member.id,
    bookId: book.id,
    copyId: copy.id,
    lentOn: day(0),
    dueOn: day(x.breaks('days-default', input.days === undefined) ? 0 : (input.days ?? 0)),
    note: input.note,
    returnedAt: null,
  };
  loans.push(loan);
  if (key !== undefined) keys.set(slot, { body: x.body, loan });
  const body = showLoan(x, loan);
  return {
    status: 201,
    body: x.broken('due-with-time', { ...body, dueOn: `${loan.dueOn}T00:00:00.000Z` }, body),
    headers: x.broken<Answer['headers']>('loan-without-location', {}, location(`/loans/${loan.id}`)) ?? {},
  };
}

const invalid = (pointer: string, detail: string) =>
  new Rejection(422, 'The body names something that the branch does not have.', undefined, [{ pointer, detail }]);

function getLoan(x: Exchange): Answer {
  const loan = own(x, x.store.loans, x.parameter('loanId'), 'foreign-loan');
  const body = showLoan(x, loan);
  if (loan.returnedAt === null && x.has('read-extends-loan')) loan.dueOn = day(1, loan.dueOn);
  return { status: 200, body };
}

function returnLoan(x: Exchange): Answer {
  const loan = own(x, x.store.loans, x.parameter('loanId'));
  if (loan.returnedAt !== null) throw new Rejection(409, 'The copy is back already.');
  const { condition, remark } = x.body as { condition: string; remark?: string };
  loan.returnedAt = x.now;
  if (remark !== undefined) loan.remark = remark;
  const copy = x.store.books.flatMap(({ copies }) => copies).find(sameId(loan.copyId));
  const isForgotten = condition !== 'damaged' && x.has('return-keeps-on-loan');
  if (copy && !isForgotten) copy.status = condition === 'damaged' ? 'repair' : 'onShelf';
  return { status: 200, body: showLoan(x, loan) };
}

const handlers: Record<string, (x: Exchange) => Answer> = {
  issueToken,
  listBooks,
  createBook,
  getBook,
  updateBook,
  getCopy,
  createMember,
  getMember,
  putReservation,
  cancelReservation,
  listLoans,
  createLoan,
  getLoan,
  returnLoan,
};

// The server

interface Desk {
  readonly fault: FaultId | undefined;
  readonly mutant: Operation | undefined;
  readonly store: ReturnType<typeof seed>;
  /** The state of a server without the fault that got the same requests. It shows which answers a fault of lists or state changes. */
  readonly cleanStore?: ReturnType<typeof seed> | undefined;
}

async function answer(x: Exchange, operation: Operation): Promise<Answer> {
  if (x.request.method === 'HEAD' && x.breaks('head-405')) throw notAllowed(x, 'GET, OPTIONS');
  if (operation.operationId !== 'issueToken') x.branch = authorize(x, operation.security).branch;
  const isBodyless = operation.responses['204'] !== undefined;
  const json = ['application/json', 'application/json;charset=utf-8'];
  if (!isBodyless && !x.request.accepts(json) && !x.breaks('accept-ignored')) {
    throw new Rejection(406, 'The answer is application/json.');
  }
  readParameters(x, operation);
  await readBody(x, operation);
  return handlers[operation.operationId]?.(x) ?? { status: 500 };
}

const notAllowed = (x: Exchange, allow: string) =>
  new Rejection(405, 'The resource has no such method.', x.breaks('no-allow') ? undefined : { Allow: allow });

/** OPTIONS, and the methods that the contract does not have. */
function answerOther(x: Exchange, path: string): Answer {
  const here = Object.values(operations).filter((operation) => operation.path === path);
  const names = here.map(({ method }) => method.toUpperCase());
  const allow = [...names, ...(names.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  if (x.request.method === 'OPTIONS') {
    const patch = names.includes('PATCH') ? { 'Accept-Patch': 'application/merge-patch+json' } : {};
    return {
      status: 204,
      headers: { Allow: x.broken('options-without-patch', allow.replace('PATCH, ', ''), allow), ...patch },
    };
  }
  if (x.breaks('undeclared-delete')) {
    x.branch = authorize(x, [{ desk: ['admin'] }]).branch;
    const book = own(x, x.store.books, String(x.request.params.bookId));
    x.store.books.splice(x.store.books.indexOf(book), 1);
    return { status: 204 };
  }
  throw notAllowed(x, allow);
}

function send(x: Exchange, { status, type = 'application/json', body, headers = {} }: Answer, write: () => void): void {
  const { response } = x;
  response.status(status).set('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) response.removeHeader(name);
    else response.setHeader(name, value);
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  const bytes = Buffer.from(text);
  const isHead = x.request.method === 'HEAD';
  const length = isHead ? x.broken('head-length-0', 0, bytes.length) : bytes.length;
  if (body !== undefined) {
    response.setHeader('Content-Type', type);
    response.setHeader('Content-Length', isHead ? length : x.broken('length-in-characters', text.length, length));
  }
  write();
  response.end(isHead || body === undefined ? undefined : bytes);
}

export async function start(options: {
  port: number;
  fault?: string;
  log?: string;
}): Promise<{ url: string; close(): Promise<void> }> {
  const { port, fault, log } = options;
  if (fault !== undefined && !isFaultId(fault)) throw new Error(`There is no fault ${fault}.`);
  const cleanStore = fault && isStateful(fault) ? seed() : undefined;
  const desk: Desk = { fault, mutant: fault && mutate(fault), store: seed(), cleanStore };
  const listened = performance.now();
  let count = 0;
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .enable('case sensitive routing')
    .enable('strict routing');

  async function receive(x: Exchange, respond: (x: Exchange) => Answer | Promise<Answer>): Promise<void> {
    const [n, ms] = [++count, Math.round((performance.now() - listened) * 10) / 10];
    const given = await settle(x, respond);
    if (cleanStore !== undefined) {
      const clean: Desk = { fault: undefined, mutant: undefined, store: cleanStore };
      const twin = new Exchange(clean, x.request, x.response, x.path, x.operation, x);
      x.triggered = JSON.stringify(await settle(twin, respond)) !== JSON.stringify(given);
    }
    send(x, given, () => {
      const { method, originalUrl: target } = x.request;
      const line = { n, ms, method, target, status: given.status, triggered: x.triggered };
      if (log !== undefined) appendFileSync(log, `${JSON.stringify(line)}\n`);
    });
  }

  const groups = Map.groupBy(Object.values(operations), ({ path }) => path);
  for (const [path, list] of groups) {
    const route = base + path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const operation of list) {
      app[operation.method](route, (request, response) => {
        const x = new Exchange(desk, request, response, path, operation);
        return receive(x, (it) => answer(it, operation));
      });
    }
    app.all(route, (request, response) => {
      const x = new Exchange(desk, request, response, path);
      return receive(x, (it) => answerOther(it, path));
    });
  }
  app.use((request: Request, response: Response) => {
    const x = new Exchange(desk, request, response, request.path);
    return receive(x, () => {
      throw new Rejection(404, 'There is no such path.');
    });
  });
  app.use((error: Error, request: Request, response: Response, _next: unknown) => {
    const x = new Exchange(desk, request, response, request.path);
    return receive(x, () => {
      throw error;
    });
  });
  const server = createServer(app);
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function settle(x: Exchange, respond: (x: Exchange) => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await respond(x);
  } catch (error) {
    const given = reject(x, error as Error);
    if (given.status === 500 && !x.triggered) console.error(error);
    return given;
  }
}

function mutate(fault: FaultId): Operation | undefined {
  const change = schemaFaults[fault];
  if (change === undefined) return undefined;
  const operation = Object.values(loadOperations()).find(
    (it) => `${it.method.toUpperCase()} ${it.path}` === operationsOf(fault)[0],
  );
  if (operation !== undefined) change(operation);
  return operation;
}

function isObject(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '0' }, fault: { type: 'string' }, log: { type: 'string' } },
  });
  const { port, ...rest } = values;
  const { url, close } = await start({ port: Number(port), ...rest });
  process.once('SIGTERM', () => close());
  console.log(`listening on ${url}`);
}
