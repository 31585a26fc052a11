import { type Contract, coversMediaType, essenceOf, type Operation, responseFor } from '../contract/contract.ts';
import { parseJson } from '../contract/document.ts';
import type { Connection } from '../execute/connection.ts';
import { type Answer, type Exchange, headerOf, type NoAnswer } from '../execute/exchange.ts';
import type { Pace } from '../execute/limits.ts';

/** An address at which every answer was a 404, or no answer was the API's. */
export interface LostAddress {
  readonly base: string;
  readonly option: '--base-url' | '--auth-url';
  /** The answers, in words: `404`, `200 as text/html`, `301 to https://api.example/books`. */
  readonly saw: string;
  /** Whether answers came that the contract does not document; a 404 alone may also be about an id. */
  readonly isForeign: boolean;
  /** A request that the right address would answer, `GET /books`; undefined if every path has an id. */
  readonly asked: string | undefined;
  /** The target of a redirect, else an address of the same host where the API answers that request. */
  readonly right: string | undefined;
  /** Whether `right` is the target of a redirect. */
  readonly isRedirect: boolean;
  /** The first server of the contract; empty if it names none. */
  readonly named: string;
  readonly sent: readonly string[];
}

const mostKinds = 12;

/** Most addresses that are tried. */
const mostTried = 6;

export interface Given {
  readonly contract: Contract;
  readonly connection: Connection;
  readonly pace: Pace;
  /** Requests that may still be sent. */
  readonly left: number;
}

/**
 * Looks for the deployment at other paths of the same host: the contract's own path, or a part of the given one. It sends a GET
 * that needs no id, without credentials: a 401 proves as much as a 200. If the host redirects to the same path elsewhere, that
 * address is reported, but gets no request: it may belong to somebody else.
 *
 * @returns undefined unless every answer was 404, or none was the API's
 */
async function findLostAddress(seen: TargetSeen, given: Given): Promise<LostAddress | undefined> {
  const { base, option, isAbsent, isForeign, saw, redirect, asked: operation, named: askedName, servers } = seen;
  if (base === undefined || !(isAbsent || isForeign)) return undefined;
  const addresses = option === '--base-url' ? given.contract.servers : servers;
  const sent: string[] = [];
  let right = redirect;
  for (const candidate of nearby(base, addresses).slice(0, Math.min(mostTried, given.left))) {
    if (operation === undefined || right !== undefined) break;
    await given.pace();
    const headers = [['accept', '*/*']] as const;
    const request = { method: 'GET', base: candidate, path: operation.path, headers, body: undefined };
    const outcome = await given.connection.send(request);
    sent.push(`${operation.id} address (without credentials) GET ${new URL(candidate).pathname}${operation.path} {}`);
    if (outcome?.kind === 'answer' && isOfApi({ operation, request, outcome })) right = candidate;
  }
  return {
    base,
    option,
    saw: isAbsent ? '404' : saw,
    isForeign: isForeign && !isAbsent,
    asked: askedName,
    right,
    isRedirect: redirect !== undefined,
    named: addresses.find((address) => URL.canParse(address)) ?? '',
    sent,
  };
}

/** Facts about all answers of one server that may prove a wrong address. */
export interface TargetSeen {
  readonly option: '--base-url' | '--auth-url';
  readonly base: string | undefined;
  /** Every answer was 404. */
  readonly isAbsent: boolean;
  /** Whether only responses foreign to the contract were received. */
  readonly isForeign: boolean;
  readonly saw: string;
  /** The base address of a redirect to the same path. */
  readonly redirect: string | undefined;
  /** The first GET that needs no id. */
  readonly asked: Operation | undefined;
  /** Method and path of that GET, else of the first request that needs no id. */
  readonly named: string | undefined;
  /** Servers of the first operation that was sent. */
  readonly servers: readonly string[];
  /** Why no connection was possible, if none ever was. */
  readonly away: { readonly message: string; readonly base: string } | undefined;
}

/** Collects the facts that prove whether the address is right. */
export function watchAddress() {
  const targets = { api: watchTarget('--base-url'), auth: watchTarget('--auth-url') };
  /** The API, or the other server if only that one was called. */
  const judged = (): TargetSeen => {
    const api = targets.api.seen();
    return api.base === undefined ? targets.auth.seen() : api;
  };
  return {
    onExchange: (exchange: Exchange): void => targets[exchange.operation.target].see(exchange),
    judged,
    /** At the end of the run. */
    findLost: (given: Given): Promise<LostAddress | undefined> => findLostAddress(judged(), given),
  };
}

function watchTarget(option: TargetSeen['option']) {
  let base: string | undefined;
  let [isAbsent, isOwn, isForeign, isThere] = [true, false, false, false];
  let [redirect, away]: [string | undefined, TargetSeen['away']] = [undefined, undefined];
  let [asked, plain]: [Operation | undefined, Operation | undefined] = [undefined, undefined];
  let servers: readonly string[] = [];
  const kinds = new Map<string, string>();
  return {
    see: (exchange: Exchange): void => {
      const { operation, request, outcome } = exchange;
      if (outcome.kind === 'none' && outcome.reason === 'unsent') return;
      if (base === undefined) servers = operation.servers;
      base ??= request.base;
      if (!operation.path.includes('{')) {
        plain ??= operation;
        if (operation.method === 'get') asked ??= operation;
      }
      isAbsent &&= outcome.kind === 'answer' && outcome.status === 404;
      if (outcome.kind === 'none') {
        isOwn = true;
        if (outcome.reason !== 'refused' && outcome.reason !== 'unresolved') isThere = true;
        else away ??= { message: outcome.message, base: request.base };
        return;
      }
      isThere = true;
      // One answer of the API is enough.
      if (isOwn) return;
      const origin = originOf(exchange);
      isOwn ||= origin === 'own';
      isForeign ||= origin === 'foreign';
      const to = redirectedBase(exchange);
      if (to !== request.base) redirect ??= to;
      describeInto(kinds, exchange);
    },
    seen: (): TargetSeen => ({
      option,
      base,
      isAbsent: base !== undefined && isAbsent,
      isForeign: isForeign && !isOwn,
      saw: [...kinds.values()].join(' or '),
      redirect,
      asked,
      named: plain === undefined ? undefined : nameOf(asked ?? plain),
      servers,
      away: isThere ? undefined : away,
    }),
  };
}

function nameOf({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Addresses of the same host, the likeliest first: the contract's path, that path beneath the given one, its parents. */
function nearby(base: string, addresses: readonly string[]): string[] {
  const { origin, pathname } = new URL(base);
  const paths = addresses.map((address) => URL.parse(address, 'http://localhost')?.pathname.replace(/\/$/, '') ?? '');
  const own = pathname.replace(/\/$/, '').split('/');
  const parents = own.slice(1).map((_, index) => own.slice(0, own.length - 1 - index).join('/'));
  const found = [...paths, ...paths.map((path) => own.join('/') + path), ...parents].map((path) => `${origin}${path}`);
  return [...new Set(found)].filter((candidate) => candidate !== base);
}

function isOfApi(asked: Asked & { readonly outcome: Answer }): boolean {
  const { operation, outcome: answer } = asked;
  if (originOf(asked) === 'foreign') return false;
  if ([400, 401, 403, 422].includes(answer.status)) return true;
  const response = responseFor(operation, answer.status);
  if (response === undefined || answer.status === 404 || answer.status >= 500) return false;
  const type = headerOf(answer, 'content-type');
  // A host that answers every address with its front page is no API.
  return response.contents.length === 0 || response.contents.some((one) => coversMediaType(one.mediaType, type ?? ''));
}

type Asked = Pick<Exchange, 'operation' | 'request' | 'outcome'>;

/** Statuses that a gateway may send with a page of its own; they prove nothing against the address. */
const ofGateways = new Set([401, 402, 403, 429]);

/**
 * The origin of an answer, by the contract's operation: `foreign` for an undeclared redirect or media type, `neither` for an answer
 * that proves nothing. In doubt it is the API's own: a defect must not look like a wrong address.
 */
function originOf({ operation, request, outcome }: Asked): 'own' | 'foreign' | 'neither' {
  if (outcome.kind === 'none') return 'own';
  const { status, body } = outcome;
  if (status >= 500 || ofGateways.has(status)) return 'own';
  const response = responseFor(operation, status);
  if (isRedirection(status)) {
    // `default` is about errors: it documents no redirect.
    return response === undefined || response.status.toLowerCase() === 'default' ? 'foreign' : 'own';
  }
  const declared = operation.responses.flatMap(({ contents }) => contents);
  if (body.length === 0) {
    const isBare = (status === 404 || status === 405) && (response === undefined || response.contents.length > 0);
    return isBare || request.method === 'HEAD' ? 'neither' : 'own';
  }
  const type = headerOf(outcome, 'content-type');
  if (type === undefined || declared.some(({ mediaType }) => coversMediaType(mediaType, type))) return 'own';
  // JSON with a wrong media type is a defect of the API, no proof of a wrong address.
  const value = parseJson(body.toString());
  if (typeof value === 'object' && value !== null) return 'own';
  return declared.length === 0 || response?.contents.length === 0 ? 'neither' : 'foreign';
}

/** RFC 9110, 15.4, without 304, which answers a condition and has no target. */
function isRedirection(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/** The target of a redirect, without query, fragment and user: a server may repeat secrets there. */
function locationOf({ request, outcome }: Asked): URL | undefined {
  if (outcome.kind === 'none' || !isRedirection(outcome.status)) return undefined;
  const location = headerOf(outcome, 'location');
  const url = location === undefined ? null : URL.parse(location, `${request.base}${request.path}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  [url.search, url.hash, url.username, url.password] = ['', '', '', ''];
  return url;
}

/** The base address of a redirect to the same path; undefined for a redirect to another path, such as a login. */
function redirectedBase(asked: Asked): string | undefined {
  const url = locationOf(asked);
  const path = asked.request.path.replace(/\?.*$/s, '');
  // The path `/` matches the end of every folder.
  return path.length > 1 && url?.pathname.endsWith(path) ? url.href.slice(0, -path.length) : undefined;
}

function describeInto(kinds: Map<string, string>, asked: Asked & { readonly outcome: Answer | NoAnswer }): void {
  const { outcome } = asked;
  if (outcome.kind === 'none' || kinds.size >= mostKinds) return;
  const { status } = outcome;
  const type = outcome.body.length === 0 ? undefined : essenceOf(headerOf(outcome, 'content-type') ?? '');
  const kind = isRedirection(status) ? String(status) : `${status}${type === undefined ? '' : ` as ${type}`}`;
  if (kinds.has(kind)) return;
  const location = locationOf(asked)?.href;
  kinds.set(kind, location === undefined ? kind : `${status} to ${location}`);
}
