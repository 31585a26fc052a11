import { createRequire } from 'node:module';
import { connect as connectSocket } from 'node:net';
import type { Client as ClientType, Dispatcher } from 'undici';
import { idempotent } from '../plan/permissions.ts';
import { decodeContent } from './content.ts';
import { type Answer, headerOf, type NoAnswer, type OutgoingRequest } from './exchange.ts';
import { createProxy, describeProxyError } from './proxy.ts';

export interface Connection {
  /**
   * Never throws: a missing answer is an outcome.
   *
   * @returns undefined if the run was aborted meanwhile
   */
  readonly send: (request: OutgoingRequest) => Promise<Answer | NoAnswer | undefined>;
  /** Whether a server listens: opens a connection without sending anything. */
  readonly isListening: (base: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export interface ConnectionOptions {
  /** Limit for complete headers, and again for the complete content. */
  readonly timeoutMs: number;
  /** Aborts open requests and connection attempts. */
  readonly signal: AbortSignal;
  /** Options of `tls.connect`: certificate and key of the client, trusted authorities. */
  readonly tls?: Readonly<Record<string, unknown>>;
  /** Address of a proxy for all requests. */
  readonly proxy?: string | undefined;
}

/** Loading the whole package would take a tenth of a second longer. */
const Client: typeof ClientType = createRequire(import.meta.url)('undici/lib/dispatcher/client.js');

/** A larger answer, encoded or decoded, is cut off and reported: no known contract describes such an answer. */
const largestBodyBytes = 64 * 1024 * 1024;

/** Media types of content that may never end: events, lists of values, audio and video. */
const endless =
  /^(text\/event-stream|multipart\/x-mixed-replace|audio\/|video\/|application\/(x-ndjson|ndjson|jsonl|x-jsonlines|json-seq|stream\+json))/i;

/** Reading time for content that may never end. */
const listenMs = 500;

/** A connection that carries one request at a time, so that the number of earlier requests is known. */
interface Lane {
  readonly client: Dispatcher;
  /** Number of requests on the current socket. */
  carried: number;
  /** Time of the last answer, by `performance.now()`. */
  usedAt: number;
}

/** Servers close idle connections after a second or more: a connection used more recently is presumed open. */
const surelyOpenMs = 800;

/**
 * Keeps connections alive, as many for each origin as requests in flight, and reuses the last used one first. Paths are sent raw,
 * redirects are not followed, requests are not pipelined.
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { timeoutMs, signal, tls, proxy } = options;
  const free = new Map<string, Lane[]>();
  const open = new Set<Dispatcher>();
  const openLane = (origin: string): Lane => {
    const createClient = (address: string | URL, more: object): ClientType => {
      const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
      // The laws of HTTP that the checks know are those of HTTP/1.1, and one request at a time is on a connection.
      const client = new Client(address, { ...more, pipelining: 1, allowH2: false, ...timeouts });
      client.on('connect', () => {
        lane.carried = 0;
      });
      return client;
    };
    const client =
      proxy === undefined
        ? // The signal closes a socket during connection, when no request can be aborted yet.
          createClient(origin, { connect: { timeout: timeoutMs, signal, ...tls } })
        : createProxy({ uri: proxy, timeoutMs, signal, tls }, createClient);
    const lane: Lane = { client, carried: 0, usedAt: 0 };
    open.add(client);
    return lane;
  };
  const drop = (lane: Lane): void => {
    open.delete(lane.client);
    lane.client.destroy().catch(() => undefined);
  };
  const sendOver = async (lane: Lane, origin: string, request: OutgoingRequest) => {
    const outcome = await dispatch(lane, request, options);
    // A connection is not reused after a failure.
    if (outcome?.kind === 'answer' && outcome.isCut !== true) {
      lane.usedAt = performance.now();
      free.get(origin)?.push(lane);
    } else drop(lane);
    return outcome;
  };

  /** Origins that close kept connections without notice. */
  const unreliable = new Set<string>();
  /** The server may close a used connection at any moment, and a request that must not be repeated would be lost with it. */
  const openSafeLane = (origin: string, lane: Lane | undefined): Lane => {
    if (lane === undefined) return openLane(origin);
    if (!unreliable.has(origin) && performance.now() - lane.usedAt < surelyOpenMs) return lane;
    drop(lane);
    return openLane(origin);
  };
  return {
    send: async (request) => {
      const { origin } = originOf(request.base);
      const lanes = free.get(origin) ?? [];
      free.set(origin, lanes);
      const isRepeatable = idempotent.has(request.method);
      const known = lanes.pop();
      const lane = isRepeatable ? (known ?? openLane(origin)) : openSafeLane(origin, known);
      const first = await sendOver(lane, origin, request);
      // A reset is a fault, except on a reused connection: a server may close an idle one (RFC 9112, 9.3.1).
      if (first?.kind !== 'none' || first.reason !== 'reset' || lane.carried < 2) return unpack(first);
      unreliable.add(origin);
      if (!isRepeatable) return first;
      const second = await sendOver(openLane(origin), origin, request);
      // If the server no longer listens, this request may be the cause.
      return second?.kind === 'none' && second.reason === 'refused' ? first : unpack(second);
    },
    isListening: (base) => {
      // Beyond a proxy, only a request shows whether the target listens.
      const { hostname, port, protocol } = new URL(proxy ?? base);
      return new Promise((resolve) => {
        const host = hostname.replace(/^\[|\]$/g, '');
        const socket = connectSocket({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)), signal });
        const end = (isThere: boolean): void => {
          socket.destroy();
          resolve(isThere);
        };
        socket.setTimeout(Math.min(timeoutMs, 1_000), () => end(false));
        socket.once('connect', () => end(true)).once('error', () => end(false));
      });
    },
    close: async () => {
      await Promise.all([...open].map((client) => client.destroy()));
    },
  };
}

const tooLarge = { reason: 'too-large', message: 'content over 64 MiB' } as const;

/** Contents are decoded one after another, since each may need twice 64 MiB. */
let unpacking: Promise<unknown> = Promise.resolve();

/** The answer with decoded content. */
async function unpack(outcome: Answer | NoAnswer | undefined): Promise<Answer | NoAnswer | undefined> {
  if (outcome?.kind !== 'answer' || outcome.isCut === true) return outcome;
  if (headerOf(outcome, 'content-encoding') === undefined) return outcome;
  const decoding = unpacking.then(() => decodeContent(outcome, largestBodyBytes));
  unpacking = decoding;
  const decoded = await decoding;
  if (decoded.kind === 'content') return { ...outcome, body: decoded.body };
  if (decoded.kind === 'undecoded') return { ...outcome, undecoded: decoded };
  return {
    kind: 'none',
    ...tooLarge,
    message: `${tooLarge.message} after decoding`,
    durationMs: outcome.durationMs,
  };
}

/** Caches parsed bases: a run has only a few. */
const bases = new Map<string, { readonly origin: string; readonly prefix: string }>();

function originOf(base: string): { readonly origin: string; readonly prefix: string } {
  const known = bases.get(base);
  if (known !== undefined) return known;
  const { origin, pathname } = new URL(base);
  const parts = { origin, prefix: pathname.replace(/\/$/, '') };
  bases.set(base, parts);
  return parts;
}

function dispatch(
  lane: Lane,
  { method, base, path, headers, body }: OutgoingRequest,
  { signal, timeoutMs, proxy }: ConnectionOptions,
): Promise<Answer | NoAnswer | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const started = performance.now();
  return new Promise((resolve) => {
    let status: number | undefined;
    let raw: Answer['headers'] = [];
    const chunks: Buffer[] = [];
    let size = 0;
    let headersAt = started;
    let patience: NodeJS.Timeout | undefined;
    const settle = (outcome: Answer | NoAnswer | undefined): void => {
      clearTimeout(patience);
      resolve(outcome);
    };
    /** Data does not restart this timer: a server that sends a byte a second must not delay the end. */
    const waitFor = (milliseconds: number, end: () => void): void => {
      clearTimeout(patience);
      patience = setTimeout(end, milliseconds);
    };
    const answer = (more: Pick<Answer, 'durationMs' | 'isCut'>): void => {
      const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      settle({ kind: 'answer', status: status ?? 0, headers: raw, body: whole ?? Buffer.alloc(0), ...more });
    };
    const none = (failed: Described): void =>
      settle({ kind: 'none', ...failed, durationMs: performance.now() - started });
    const giveUp = (given: Dispatcher.DispatchController, failed: Described): void => {
      none(failed);
      given.abort(new Error(failed.message));
    };
    /** Stops reading an answer that may never end. */
    const cut = (given: Dispatcher.DispatchController, isEndless: boolean): void => {
      if (isEndless) answer({ isCut: true, durationMs: headersAt - started });
      giveUp(given, describeUnfinished(size, timeoutMs));
    };
    const { origin, prefix } = originOf(base);
    const options = {
      origin,
      method: method as Dispatcher.HttpMethod,
      path: `${prefix}${path}` || '/',
      // Pairs, because a dispatcher for proxies would keep one of several equal names in a flat list.
      headers: headers.map(([name, value]): [string, string] => [name, octetsOf(value)]).values(),
      body: body ?? null,
    };
    lane.client.dispatch(options, {
      onRequestStart: (given) => {
        lane.carried += 1;
        waitFor(timeoutMs, () => giveUp(given, byCode.UND_ERR_HEADERS_TIMEOUT));
      },
      onResponseStart: (given, code) => {
        if (code < 200) return;
        status = code;
        raw = pairsOf(given.rawHeaders);
        headersAt = performance.now();
        const isEndless = raw.some(([name, value]) => name === 'content-type' && endless.test(value));
        waitFor(isEndless ? listenMs : timeoutMs, () => cut(given, isEndless));
      },
      onResponseData: (given, chunk) => {
        size += chunk.length;
        if (size > largestBodyBytes) giveUp(given, tooLarge);
        else chunks.push(chunk);
      },
      onResponseEnd: () => answer({ durationMs: performance.now() - started }),
      onResponseError: (_, error) => {
        if (signal.aborted) settle(undefined);
        else none((proxy && describeProxyError(error)) || describeError(error, status !== undefined));
      },
    });
  });
}

/** Sends non-ASCII characters in UTF-8, like curl: undici accepts only characters of one octet. */
function octetsOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Undici gives headers as a flat list of names and values. */
function pairsOf(raw: unknown): Answer['headers'] {
  const flat: readonly unknown[] = Array.isArray(raw) ? raw : [];
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    // White space around a value is not part of it (RFC 9110, 5.5).
    pairs.push([String(flat[index]).toLowerCase(), String(flat[index + 1]).replaceAll(/^[ \t]+|[ \t]+$/g, '')]);
  }
  return pairs;
}

type Described = Pick<NoAnswer, 'reason' | 'message'>;

function describeUnfinished(bytes: number, timeoutMs: number): Described {
  // Without any content the server may still be waiting; with some content it broke off within a message.
  if (bytes === 0) return byCode.UND_ERR_BODY_TIMEOUT;
  const message = `the content was incomplete ${timeoutMs / 1000} s (--timeout) after it began; ${bytes} bytes were received`;
  return { reason: 'unfinished', message };
}

const byCode = {
  ECONNREFUSED: { reason: 'refused', message: 'no server listens at this address' },
  ERR_SSL_WRONG_VERSION_NUMBER: { reason: 'refused', message: 'the server does not use TLS: try http://' },
  EHOSTUNREACH: { reason: 'refused', message: 'the host cannot be reached' },
  ENETUNREACH: { reason: 'refused', message: 'the network cannot be reached' },
  UND_ERR_CONNECT_TIMEOUT: { reason: 'refused', message: 'no connection was established in time' },
  ENOTFOUND: { reason: 'unresolved', message: 'the host name does not exist' },
  EAI_AGAIN: { reason: 'unresolved', message: 'the host name cannot be resolved at present' },
  UND_ERR_HEADERS_TIMEOUT: { reason: 'timeout', message: 'no answer came in time' },
  UND_ERR_BODY_TIMEOUT: { reason: 'timeout', message: 'the body stopped in the middle' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    reason: 'truncated',
    message: 'the length of the body differs from Content-Length',
  },
  UND_ERR_INVALID_ARG: { reason: 'unsent', message: 'the request cannot be written in HTTP' },
  UND_ERR_NOT_SUPPORTED: { reason: 'unsent', message: 'the request cannot be written in HTTP' },
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: { reason: 'unsent', message: 'Content-Length differs from the sent content' },
  UND_ERR_HEADERS_OVERFLOW: { reason: 'malformed', message: 'the headers are larger than 16 KiB' },
} as const satisfies Readonly<Record<string, Described>>;

/** @param hasHeaders whether the answer had begun */
function describeError(error: unknown, hasHeaders: boolean): Described {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    const known = Object.hasOwn(byCode, code) ? byCode[code as keyof typeof byCode] : undefined;
    if (known !== undefined) return known;
    if (code.startsWith('HPE_') || cause.name === 'HTTPParserError')
      return { reason: 'malformed', message: `not HTTP: ${cause.message}` };
    if (/certificate|CERT|SSL|TLS/.test(`${code} ${cause.message}`))
      return { reason: 'refused', message: cause.message };
  }
  if (hasHeaders) return { reason: 'truncated', message: 'the connection closed in the middle of the body' };
  return { reason: 'reset', message: 'the connection closed without an answer' };
}
