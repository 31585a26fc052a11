// What RFC 9112 asks of a request before anybody looks at what it is for, and Node's parser leaves to its users.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Rejection } from './rejection.ts';
import { cut } from './validation/sentence.ts';

/** As routers hand it on: Express takes a mount's part off `url`, and keeps the whole in `originalUrl`. */
type RoutedRequest = IncomingMessage & { originalUrl?: string };

/**
 * Cuts scheme and authority off a target that has them, as a proxy sends it, so that routes and addresses are read from a path. The
 * authority takes the place of `Host`, which does not count then (RFC 9112, 3.2.2).
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
const hostForm = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\dA-Fa-f:.]+\])(?::\d*)?$/;

/**
 * Two parties of which one reads the first `Host` and the other the last can be led apart. Node keeps the first and drops the others.
 *
 * @returns what is wrong with the `Host` lines of a request; undefined for a single good one
 * @see RFC 9112, 3.2: 400
 */
export function describeHostFault({ headersDistinct: { host = [] } }: IncomingMessage): string | undefined {
  if (host.length > 1) return `Host is sent ${host.length} times: send it once`;
  const [only = ''] = host;
  return hostForm.test(only) ? undefined : `Host ${cut(only)} is no host: send name and port`;
}

/**
 * Node's parser takes every list of codings that ends in `chunked`, and takes off that one alone: the body would be read as it was coded.
 *
 * @returns the codings of a request where they are not `chunked` alone
 * @see RFC 9112, 6.1
 */
export function readUnknownCoding({ headers }: IncomingMessage): string | undefined {
  const codings = headers['transfer-encoding'];
  return codings === undefined || codings.trim().toLowerCase() === 'chunked' ? undefined : codings;
}

/** What to do about such a coding. */
export function describeCoding(codings: string): string {
  return `Transfer-Encoding ${cut(codings)} is not taken: send the body as it is, or in chunks`;
}

/** A request target, split; both parts still percent-encoded. */
export interface Target {
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly queryText: string;
}

/**
 * Splits the target of a request line (RFC 9112, 3.2). Takes `http://host/path` too, as a proxy sends it; a fragment
 * has no place there and is dropped. Nothing is normalised: `//` and `/../` stay what they are, and match no route.
 */
export function readTarget(target: string): Target {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const fragment = local.indexOf('#');
  const withoutFragment = fragment === -1 ? local : local.slice(0, fragment);
  const mark = withoutFragment.indexOf('?');
  const path = mark === -1 ? withoutFragment : withoutFragment.slice(0, mark);
  return { path: path === '' ? '/' : path, queryText: mark === -1 ? '' : withoutFragment.slice(mark + 1) };
}

/** A form that can harm neither a log line nor a header. */
const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's own id where it has that form, else a new one. */
export function readRequestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && requestIdForm.test(sent) ? sent : randomUUID();
}

/** Whether it is good HTTP. Who answers beside a contract leaves what is not to the runtime, which refuses it on any path. */
export function isSound(request: IncomingMessage): boolean {
  return readUnknownCoding(request) === undefined && describeHostFault(request) === undefined;
}

/**
 * Refuses what RFC 9112 asks to refuse whatever a request is for: `Host` lines, and a coding that nobody here takes off. An operation with
 * a body refuses the coding itself, as one that its body may not have.
 *
 * @throws Rejection 400
 */
export function checkMessage(request: IncomingMessage, takesBody: (request: IncomingMessage) => boolean): void {
  const coding = readUnknownCoding(request);
  const codingFault = coding === undefined || takesBody(request) ? undefined : describeCoding(coding);
  const text = describeHostFault(request) ?? codingFault;
  if (text !== undefined) throw new Rejection('form', { text });
}
