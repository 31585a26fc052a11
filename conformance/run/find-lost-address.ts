import { type Contract, type Operation, responseFor } from '../contract/contract.ts';
import { coversMediaType } from '../contract/media-type.ts';
import type { Connection } from '../execute/connection.ts';
import { type Answer, type Exchange, headerOf } from '../execute/exchange.ts';

/** An address at which every answer was a 404. */
export interface LostAddress {
  readonly base: string;
  readonly option: '--base-url' | '--auth-url';
  /** A request that a right address would know, `GET /books`; undefined where every path has an id in it. */
  readonly asked: string | undefined;
  /** An address of the same host where that request is answered as the contract says. */
  readonly right: string | undefined;
  /** The first address of the contract; empty where it names none. */
  readonly named: string;
  /** Lines for the log of requests, one for each that was sent. */
  readonly sent: readonly string[];
}

/** Most addresses that are tried. */
const mostTried = 6;

interface Given {
  readonly contract: Contract;
  readonly exchanges: readonly Exchange[];
  readonly connection: Connection;
  readonly pace: () => Promise<void>;
  /** Requests that may still be sent. */
  readonly left: number;
}

/**
 * Looks whether the deployment lies at another path of the same host: the contract's own path, or a part of the given one.
 * It asks with a GET that needs no id, without credentials: a 401 tells as much as a 200.
 *
 * @returns undefined unless every answer was 404
 */
export async function findLostAddress(given: Given): Promise<LostAddress | undefined> {
  const { judged, option } = ofTarget(given.exchanges);
  const isLost = judged.every(({ outcome }) => outcome.kind === 'answer' && outcome.status === 404);
  const base = judged[0]?.request.base;
  if (base === undefined || !isLost) return undefined;
  const plain = judged.map(({ operation }) => operation).filter(({ path }) => !path.includes('{'));
  const operation = plain.find(({ method }) => method === 'get');
  const asked = operation ?? plain[0];
  const addresses = option === '--base-url' ? given.contract.servers : (judged[0]?.operation.servers ?? []);
  const sent: string[] = [];
  let right: string | undefined;
  const candidates = operation === undefined ? [] : nearby(base, addresses).slice(0, Math.min(mostTried, given.left));
  for (const candidate of candidates) {
    if (operation === undefined || right !== undefined) break;
    await given.pace();
    const headers = [['accept', '*/*']] as const;
    const request = { method: 'GET', base: candidate, path: operation.path, headers, body: undefined };
    const outcome = await given.connection.send(request);
    sent.push(`${operation.id} address (without credentials) GET ${new URL(candidate).pathname}${operation.path} {}`);
    if (outcome.kind === 'answer' && isAtHome(operation, outcome)) right = candidate;
  }
  return {
    base,
    option,
    asked: asked === undefined ? undefined : `${asked.method.toUpperCase()} ${asked.path}`,
    right,
    named: addresses.find((address) => URL.canParse(address)) ?? '',
    sent,
  };
}

/** Exchanges with the API, or with the other server where that one alone is tested, and the option that names it. */
export function ofTarget<Kind extends Exchange>(
  exchanges: readonly Kind[],
): { readonly judged: readonly Kind[]; readonly option: '--base-url' | '--auth-url' } {
  const own = exchanges.filter(({ operation }) => operation.target === 'api');
  return own.length > 0 ? { judged: own, option: '--base-url' } : { judged: exchanges, option: '--auth-url' };
}

/** Addresses of the same host, the likeliest first: the contract's path there, that path beneath the given one, its parents. */
function nearby(base: string, addresses: readonly string[]): string[] {
  const { origin, pathname } = new URL(base);
  const paths = addresses.map((address) => URL.parse(address, 'http://localhost')?.pathname.replace(/\/$/, '') ?? '');
  const own = pathname.replace(/\/$/, '').split('/');
  const parents = own.slice(1).map((_, index) => own.slice(0, own.length - 1 - index).join('/'));
  const found = [...paths, ...paths.map((path) => own.join('/') + path), ...parents].map((path) => `${origin}${path}`);
  return [...new Set(found)].filter((candidate) => candidate !== base);
}

/** An answer that the contract gives to this request, or one that asks for credentials or parameters first. */
function isAtHome(operation: Operation, answer: Answer): boolean {
  if ([400, 401, 403, 422].includes(answer.status)) return true;
  const response = responseFor(operation, answer.status);
  if (response === undefined || answer.status === 404 || answer.status >= 500) return false;
  const type = headerOf(answer, 'content-type');
  // A host that shows its front page at every address is no API.
  return response.contents.length === 0 || response.contents.some((one) => coversMediaType(one.mediaType, type ?? ''));
}
