import { createRequire } from 'node:module';
import type * as Undici from 'undici';
import type { Fetch } from '../contract/read-contract.ts';
import type { NoAnswer } from './exchange.ts';

export interface ProxyOptions {
  /** `http://NAME:PASSWORD@HOST:PORT`, or https. */
  readonly uri: string;
  /** Limit of each step: the connection to the proxy, its answer to CONNECT, the connection beyond it. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Options of `tls.connect` for the target; the proxy gets no client certificate. */
  readonly tls?: Readonly<Record<string, unknown>> | undefined;
}

/** Loads the whole package, which takes a tenth of a second: only a run with a proxy needs it. */
function loadUndici(): typeof Undici {
  return createRequire(import.meta.url)('undici');
}

/**
 * Opens requests through an HTTP proxy: in absolute form for http targets (RFC 9112, 3.2.2), by CONNECT for https targets (RFC 9110,
 * 9.3.6). Raw paths and repeated headers remain.
 *
 * @param createClient creates the client of one connection
 */
export function createProxy(
  { uri, timeoutMs, signal, tls }: ProxyOptions,
  createClient: (origin: string | URL, options: object) => Undici.Client,
): Undici.Dispatcher {
  const { ProxyAgent } = loadUndici();
  return new ProxyAgent({
    uri,
    connections: 1,
    factory: createClient,
    clientFactory: createClient,
    proxyTls: { timeout: timeoutMs, signal } as object,
    requestTls: { timeout: timeoutMs, ...tls },
  });
}

/** `fetch` through a proxy, which Node's own cannot use: it expects the dispatcher of another version of undici. */
export function createProxyFetch(uri: string): Fetch {
  const undici = loadUndici();
  const dispatcher = new undici.ProxyAgent(uri);
  return (url, options) => undici.fetch(url, { ...options, dispatcher }) as Promise<unknown> as Promise<Response>;
}

/** Statuses by which a proxy reports that it did not reach the target. */
export const ofProxies: ReadonlySet<number> = new Set([502, 503, 504]);

/** @returns undefined for a failure that is not the proxy's */
export function describeProxyError(error: unknown): Pick<NoAnswer, 'reason' | 'message'> | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    // 407 comes from a proxy alone (RFC 9110, 15.5.8).
    if (/\b407\b/.test(cause.message)) return failed('it answers 407: give --proxy http://NAME:PASSWORD@HOST:PORT');
    const [, status] = /^Proxy response \((\d+)\)/.exec(cause.message) ?? [];
    if (status !== undefined) return failed(`it answers ${status} to CONNECT`);
    const why = byCode[code];
    if (why !== undefined) return failed(why);
  }
  return undefined;
}

function failed(why: string): Pick<NoAnswer, 'reason' | 'message'> {
  return { reason: 'refused', message: `the proxy (--proxy) does not connect: ${why}` };
}

const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens at its address',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ENOTFOUND: 'its host name does not exist',
  EAI_AGAIN: 'its host name cannot be resolved at present',
  UND_ERR_CONNECT_TIMEOUT: 'no connection was established in time',
  UND_ERR_PRX_CONN: 'it closes the connection',
  UND_ERR_PRX_TLS: 'its certificate does not match its name',
};
