// Who may drive a sandbox. A developer's browser can reach it as well as the developer, and so can every page that is open in it.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { cut, listOr } from '@lockstep/runtime/validation/sentence';

export interface GuardOptions {
  /** Whether callers on other machines may drive the sandbox too. */
  readonly isOpen: boolean;
  /** Address that clients use: its host counts as this machine's. */
  readonly publicOrigin: string;
}

/** A request that is refused before anything else is looked at. */
export interface GuardRefusal {
  readonly status: 403 | 421;
  readonly code: 'not_loopback' | 'foreign_host' | 'foreign_origin';
  readonly text: string;
}

export type Guard = (request: IncomingMessage) => GuardRefusal | undefined;

/** 127.0.0.0/8 also as IPv6 writes it, `::ffff:127.0.0.1` (RFC 4291, 2.5.5.2). */
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const localNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Headers that proxies, load balancers and tunnels add, and callers of their own do not: `Via` (RFC 9110, 7.6.3), `Forwarded` (RFC 7239),
 * `CDN-Loop` (RFC 8586), and families of headers without a norm: each `…-Forwarded-…`, the address of a client under any name (`X-Real-IP`,
 * `True-Client-IP`, `CF-Connecting-IP`, `Fly-Client-IP`, `X-Azure-ClientIP`, `Remote-Addr`, `CloudFront-Viewer-Address`), the original target
 * (`X-Original-Host`), and the prefixes of products. A proxy that adds none of them looks like a program of this machine.
 */
const forwardingHeader =
  /^(?:via|cdn-loop)$|forwarded|forward-for|(?:^|-)(?:client|user|peer|source|host)?-?ip$|(?:remote|client|peer|external|source|viewer)-?(?:addr|address|host)$|^x-(?:original|rewrite)-|^(?:cf|x-envoy|x-amz-cf|x-amzn|x-appengine|x-arr|x-azure|x-vercel|tailscale|ngrok|l5d)-/;

const openFix = 'call from the machine that the sandbox runs on, or start it with --open-control';
const pageFix = 'call from a program, or from the page /_sandbox/ itself';

/**
 * Makes the check that stands before the control, in this order:
 *
 * 1. The peer is this machine, and no proxy calls for another, unless the control is open: 403 `not_loopback`. A machine that tests is often
 *    reachable from its whole network.
 * 2. `Host` names this machine or the public origin: 421 `foreign_host`. Against DNS rebinding: a page of `evil.example`, whose name is led to
 *    127.0.0.1 once it is loaded, is of the same origin as what it calls, and no rule of the browser holds it back. Its name gives it away.
 * 3. `Origin` is the one called, and `Sec-Fetch-Site` tells of no other page: 403 `foreign_origin`. Against forged requests (CSRF): a page
 *    need not read an answer to do harm. That bodies are JSON alone, and that no answer has a CORS header, stops the same once more in
 *    browsers that send neither. Following a link is allowed: what it opens, the reader reads, and not the page that has the link.
 *
 * The request is to have been through `takeAuthority`: the authority of its target takes the place of `Host` (RFC 9112, 3.2.2).
 */
export function createGuard({ isOpen, publicOrigin }: GuardOptions): Guard {
  const publicName = new URL(publicOrigin).hostname;
  return (request) =>
    (isOpen ? undefined : judgePeer(request)) ??
    judgeHost(request, publicName, isOpen) ??
    judgeOrigin(request, publicOrigin);
}

function judgePeer({ socket, headers }: IncomingMessage): GuardRefusal | undefined {
  const refuse = (text: string): GuardRefusal => ({ status: 403, code: 'not_loopback', text });
  const { remoteAddress = '' } = socket;
  if (!isLoopback(remoteAddress)) return refuse(`${remoteAddress || 'The caller'} is another machine: ${openFix}`);
  // A proxy on this machine is a loopback peer, whoever stands behind it.
  const forwarded = Object.keys(headers).find((name) => forwardingHeader.test(name));
  return forwarded === undefined
    ? undefined
    : refuse(`${forwarded} says that a proxy calls for another machine: ${openFix}`);
}

function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function judgeHost(
  { headers: { host = '' } }: IncomingMessage,
  publicName: string,
  isOpen: boolean,
): GuardRefusal | undefined {
  const name = readHostName(host);
  // An address is no name that could be led elsewhere; an open control is called by the address of its machine.
  if (localNames.has(name) || name === publicName || (isOpen && isIP(name.replaceAll(/[[\]]/g, '')) !== 0))
    return undefined;
  const own = listOr([...localNames, ...(localNames.has(publicName) ? [] : [publicName])]);
  const text =
    host === ''
      ? `Host is missing: use ${own}`
      : `Host ${cut(host)} is not known here: use ${own}, or start the sandbox with that public origin`;
  return { status: 421, code: 'foreign_host', text };
}

/** Name or address without its port, lower case; empty where it is none. */
function readHostName(host: string): string {
  const [, name = ''] = /^(\[[\da-f:.]+\]|[^:[\]]*)(?::\d*)?$/i.exec(host) ?? [];
  return name.toLowerCase();
}

function judgeOrigin({ method, headers }: IncomingMessage, publicOrigin: string): GuardRefusal | undefined {
  const { origin, host = '' } = headers;
  const refuse = (who: string): GuardRefusal => ({
    status: 403,
    code: 'foreign_origin',
    text: `${who} may not drive the sandbox: ${pageFix}`,
  });
  if (origin !== undefined && origin !== publicOrigin && !isOriginOf(origin, host))
    return refuse(`Pages of ${cut(origin)}`);
  const site = headers['sec-fetch-site'];
  // A page of another port of localhost is of the same site.
  if (site !== 'cross-site' && site !== 'same-site') return undefined;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isNavigation && (method === 'GET' || method === 'HEAD') ? undefined : refuse('Pages of another origin');
}

/** Whether a page of the origin called its own host: its port too. */
export function isOriginOf(origin: string, host: string): boolean {
  return ['http:', 'https:'].some((scheme) => {
    const own = `${scheme}//${host}`;
    return URL.canParse(own) && new URL(own).origin === origin;
  });
}
