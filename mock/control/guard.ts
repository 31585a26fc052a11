// Decides which clients may use the control of a sandbox. A developer's browser can reach it, and so can every page open there.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { cut, listOr } from '@lockstep/runtime/validation/sentence';

export interface GuardOptions {
  /** Whether clients on other machines may use the control. */
  readonly isOpen: boolean;
  /** Address that clients use. Its host counts as this machine. */
  readonly publicOrigin: string;
  /** The advice in messages; by default that of the sandbox. */
  readonly advice?: Advice;
}

/** Other ways to call, for the clients that are rejected. */
export interface Advice {
  readonly machine: string;
  readonly host: string;
  readonly page: string;
}

/** A rejection before all other checks. */
export interface GuardRejection {
  readonly status: 403 | 421;
  readonly code: 'not_loopback' | 'foreign_host' | 'foreign_origin';
  readonly text: string;
}

export type Guard = (request: IncomingMessage) => GuardRejection | undefined;

/** 127.0.0.0/8, also in IPv6 notation: `::ffff:127.0.0.1` (RFC 4291, 2.5.5.2). */
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const localNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Headers that proxies, load balancers and tunnels add, but direct clients do not: `Via` (RFC 9110, 7.6.3), `Forwarded` (RFC 7239),
 * `CDN-Loop` (RFC 8586), and families of headers without a norm: each `…-Forwarded-…`, the address of a client under any name (`X-Real-IP`,
 * `True-Client-IP`, `CF-Connecting-IP`, `Fly-Client-IP`, `X-Azure-ClientIP`, `Remote-Addr`, `CloudFront-Viewer-Address`), the original target
 * (`X-Original-Host`), and the prefixes of products. A proxy that adds none of them looks like a program of this machine.
 */
const forwardingHeader =
  /^(?:via|cdn-loop)$|forwarded|forward-for|(?:^|-)(?:client|user|peer|source|host)?-?ip$|(?:remote|client|peer|external|source|viewer)-?(?:addr|address|host)$|^x-(?:original|rewrite)-|^(?:cf|x-envoy|x-amz-cf|x-amzn|x-appengine|x-arr|x-azure|x-vercel|tailscale|ngrok|l5d)-/;

const ofSandbox: Advice = {
  machine: 'call from the machine that the sandbox runs on, or start it with --open-control',
  host: ', or start the sandbox with that public origin',
  page: 'call from a program, or from the page /_sandbox/ itself',
};

/** For a mock without an option to open it. */
export const adviceOfMock: Advice = {
  machine: 'call from the machine that the mock runs on',
  host: '',
  page: 'call from a program, or from the page /_sandbox/ itself',
};

/**
 * Creates the check in front of the control. Its order:
 *
 * 1. Unless the control is open, the peer is this machine, and no proxy calls for another: 403 `not_loopback`. A test machine is often
 *    reachable from its whole network.
 * 2. `Host` names this machine or the public origin: 421 `foreign_host`. Against DNS rebinding: after it is loaded, a page of `evil.example`
 *    points its name to 127.0.0.1, so that browsers treat the control as its own origin. Only the `Host` shows the attack.
 * 3. `Origin` is the called origin, and `Sec-Fetch-Site` names no other page: 403 `foreign_origin`. Against forged requests (CSRF): a page
 *    can do harm without reading the answer. For browsers that send neither header, JSON-only bodies and answers without CORS headers
 *    stop the same attack. Following a link is allowed, since the linking page can't read the target.
 *
 * Call `takeAuthority` on the request first: the authority of its target replaces `Host` (RFC 9112, 3.2.2).
 */
export function createGuard({ isOpen, publicOrigin, advice = ofSandbox }: GuardOptions): Guard {
  const publicName = new URL(publicOrigin).hostname;
  return (request) =>
    (isOpen ? undefined : judgePeer(request, advice.machine)) ??
    judgeHost(request, publicName, isOpen, advice.host) ??
    judgeOrigin(request, publicOrigin, advice.page);
}

function judgePeer({ socket, headers }: IncomingMessage, advice: string): GuardRejection | undefined {
  const refuse = (text: string): GuardRejection => ({ status: 403, code: 'not_loopback', text });
  const { remoteAddress = '' } = socket;
  if (!isLoopback(remoteAddress)) return refuse(`${remoteAddress || 'The caller'} is another machine: ${advice}`);
  // A proxy on this machine is a loopback peer even for clients of other machines.
  const forwarded = Object.keys(headers).find((name) => forwardingHeader.test(name));
  return forwarded === undefined
    ? undefined
    : refuse(`${forwarded} shows that a proxy calls for another machine: ${advice}`);
}

function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function judgeHost(
  { headers: { host = '' } }: IncomingMessage,
  publicName: string,
  isOpen: boolean,
  advice: string,
): GuardRejection | undefined {
  const name = readHostName(host);
  // Clients may call an open control by address, since DNS rebinding needs a name.
  if (localNames.has(name) || name === publicName || (isOpen && isIP(name.replaceAll(/[[\]]/g, '')) !== 0))
    return undefined;
  const own = listOr([...localNames, ...(localNames.has(publicName) ? [] : [publicName])]);
  const text = host === '' ? `Host is missing: use ${own}` : `Host ${cut(host)} is not known here: use ${own}${advice}`;
  return { status: 421, code: 'foreign_host', text };
}

/** Name or address without its port, in lower case; empty if invalid. */
function readHostName(host: string): string {
  const [, name = ''] = /^(\[[\da-f:.]+\]|[^:[\]]*)(?::\d*)?$/i.exec(host) ?? [];
  return name.toLowerCase();
}

function judgeOrigin(
  { method, headers }: IncomingMessage,
  publicOrigin: string,
  advice: string,
): GuardRejection | undefined {
  const { origin, host = '' } = headers;
  const refuse = (who: string): GuardRejection => ({
    status: 403,
    code: 'foreign_origin',
    text: `${who} may not use the control: ${advice}`,
  });
  if (origin !== undefined && origin !== publicOrigin && !isOriginOf(origin, host))
    return refuse(`Pages of ${cut(origin)}`);
  const site = headers['sec-fetch-site'];
  // A page on another port of localhost is same-site.
  if (site !== 'cross-site' && site !== 'same-site') return undefined;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isNavigation && (method === 'GET' || method === 'HEAD') ? undefined : refuse('Pages of another origin');
}

/** Whether a page of the origin called its own host and port. */
export function isOriginOf(origin: string, host: string): boolean {
  return ['http:', 'https:'].some((scheme) => {
    const own = `${scheme}//${host}`;
    return URL.canParse(own) && new URL(own).origin === origin;
  });
}
