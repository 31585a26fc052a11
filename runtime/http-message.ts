// Checks of RFC 9112 that precede routing, and that Node's parser leaves to its users.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Rejection } from './rejection.ts';
import { cut } from './validation/sentence.ts';

/** A request of a router: Express removes the mount path from `url`, and keeps the whole in `originalUrl`. */
type RoutedRequest = IncomingMessage & { originalUrl?: string };

/**
 * Removes scheme and authority from an absolute target, which proxies send, so that routing sees a path. The authority replaces `Host`,
 * which is ignored then (RFC 9112, 3.2.2).
 */
export function takeAuthority(request: RoutedRequest): void {
  const { url = '/', originalUrl } = request;
  const [start, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (start === undefined) return;
  const toPath = (target: string): string => target.slice(start.length).replace(/^(?!\/)/, '/');
  request.headers.host = authority;
  request.url = toPath(url);
  if (originalUrl !== undefined) request.originalUrl = toPath(originalUrl);
}

/** RFC 3986, 3.2.2 and 3.2.3: a name, an address in brackets, or nothing, and a port. */
const hostPattern = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\dA-Fa-f:.]+\])(?::\d*)?$/;

/**
 * An attack uses two `Host` lines if a proxy reads one and the server the other. Node keeps the first and drops the others.
 *
 * @returns the fault in the `Host` lines of a request; undefined for a single valid one
 * @see RFC 9112, 3.2: 400
 */
export function describeHostFault({ headersDistinct: { host = [] } }: IncomingMessage): string | undefined {
  if (host.length > 1) return `Host is sent ${host.length} times: send it once`;
  const [only = ''] = host;
  return hostPattern.test(only) ? undefined : `Host ${cut(only)} is no host: send name and port`;
}

/**
 * Node's parser accepts every list of codings with `chunked` at last, but decodes only that one: the body would still be encoded.
 *
 * @returns the codings of a request unless `chunked` is the only one
 * @see RFC 9112, 6.1
 */
export function readUnknownCoding({ headers }: IncomingMessage): string | undefined {
  const codings = headers['transfer-encoding'];
  return codings === undefined || codings.trim().toLowerCase() === 'chunked' ? undefined : codings;
}

/** The message about such a coding. */
export function describeCoding(codings: string): string {
  return `Transfer-Encoding ${cut(codings)} is not taken: send the body as it is, or in chunks`;
}

/** A request target, split; both parts still percent-encoded. */
export interface Target {
  readonly path: string;
  /** Without the question mark; empty if there is none. */
  readonly queryText: string;
}

/**
 * Splits the target of a request line (RFC 9112, 3.2). Accepts `http://host/path` too, as proxies send it. A fragment is
 * not allowed in a target and is dropped. Nothing is normalized: `//` and `/../` stay, and match no route.
 */
export function readTarget(target: string): Target {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const fragment = local.indexOf('#');
  const withoutFragment = fragment === -1 ? local : local.slice(0, fragment);
  const mark = withoutFragment.indexOf('?');
  const path = mark === -1 ? withoutFragment : withoutFragment.slice(0, mark);
  return { path: path === '' ? '/' : path, queryText: mark === -1 ? '' : withoutFragment.slice(mark + 1) };
}

/** An id that is safe in a log line and in a header. */
const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's id if it is safe, else a new one. */
export function readRequestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && requestIdPattern.test(sent) ? sent : randomUUID();
}

/** Whether a request is valid HTTP. Layers outside the contract pass on invalid requests, since the runtime rejects them on any path. */
export function isSound(request: IncomingMessage): boolean {
  return readUnknownCoding(request) === undefined && describeHostFault(request) === undefined;
}

/**
 * Rejects invalid `Host` lines and unknown codings, which RFC 9112 requires for any request. An operation with a body rejects the coding
 * itself, as a coding of its body.
 *
 * @throws Rejection 400
 */
export function checkMessage(request: IncomingMessage, takesBody: (request: IncomingMessage) => boolean): void {
  const coding = readUnknownCoding(request);
  const codingFault = coding === undefined || takesBody(request) ? undefined : describeCoding(coding);
  const text = describeHostFault(request) ?? codingFault;
  if (text !== undefined) throw new Rejection('form', { text });
}
