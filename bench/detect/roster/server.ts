// Shift rosters of clinics: a small API that keeps `contract.yaml`, and breaks one sentence of it for each fault of `faults.ts`.
// A switch, `x.broken('id', condition)`, is next to the line that it changes. Faults of validation are edits of schemas, in `validation.ts`.
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual, MIMEType, parseArgs, promisify } from 'node:util';
import express, { type NextFunction, type Request, type Response } from 'express';
import { faults, isStateful } from './faults.ts';
import type { Absence, Account, Clinic, Json, NewShift, Session, Shift, Staff, Swap, WeeklyPattern } from './state.ts';
import { accounts, cookieOf, State, sign } from './state.ts';
import { bodyOf, byContract, type Compile, compileContract, edits, judge, parametersOf } from './validation.ts';

type Headers = Record<string, string | string[]>;
type Answer = Readonly<{ status: number; body?: Json; headers?: Headers }>;
type PatchStep = Readonly<{ op: 'replace' | 'remove'; path: string; value?: unknown }>;

class Rejection extends Error {
  readonly answer: Readonly<{ status: number; code: string; at: string | undefined; headers: Headers }>;
  constructor(status: number, code: string, message: string, at?: string, headers: Headers = {}) {
    super(message);
    this.answer = { status, code, at, headers };
  }
}

const base = '/v2';
const meta = { apiVersion: '2.4' };
const sessionHours = 12;
const bodyLimitBytes = 64 * 1024;
const challenge = { 'WWW-Authenticate': 'Session realm="roster"' };
const ok = (data: unknown, headers: Headers = {}): Answer => ({ status: 200, body: { data, meta }, headers });
const created = (data: unknown, headers: Headers): Answer => ({ ...ok(data, headers), status: 201 });
const noRight = (message = 'The role may not do this') => new Rejection(403, 'role', message);
const notFound = () => new Rejection(404, 'not_found', 'There is no such object');
const conflict = (message: string, at?: string) => new Rejection(409, 'conflict', message, at);
const stale = () => new Rejection(409, 'stale_version', 'The version is not current');
const failedCondition = () => new Rejection(412, 'precondition', 'The precondition is not fulfilled');
const rule = (message: string, at?: string) => new Rejection(422, 'rule', message, at);

// ---- One request and its answer ----

/** `cleanState` is that of a server without the fault that got the same requests. It shows which answers a fault of state changes. */
type Run = Readonly<{ state: State; fault?: string | undefined; edited?: Compile | undefined; cleanState?: State }>;

/** Values that a request and its twin on the clean state have in common, so that equal answers are equal. */
interface Shared {
  readonly now: string;
  readonly state: State;
  readonly numbers: number[];
  readonly secrets: string[];
  /** The body can be read once only. */
  reading?: Promise<unknown>;
}

class Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly run: Run;
  readonly path: string;
  readonly shared: Shared;
  #numberCount = 0;
  #secretCount = 0;
  triggered = false;
  /** Values of the parameters, by name. */
  query: Record<string, unknown> = {};
  body: unknown;
  session: Session | undefined;
  clinic: Clinic | undefined;
  shift: Shift | undefined;
  staff: Staff | undefined;
  swap: Swap | undefined;

  /** @param shared of the request that this one is the twin of */
  constructor(req: Request, res: Response, run: Run, shared?: Shared) {
    this.req = req;
    this.res = res;
    this.run = run;
    this.shared = shared ?? { now: new Date().toISOString(), state: run.state, numbers: [], secrets: [] };
    this.path = req.originalUrl.split('?', 1)[0] ?? '';
  }

  get state(): State {
    return this.run.state;
  }

  /** For a new shift. */
  newNumber(): number {
    const { numbers, state } = this.shared;
    const index = this.#numberCount++;
    numbers[index] ??= state.nextNumber();
    return numbers[index];
  }

  newSecret(lengthBytes: number): string {
    const { secrets } = this.shared;
    const index = this.#secretCount++;
    secrets[index] ??= randomBytes(lengthBytes).toString('hex');
    return secrets[index];
  }

  /** Whether this fault is on. Its effect shows in the answers of this and of later requests. */
  has(id: string): boolean {
    return this.run.fault === id;
  }

  /** Whether this fault is on and changes the answer, or its effect. The caller knows the second by `condition`. */
  broken(id: string, condition = true): boolean {
    if (this.run.fault !== id || !condition) return false;
    this.triggered = true;
    return true;
  }

  /** The value with defaults, or a rejection at the first violation. */
  check(pointer: string, value: unknown, at: string): unknown {
    const { edited } = this.run;
    const right = judge(byContract(pointer), value, edited !== undefined);
    const found = edited ? judge(edited(pointer), value) : right;
    if (found.error !== right.error) this.triggered = true;
    if (found.error) throw new Rejection(400, 'invalid', found.error, at);
    return found.value;
  }

  get account(): Account {
    return (this.session as Session).account;
  }
}

const etagOf = (body: Json) => `"${createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 24)}"`;

/** RFC 9110, 13.2.2, for a method that changes state: the tag of the present answer to GET, if there is one. */
function meetConditions(x: Exchange, current: () => string | undefined): void {
  const match = x.req.get('If-Match');
  const noneMatch = x.req.get('If-None-Match');
  if (match === undefined && noneMatch === undefined) return;
  const { triggered } = x;
  const tag = current();
  x.triggered = triggered; // A representation that is only hashed is no answer.
  const failed = match !== undefined ? !listsTag(match, tag, true) : listsTag(noneMatch ?? '', tag, false);
  if (!failed || x.broken('delete-without-if-match', x.req.method === 'DELETE')) return;
  if (match === undefined && x.path.includes('/absences/') && x.has('absence-if-none-match-ignored')) return;
  throw failedCondition();
}

/** Strong comparison for If-Match, weak for If-None-Match. `*` needs a representation. */
function listsTag(list: string, tag: string | undefined, strong: boolean): boolean {
  if (tag === undefined) return false;
  if (list.trim() === '*') return true;
  const tags = list.match(/(W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  return tags.some((one) => (strong ? one : one.replace(/^W\//, '')) === tag);
}

/** 200 of a GET with its validator, 304 or 412. */
function represent(x: Exchange, body: Json, headers: Headers = {}, tagged = body): Answer {
  const tag = etagOf(tagged);
  const noneMatch = x.req.get('If-None-Match');
  if (!listsTag(x.req.get('If-Match') ?? '*', tag, true)) throw failedCondition();
  const vary: Headers = x.broken('vary-missing', endsWith(x, 'staff')) ? {} : { Vary: 'Cookie' };
  const etag = x.broken('etag-twice', x.path === `${base}/clinics`) ? [tag, tag] : tag;
  const same = noneMatch !== undefined && listsTag(noneMatch, tag, false);
  if (same && !x.broken('if-none-match-ignored', x.shift === undefined && x.clinic !== undefined)) {
    return { status: 304, headers: { ETag: etag, ...vary } };
  }
  return { status: 200, body, headers: { ...headers, ETag: etag, ...vary } };
}

const endsWith = (x: Exchange, collection: string) => x.path.endsWith(`/${collection}`);

function write(x: Exchange, answer: Answer): void {
  const { res, req } = x;
  res.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) res.setHeader(name, value);
  res.setHeader('Cache-Control', 'private, no-cache');
  if (answer.body === undefined) {
    if (req.method === 'DELETE' && x.broken('no-content-with-length')) res.setHeader('Content-Length', 4);
    x.res.locals.log();
    res.end();
    return;
  }
  const text = JSON.stringify(answer.body);
  let bytes = Buffer.from(text);
  const html = x.broken('conflict-as-html', answer.status === 409 && req.method === 'POST' && endsWith(x, 'shifts'));
  if (html) bytes = Buffer.from('<!DOCTYPE html>\n<html lang="en"><body><pre>Conflict</pre></body></html>\n');
  if (x.broken('length-in-characters', bytes.length > text.length && !html)) bytes = bytes.subarray(0, text.length);
  res.setHeader('Content-Type', html ? 'text/html; charset=utf-8' : 'application/json');
  res.setHeader('Content-Length', bytes.length);
  x.res.locals.log();
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

function rejected(x: Exchange, error: unknown): Answer {
  const rejection = error instanceof Rejection ? error : new Rejection(500, 'internal', 'Something went wrong');
  const { status, code, at, headers } = rejection.answer;
  const bare = x.broken('swap-not-found-bare', status === 404 && x.path.startsWith(`${base}/swaps/`));
  const body = bare ? { message: 'Not Found' } : { error: { code, message: rejection.message, at }, meta };
  return { status, headers, body };
}

// ---- Middleware, in the order of checks ----

/** `body` is the media type of the body. */
type Route = Readonly<{
  handle: (x: Exchange) => Answer;
  roles?: readonly Account['role'][];
  open?: true;
  body?: string;
}>;

function authenticate(x: Exchange, route: Route): void {
  if (route.open) return;
  x.session = findSession(x);
  if (x.session) return;
  if (x.broken('staff-without-session', endsWith(x, 'staff'))) return;
  x.session = endsWith(x, 'weekly-pattern') ? ownerOf(x.state, x.req.get('X-Csrf-Token')) : undefined;
  if (x.session && x.broken('csrf-token-alone')) return;
  const forbidden = x.broken('anonymous-forbidden', x.req.method === 'PATCH');
  const silent = x.broken('no-challenge', x.req.method === 'GET' && x.path.startsWith(`${base}/swaps/`));
  const headers = silent || forbidden ? {} : challenge;
  throw new Rejection(forbidden ? 403 : 401, 'unauthenticated', 'No valid session', undefined, headers);
}

const ownerOf = (state: State, csrf?: string) => [...state.sessions.values()].find((one) => one.csrf === csrf);

function findSession(x: Exchange): Session | undefined {
  const cookie = /(?:^|;)\s*roster_session=([^;]*)/.exec(x.req.get('Cookie') ?? '')?.[1]?.trim();
  const inQuery = new URLSearchParams(x.req.url.split('?')[1]).get('roster_session') ?? undefined;
  const fromQuery = cookie === undefined && x.run.fault === 'session-in-query' ? inQuery : undefined;
  const [id = '', signature] = (cookie ?? fromQuery ?? '').split('.');
  const session = x.state.sessions.get(id);
  if (!session || (signature !== sign(id) && !x.broken('session-unsigned'))) return undefined;
  if (session.expiresAt <= Date.now() && !x.broken('session-expired')) return undefined;
  if (fromQuery !== undefined) x.broken('session-in-query');
  return session;
}

function authorize(x: Exchange, route: Route): void {
  if (route.open || !x.session) return;
  const { csrf, account } = x.session;
  const given = x.req.get('X-Csrf-Token');
  const safe = x.req.method === 'GET' || x.req.method === 'HEAD';
  if (!safe && given !== csrf) {
    const unchecked = x.broken('delete-without-csrf', x.req.method === 'DELETE');
    const foreign = x.broken('csrf-of-any-session', x.path.includes('/absences/') && !!ownerOf(x.state, given));
    if (!unchecked && !foreign) throw new Rejection(403, 'csrf', 'The CSRF token is not that of the session');
  }
  const allowed = !route.roles || route.roles.includes(account.role);
  if (!allowed && !x.broken('nurse-approves', endsWith(x, 'approve'))) throw noRight();
  if (account.role === 'nurse' && x.broken('nurse-without-swaps', endsWith(x, 'swaps'))) throw noRight();
}

/** The objects of the path. Objects of another trust do not exist. */
function findTargets(x: Exchange): void {
  const { state, req } = x;
  const trust = x.session?.account.trust;
  const { clinic, shiftNo, staffCode, swapId } = req.params as Record<string, string | undefined>;
  if (clinic !== undefined) {
    const found = state.clinics.get(clinic);
    const foreign = found !== undefined && trust !== undefined && found.trust !== trust;
    if (foreign && x.broken('foreign-clinic-forbidden')) throw noRight('The clinic belongs to another trust');
    const inside = req.method === 'DELETE' && state.shifts.get(shiftNo ?? '')?.clinic === clinic;
    if (!found || (foreign && !x.broken('foreign-shift-deleted', inside))) throw notFound();
    x.clinic = found;
  }
  if (shiftNo !== undefined) {
    const found = state.shifts.get(shiftNo);
    if (!found) throw notFound();
    const elsewhere = found.clinic !== x.clinic?.slug;
    if (elsewhere && !x.broken('shift-of-any-clinic', req.method === 'GET')) throw notFound();
    x.shift = found;
  }
  x.staff = x.clinic?.staff.get(staffCode ?? '');
  if (staffCode !== undefined && !x.staff) throw notFound();
  if (swapId !== undefined) {
    const found = state.swaps.get(swapId);
    if (!found) throw notFound();
    const foreign = state.clinics.get(found.clinic)?.trust !== trust;
    if (foreign && !x.broken('foreign-swap-read', req.method === 'GET')) throw notFound();
    x.swap = found;
  }
}

/** Parameters by the contract. Keys of objects in the path are looked up instead: an impossible key is 404. */
function readParameters(x: Exchange, path: string): void {
  const text = new URLSearchParams(x.req.url.split('?')[1]);
  for (const { name, in: place, pointer, type, whenAbsent } of parametersOf(path, x.req.method)) {
    if (place === 'path' && name !== 'firstDay') continue;
    const header = place === 'header' ? [x.req.get(name) ?? []].flat() : [];
    const given = place === 'path' ? [String(x.req.params[name])] : place === 'query' ? text.getAll(name) : header;
    if (given.length > 1) throw new Rejection(400, 'invalid', 'It is given more than once', name);
    x.query[name] = given[0] === undefined ? whenAbsent : x.check(pointer, fromText(given[0], type), name);
  }
}

function fromText(text: string, type: unknown): unknown {
  if (type === 'array') return text.split(',');
  return type === 'integer' && /^-?[0-9]+$/.test(text) ? Number(text) : text;
}

const readBytes = promisify(express.raw({ type: () => true, limit: bodyLimitBytes }));

async function readBody(x: Exchange, path: string, type: string): Promise<unknown> {
  const { method } = x.req;
  const hasBody = x.req.get('Transfer-Encoding') !== undefined || Number(x.req.get('Content-Length') ?? 0) > 0;
  const given = readMediaType(x.req.get('Content-Type'));
  const right = given?.essence === type && /^utf-8$/i.test(given.params.get('charset') ?? 'utf-8');
  const strict = right && given.toString() !== type && x.broken('media-type-parameter', method === 'PUT');
  const headers: Headers = method === 'PATCH' ? { 'Accept-Patch': type } : {};
  const ignored = !right && method === 'POST' && endsWith(x, 'shifts');
  if (hasBody && (strict || (!right && !x.broken('media-type-ignored', ignored)))) {
    throw new Rejection(415, 'media_type', `The body must be ${type}`, undefined, headers);
  }
  x.shared.reading ??= readBytes(x.req, x.res);
  await x.shared.reading.catch((error) => {
    throw fromBodyParser(error, headers);
  });
  return parseBody(x, path, type);
}

function readMediaType(text = ''): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined;
  }
}

function fromBodyParser({ status }: { status?: number }, headers: Headers): Rejection {
  if (status === 413) return new Rejection(413, 'too_large', 'The body is too large');
  if (status === 415) return new Rejection(415, 'media_type', 'The coding of the body is unknown', undefined, headers);
  return new Rejection(400, 'malformed', 'The body cannot be read');
}

function parseBody(x: Exchange, path: string, type: string): unknown {
  const bytes = Buffer.isBuffer(x.req.body) ? x.req.body : Buffer.alloc(0);
  if (bytes.length === 0 && x.broken('approval-without-body', endsWith(x, 'approve'))) return { comment: null };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (x.broken('malformed-json-500', endsWith(x, 'swaps'))) throw error;
    throw new Rejection(400, 'malformed', 'The body is no JSON');
  }
  return x.check(bodyOf(path, x.req.method, type), value, 'body');
}

// ---- Operations ----

function login(x: Exchange): Answer {
  const { email, password } = x.body as Account;
  const account = accounts.find((one) => one.email === email && one.password === password);
  if (!account) throw new Rejection(401, 'unauthenticated', 'E-mail or password is wrong', undefined, challenge);
  meetConditions(x, () => undefined);
  const id = x.newSecret(12);
  const expiresAt = Date.parse(x.shared.now) + sessionHours * 3_600_000;
  const session: Session = { id, account, csrf: x.newSecret(16), expiresAt };
  for (const other of x.has('login-ends-others') ? x.state.sessions.values() : [])
    if (other.account === account) x.state.sessions.delete(other.id);
  x.state.sessions.set(id, session);
  const cookie = `roster_session=${cookieOf(session)}; Path=${base}; HttpOnly; SameSite=Lax; Max-Age=${sessionHours * 3600}`;
  const data = {
    email,
    role: account.role,
    clinics: clinicsOf(x, account.trust).map(({ slug }) => slug),
    csrfToken: session.csrf,
    expiresAt: x.broken('login-expiry-seconds') ? Math.floor(expiresAt / 1000) : new Date(expiresAt).toISOString(),
  };
  return ok(data, { 'Set-Cookie': cookie });
}

const clinicsOf = (x: Exchange, trust: string) =>
  [...x.state.clinics.values()].filter((clinic) => clinic.trust === trust).sort((a, b) => (a.slug < b.slug ? -1 : 1));

function onePage<Item>(x: Exchange, all: readonly Item[]) {
  const { page, size } = x.query as { page: number; size: number };
  const pageMeta: Json = { ...meta, page, size, total: all.length };
  const headers: Headers = { 'X-Total-Count': String(all.length) };
  const start = (page - 1) * size - (page > 1 && endsWith(x, 'shifts') && x.has('shift-pages-overlap') ? 1 : 0);
  return { items: all.slice(start, start + size), pageMeta, headers };
}

function listClinics(x: Exchange): Answer {
  const part = (x.query.q as string | undefined)?.toLowerCase();
  const has = (text: string | null) => part === undefined || (text ?? '').toLowerCase().includes(part);
  const inTrust = clinicsOf(x, x.account.trust);
  const own = inTrust.filter(({ name, city }) => has(name) || (has(city) && !x.has('city-not-searched')));
  const foreign = [...x.state.clinics.values()].filter((one) => one.trust !== x.account.trust && part && has(one.city));
  const found = x.broken('foreign-clinic-found', foreign.length > 0) ? [...own, ...foreign] : own;
  const { items, pageMeta, headers } = onePage(x, found);
  if (x.broken('foreign-clinics-counted', part === undefined)) {
    pageMeta.total = x.state.clinics.size;
    headers['X-Total-Count'] = String(pageMeta.total);
  }
  if (x.has('clinic-count-unfiltered')) headers['X-Total-Count'] = String(inTrust.length);
  if (x.broken('clinics-total-text')) pageMeta.total = String(pageMeta.total);
  const data = items.map((clinic) => {
    const { slug, name, city } = clinic;
    const open = x.state.shiftsOf(clinic).filter(({ status }) => status === 'open');
    const openShifts = open.length + (x.state.deletedOpen.get(slug) ?? 0);
    return { slug, name, city, staffCount: clinic.staff.size, openShifts };
  });
  return represent(x, { data, meta: pageMeta }, headers);
}

function getClinic(x: Exchange): Answer {
  const { trust: _, staff: __, ...data } = x.clinic as Clinic;
  const contacts = x.broken('empty-contacts-null', Object.keys(data.contacts).length === 0) ? null : data.contacts;
  return represent(x, { data: { ...data, contacts }, meta });
}

function replaceWeeklyPattern(x: Exchange): Answer {
  const clinic = x.clinic as Clinic;
  const given = x.body as WeeklyPattern;
  const current = clinic.weeklyPattern?.version ?? 0;
  const isOlder = given.version > 0 && given.version < current;
  if (given.version !== current && !(isOlder && x.has('older-pattern-version'))) throw stale();
  if (given.validUntil && given.validUntil < given.validFrom) throw rule('The end is before the start');
  for (const blocks of Object.values(given.days)) {
    if (new Set(blocks.map(({ starts }) => starts)).size < blocks.length) throw rule('Two blocks start together');
  }
  meetConditions(x, () => (clinic.weeklyPattern ? etagOf(clinic.weeklyPattern) : undefined));
  const days = x.has('pattern-keeps-days') ? { ...clinic.weeklyPattern?.days, ...given.days } : given.days;
  clinic.weeklyPattern = { ...given, days, version: given.version + 1 };
  const { rotation, ...rest } = clinic.weeklyPattern;
  const data = x.broken('pattern-without-rotation', (rotation as Json).kind === 'fixed') ? rest : clinic.weeklyPattern;
  return ok(data);
}

function listStaff(x: Exchange): Answer {
  const { skill } = x.query as { skill?: string };
  const { staff } = x.clinic as Clinic;
  const fits = ({ skills }: Staff) => !skill || skills.includes(skill);
  const all = [...staff.values()].filter(fits);
  for (const one of x.has('filter-empties-staff') ? staff.values() : []) if (!fits(one)) staff.delete(one.code);
  const { items: own, pageMeta, headers } = onePage(x, all);
  const { page, size } = pageMeta as { page: number; size: number };
  const isWithheld = page > 1 && own.length < size && x.has('last-page-withheld');
  const late = x.has('staff-filtered-after-paging') ? onePage(x, [...staff.values()]).items.filter(fits) : own;
  const items = isWithheld ? [] : late;
  if (x.has('staff-total-of-page')) {
    pageMeta.total = items.length;
    headers['X-Total-Count'] = String(items.length);
  }
  const data = items.map((one): Json => {
    const { initials, ...rest } = one;
    if (x.broken('agency-without-initials', one.grade === 'agency')) return rest;
    if (skill && x.broken('filtered-skills-repeated')) return { ...one, skills: [skill, ...one.skills] };
    const rounded = x.broken('hours-rounded', one.contractHours % 1 !== 0);
    return { ...one, contractHours: rounded ? one.contractHours / 1.0001 : one.contractHours };
  });
  return represent(x, { data, meta: pageMeta }, headers);
}

function putAbsence(x: Exchange): Answer {
  const staff = x.staff as Staff;
  const firstDay = String(x.req.params.firstDay);
  const given = x.body as Absence & { lastDay: string };
  const existing = staff.absences[firstDay];
  if (given.version !== (existing?.version ?? 0)) throw stale();
  if (given.lastDay < firstDay) throw rule('The last day is before the first');
  meetConditions(x, () => existing && etagOf(existing));
  const data: Absence = { note: null, ...given, firstDay, version: given.version + 1 };
  for (const day of x.has('absence-replaces-others') ? Object.keys(staff.absences) : []) delete staff.absences[day];
  staff.absences[firstDay] = data;
  return !existing || x.broken('replaced-as-created') ? created(data, { Location: x.path }) : ok(data);
}

function showShift(x: Exchange, shift: Shift): Json {
  const beyond = x.broken('payroll-beyond-integers', shift.status === 'open');
  const payrollRef = beyond ? 9_007_199_254_740_992 + shift.payrollRef * 2 : shift.payrollRef;
  const plain = x.broken('created-without-zone') ? shift.createdAt.replace('T', ' ').slice(0, 19) : shift.createdAt;
  return { ...shift, payrollRef, createdAt: plain };
}

function shiftPage(x: Exchange) {
  const { from = '', to = '9999-12-31', order } = x.query as { from?: string; to?: string; order?: string };
  const all = x.query.status as string[] | undefined;
  const status = x.has('status-first-only') ? all?.slice(0, 1) : all;
  const isIn = ({ day }: Shift) => day >= from && day <= to && !(day === to && x.has('to-exclusive'));
  const fits = (one: Shift) => isIn(one) && (!status || status.includes(one.status));
  const sign = order === '-day' && !x.has('order-descending-ignored') ? -1 : 1;
  const byDay = (a: Shift, b: Shift) => (a.day < b.day ? -sign : a.day > b.day ? sign : 0);
  const shifts = x.state.shiftsOf(x.clinic as Clinic).filter(fits);
  return onePage(x, order?.endsWith('day') ? shifts.sort(byDay) : shifts);
}

function listShifts(x: Exchange): Answer {
  const { from, to, status } = x.query as { from?: string; to?: string; status?: string[] };
  if (from && to && to < from) throw rule('`to` is before `from`', 'to');
  if (!/[?&]size=/.test(x.req.url) && x.broken('size-default-of-five')) x.query.size = 5;
  const { items, pageMeta, headers } = shiftPage(x);
  if (x.broken('empty-page-500', items.length === 0)) throw new TypeError('items[0] is undefined');
  if (status && x.broken('filtered-without-count')) delete headers['X-Total-Count'];
  return represent(x, { data: items.map((shift) => showShift(x, shift)), meta: pageMeta }, headers);
}

/** The tag of GET on the collection with its defaults, for conditions of POST and PATCH. */
function shiftsTag(x: Exchange): string {
  x.query = { page: 1, size: 10 };
  const { items, pageMeta } = shiftPage(x);
  return etagOf({ data: items, meta: pageMeta });
}

/** Rules that a new or changed shift must keep: 422 for its members, 409 for the other shifts. */
function keepRules(clinic: Clinic, shift: NewShift, others: readonly Shift[]): void {
  if (!clinic.wards.some(({ code }) => code === shift.ward)) throw rule('The clinic has no such ward', 'ward');
  if (!shift.staff) return;
  const staff = clinic.staff.get(shift.staff);
  if (!staff) throw rule('The clinic has no such staff member', 'staff');
  if (shift.skills.some((skill) => !staff.skills.includes(skill))) throw rule('A skill is missing', 'skills');
  if (others.some(({ day, staff: by }) => day === shift.day && by === shift.staff))
    throw conflict('The staff member has a shift on that day');
}

function createShift(x: Exchange): Answer {
  const given = x.body as NewShift;
  const clinic = x.state.clinics.get(given.clinic ?? '') ?? (x.clinic as Clinic);
  const key = x.query['Idempotency-Key'] && `${x.account.email} ${clinic.slug} ${x.query['Idempotency-Key']}`;
  const earlier = typeof key === 'string' ? x.state.replies.get(key) : undefined;
  if (earlier && !isDeepStrictEqual(earlier.body, given)) throw rule('The key belongs to another request');
  if (earlier && x.has('replay-shows-present')) return showPresent(x, earlier.answer as Answer);
  if (earlier && !x.broken('idempotency-key-ignored')) return earlier.answer as Answer;
  try {
    keepRules(clinic, given, x.state.shiftsOf(clinic));
  } catch (error) {
    if (x.broken('conflict-leaves-shift', (error as Rejection).answer.status === 409))
      x.state.addShift(clinic.slug, given);
    throw error;
  }
  meetConditions(x, () => shiftsTag(x));
  const shift = x.state.addShift(clinic.slug, given, x.newNumber(), x.shared.now);
  const location = `${base}/clinics/${clinic.slug}/shifts/${shift.shiftNo}`;
  const headers: Headers = x.broken('shift-without-location') ? {} : { Location: location };
  const answer = created(showShift(x, structuredClone(shift)), headers);
  if (typeof key === 'string') x.state.replies.set(key, { body: given, answer });
  if (x.has('created-tags-lost')) shift.tags = {};
  return answer;
}

/** The answer with the shift as it is now. */
function showPresent(x: Exchange, answer: Answer): Answer {
  const { shiftNo } = (answer.body as { readonly data: Shift }).data;
  const shift = x.state.shifts.get(shiftNo);
  return shift ? { ...answer, body: { ...answer.body, data: showShift(x, structuredClone(shift)) } } : answer;
}

function patchShifts(x: Exchange): Answer {
  const clinic = x.clinic as Clinic;
  const { shifts } = x.state;
  const drafts = new Map<string, Shift>();
  const removed = new Set<string>();
  const saveAll = () => {
    const step = x.has('patch-keeps-version') ? 0 : 1;
    for (const [shiftNo, draft] of drafts) shifts.set(shiftNo, { ...draft, version: draft.version + step });
    for (const shiftNo of removed) shifts.delete(shiftNo);
  };
  try {
    for (const step of x.body as PatchStep[]) applyStep(x, step, drafts, removed);
  } catch (error) {
    if (x.broken('patch-in-part', drafts.size + removed.size > 0)) saveAll();
    throw error;
  }
  const stays = x.state.shiftsOf(clinic).filter(({ shiftNo }) => !removed.has(shiftNo));
  const after = stays.map((shift) => drafts.get(shift.shiftNo) ?? shift);
  for (const draft of drafts.values()) checkDraft(x, clinic, draft, after);
  meetConditions(x, () => shiftsTag(x));
  const before = [...drafts.keys()].map((shiftNo) => shifts.get(shiftNo) as Shift);
  saveAll();
  const changed = [...drafts.keys()].sort().flatMap((shiftNo) => shifts.get(shiftNo) ?? []);
  const counts = x.broken('patch-count-missing', removed.size === 0) ? {} : { removed: removed.size };
  const data = changed.map((shift) => showShift(x, shift));
  for (const { shiftNo, starts } of x.has('patched-start-lost') ? before : []) {
    const shift = shifts.get(shiftNo);
    if (shift) shift.starts = starts;
  }
  return { status: 200, body: { data, meta: { ...meta, changed: data.length, ...counts } } };
}

const removable: readonly string[] = ['agency', 'agencyRate'];

function applyStep(x: Exchange, step: PatchStep, drafts: Map<string, Shift>, removed: Set<string>): void {
  const [shiftNo = '', name, tag, ...deeper] = step.path.slice(1).split('/');
  const stored = x.state.shifts.get(shiftNo);
  if (!stored || stored.clinic !== x.clinic?.slug || removed.has(shiftNo)) throw conflict('No such target', shiftNo);
  if (name === undefined) {
    if (stored.status === 'swapping') throw conflict('The shift has a pending swap', shiftNo);
    removed.add(shiftNo);
    drafts.delete(shiftNo);
    return;
  }
  const draft = drafts.get(shiftNo) ?? structuredClone(stored);
  const owner = (tag === undefined ? draft : name === 'tags' ? draft.tags : {}) as Json;
  const member = tag ?? name;
  if (!Object.hasOwn(owner, member) || deeper.length > 0) throw conflict('No such target', shiftNo);
  if (step.op === 'replace') owner[member] = step.value;
  else if (tag !== undefined || removable.includes(member)) delete owner[member];
  else throw rule('The member cannot be removed', shiftNo);
  drafts.set(shiftNo, draft);
}

function checkDraft(x: Exchange, clinic: Clinic, draft: Shift, after: readonly Shift[]): void {
  const { shiftNo, clinic: _, status, payrollRef: __, createdAt: ___, version: ____, ...members } = draft;
  const { error } = judge(byContract('/components/schemas/NewShift'), members);
  if (error) throw rule(error, shiftNo);
  const before = x.state.shifts.get(shiftNo) as Shift;
  if (draft.staff !== before.staff || draft.day !== before.day) {
    if (status === 'swapping') throw conflict('The shift has a pending swap', shiftNo);
    const others = after.filter((one) => one !== draft);
    keepRules(clinic, draft, others);
    draft.status = draft.staff ? 'assigned' : 'open';
  } else keepRules(clinic, { ...draft, staff: null }, []);
}

function getShift(x: Exchange): Answer {
  const shift = x.shift as Shift;
  if (x.broken('read-counts-version', x.req.method === 'GET')) shift.version += 1;
  const body = { data: showShift(x, shift), meta };
  return x.broken('etag-of-key-only') ? represent(x, body, {}, { shiftNo: shift.shiftNo }) : represent(x, body);
}

function deleteShift(x: Exchange): Answer {
  const shift = x.shift as Shift;
  if (x.query.version !== undefined && x.query.version !== shift.version) throw stale();
  if (shift.status === 'swapping') throw conflict('The shift has a pending swap');
  meetConditions(x, () => etagOf({ data: showShift(x, shift), meta }));
  const { deletedOpen } = x.state;
  if (shift.status === 'open' && x.has('deleted-shift-counted'))
    deletedOpen.set(shift.clinic, (deletedOpen.get(shift.clinic) ?? 0) + 1);
  if (!x.broken('delete-keeps-shift')) x.state.shifts.delete(shift.shiftNo);
  return { status: 204 };
}

function requestSwap(x: Exchange): Answer {
  const shift = x.shift as Shift;
  const given = x.body as Swap;
  if (shift.status !== 'assigned') throw conflict('The shift is open, or has a pending swap');
  if (given.with === shift.staff || !x.clinic?.staff.has(given.with)) {
    if (x.has('rejected-swap-marks-shift')) shift.status = 'swapping';
    throw rule('Nobody to swap with', 'with');
  }
  meetConditions(x, () => undefined);
  const digits = createHash('sha256').update(`${shift.shiftNo} ${x.state.swaps.size}`).digest('hex').slice(0, 8);
  const swap = x.state.addSwap(`sw_${digits}`, shift.shiftNo, given.with, given.reason, given.pin, given.keepPay);
  shift.version += 1;
  const location = x.broken('swap-location-without-base') ? `/swaps/${swap.id}` : `${base}/swaps/${swap.id}`;
  return created(showSwap(x, swap), { Location: location });
}

function showSwap(x: Exchange, swap: Swap): Json {
  const { pin, ...rest } = swap;
  const status = x.broken('approved-as-accepted', swap.status === 'approved') ? 'accepted' : swap.status;
  return x.broken('swap-pin-returned') ? { ...rest, pin } : { ...rest, status };
}

const getSwap = (x: Exchange): Answer => represent(x, { data: showSwap(x, x.swap as Swap), meta });

function approveSwap(x: Exchange): Answer {
  const swap = x.swap as Swap;
  const { version, comment } = x.body as Swap;
  if (version !== undefined && version !== swap.version) throw stale();
  if (swap.status !== 'pending') throw conflict('The swap is decided');
  const shift = x.state.shifts.get(swap.shiftNo) as Shift;
  const others = x.state.shiftsOf(x.state.clinics.get(shift.clinic) as Clinic).filter((one) => one !== shift);
  if (others.some((one) => one.day === shift.day && one.staff === swap.with))
    throw conflict('The staff member has a shift on that day');
  meetConditions(x, () => undefined);
  Object.assign(swap, { status: 'approved', decidedBy: x.account.email, comment, version: swap.version + 1 });
  const staff = x.has('approved-shift-keeps-staff') ? shift.staff : swap.with;
  Object.assign(shift, { staff, status: 'assigned', version: shift.version + 1 });
  const shown = showSwap(x, swap);
  if (x.has('approval-comment-lost')) swap.comment = null;
  return ok(shown);
}

// ---- Wiring ----

const json = 'application/json';
const planner = { roles: ['planner'] as const };
const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  '/session': { POST: { handle: login, body: json, open: true } },
  '/clinics': { GET: { handle: listClinics } },
  '/clinics/{clinic}': { GET: { handle: getClinic } },
  '/clinics/{clinic}/weekly-pattern': { PUT: { handle: replaceWeeklyPattern, body: json, ...planner } },
  '/clinics/{clinic}/staff': { GET: { handle: listStaff } },
  '/clinics/{clinic}/staff/{staffCode}/absences/{firstDay}': { PUT: { handle: putAbsence, body: json, ...planner } },
  '/clinics/{clinic}/shifts': {
    GET: { handle: listShifts },
    POST: { handle: createShift, body: json, ...planner },
    PATCH: { handle: patchShifts, body: 'application/json-patch+json', ...planner },
  },
  '/clinics/{clinic}/shifts/{shiftNo}': { GET: { handle: getShift }, DELETE: { handle: deleteShift, ...planner } },
  '/clinics/{clinic}/shifts/{shiftNo}/swaps': { POST: { handle: requestSwap, body: json } },
  '/swaps/{swapId}': { GET: { handle: getSwap } },
  '/swaps/{swapId}/approve': { POST: { handle: approveSwap, body: json, ...planner } },
};

const exchangeOf = (res: Response) => res.locals.exchange as Exchange;

function serveRoute(path: string, route: Route, other: (req: Request, res: Response) => void) {
  return async (req: Request, res: Response) => {
    const x = exchangeOf(res);
    if (req.method === 'HEAD' && x.broken('head-not-allowed', x.path.includes('/shifts/'))) return other(req, res);
    const answer = await settle(x, path, route);
    const { cleanState } = x.run;
    if (cleanState) {
      const twin = new Exchange(req, res, { state: cleanState }, x.shared);
      x.triggered = JSON.stringify(await settle(twin, path, route)) !== JSON.stringify(answer);
    }
    write(x, answer);
  };
}

async function settle(x: Exchange, path: string, route: Route): Promise<Answer> {
  try {
    authenticate(x, route);
    authorize(x, route);
    findTargets(x);
    readParameters(x, path);
    if (route.body) x.body = await readBody(x, path, route.body);
    return route.handle(x);
  } catch (error) {
    return rejected(x, error);
  }
}

function serveOtherMethods(path: string, methods: readonly string[]) {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  return (req: Request, res: Response) => {
    const x = exchangeOf(res);
    if (req.method === 'OPTIONS') {
      const more = x.broken('allow-too-much', path.endsWith('/{shiftNo}')) ? ['PUT'] : [];
      return write(x, { status: 204, headers: { Allow: [...allow, ...more].join(', ') } });
    }
    const silent = x.broken('method-without-allow', path.startsWith('/swaps'));
    const headers: Headers = silent ? {} : { Allow: allow.join(', ') };
    throw new Rejection(405, 'method', 'The method is not allowed', undefined, headers);
  };
}

function createRouter(): express.Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  for (const [path, methods] of Object.entries(routes)) {
    const at = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    const other = serveOtherMethods(path, Object.keys(methods));
    for (const [method, route] of Object.entries(methods)) {
      at[method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete'](serveRoute(path, route, other));
    }
    at.all(other);
  }
  return router;
}

export interface StartOptions {
  readonly port: number;
  readonly fault?: string | undefined;
  /** File of the NDJSON log: one line for each request. */
  readonly log?: string | undefined;
}

export async function start({ port, fault, log }: StartOptions): Promise<{ url: string; close(): Promise<void> }> {
  if (fault && !faults.some(({ id }) => id === fault)) throw new RangeError(`There is no fault ${fault}`);
  const edit = edits[fault ?? ''];
  const startedAt = new Date().toISOString();
  const twinned = isStateful(fault ?? '') ? { cleanState: new State(startedAt) } : {};
  const run: Run = { state: new State(startedAt), fault, edited: edit && compileContract(edit), ...twinned };
  let count = 0;
  let listenedAt = performance.now();
  if (log) writeFileSync(log, '');
  const app = express().disable('x-powered-by').disable('query parser');
  app.use((req: Request, res: Response, next: NextFunction) => {
    const x = new Exchange(req, res, run);
    const n = ++count;
    const ms = Math.round((performance.now() - listenedAt) * 10) / 10;
    res.locals.exchange = x;
    res.locals.log = () => {
      const { method, originalUrl: target } = req;
      const line = { n, ms, method, target, status: res.statusCode, triggered: x.triggered };
      if (log) appendFileSync(log, `${JSON.stringify(line)}\n`);
    };
    next();
  });
  app.use(base, createRouter());
  app.use(() => {
    throw notFound();
  });
  // Express rejects a path with a broken escape by a URIError: there is no such path.
  app.use((error: unknown, _: Request, res: Response, __: NextFunction) =>
    write(exchangeOf(res), rejected(exchangeOf(res), error instanceof URIError ? notFound() : error)),
  );
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  listenedAt = performance.now();
  const close = async () => {
    server.closeAllConnections();
    await promisify(server.close.bind(server))();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: 'string' }, fault: { type: 'string' }, log: { type: 'string' } },
  });
  const { url, close } = await start({ port: Number(values.port ?? 0), fault: values.fault, log: values.log });
  process.stdout.write(`listening on ${url}\n`);
  process.once('SIGTERM', () => void close().then(() => process.exit(0)));
}
