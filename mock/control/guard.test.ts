import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { adviceOfMock, createGuard } from './guard.ts';

const publicOrigin = 'https://mock.example';

interface Given {
  readonly peer?: string | undefined;
  readonly method?: string;
  readonly headers?: IncomingHttpHeaders;
  readonly isOpen?: boolean;
}

function requestOf({ peer = '127.0.0.1', method = 'GET', headers = {} }: Given): IncomingMessage {
  const all = { host: 'localhost:8090', ...headers };
  return { socket: { remoteAddress: peer }, method, headers: all } as unknown as IncomingMessage;
}

function judge({ isOpen = false, ...given }: Given): string {
  const refusal = createGuard({ isOpen, publicOrigin })(requestOf(given));
  return refusal === undefined ? 'passes' : `${refusal.status} ${refusal.code}`;
}

const [far, foreignHost, foreignOrigin] = ['403 not_loopback', '421 foreign_host', '403 foreign_origin'];
const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('who drives the sandbox', () => {
  test.each<{ name: string; given: Given; want: string }>([
    { name: 'a program on this machine', given: {}, want: 'passes' },
    { name: 'one by another address of loopback', given: { peer: '127.8.0.1' }, want: 'passes' },
    { name: 'one by IPv6', given: { peer: '::1' }, want: 'passes' },
    { name: 'one by IPv4 in IPv6', given: { peer: '::ffff:127.0.0.1' }, want: 'passes' },
    { name: 'another machine', given: { peer: '192.0.2.7' }, want: far },
    { name: 'another machine by IPv4 in IPv6', given: { peer: '::ffff:192.0.2.7' }, want: far },
    { name: 'another machine by IPv6', given: { peer: '2001:db8::1' }, want: far },
    { name: 'a neighbour with a zone', given: { peer: 'fe80::1%eth0' }, want: far },
    { name: 'a caller without an address', given: { peer: '' }, want: far },
    { name: 'another machine, where the control is open', given: { peer: '192.0.2.7', isOpen: true }, want: 'passes' },
    {
      name: 'a proxy on this machine for another',
      given: { headers: { host: 'mock.example', 'x-forwarded-for': '192.0.2.7' } },
      want: far,
    },
    { name: 'a proxy by RFC 7239', given: { headers: { forwarded: 'for=192.0.2.7' } }, want: far },
    { name: 'a proxy by RFC 9110', given: { headers: { via: '1.1 proxy' } }, want: far },
    { name: 'a proxy that forwards a host', given: { headers: { 'x-forwarded-host': 'localhost' } }, want: far },
    { name: 'a proxy that forwards a port', given: { headers: { 'x-forwarded-port': '443' } }, want: far },
    { name: 'a proxy that forwards a scheme', given: { headers: { 'x-forwarded-proto': 'https' } }, want: far },
    { name: 'a proxy that forwards an address', given: { headers: { 'x-real-ip': '192.0.2.7' } }, want: far },
    {
      name: 'such a proxy, where the control is open',
      given: { isOpen: true, headers: { 'x-forwarded-for': '192.0.2.7' } },
      want: 'passes',
    },
  ])('by peer: $name: $want', ({ given, want }) => {
    expect(judge(given)).toBe(want);
  });

  test.each(
    [
      'x-forwarded-server x-original-forwarded-for forwarded-for x-forwarded x-vercel-forwarded-for wl-proxy-client-ip',
      'cf-connecting-ip cf-ray cf-connecting-ipv6 true-client-ip x-client-ip client-ip fastly-client-ip fly-client-ip x-cluster-client-ip',
      'x-azure-clientip x-azure-socketip x-appengine-user-ip x-real-ip x-host-ip x-remote-ip x-remote-addr remote-addr x-proxyuser-ip',
      'x-originating-ip x-envoy-external-address x-amzn-trace-id x-amz-cf-id cdn-loop x-original-host x-original-url x-rewrite-url',
      'tailscale-user-login cloudfront-viewer-address cloudfront-forwarded-proto x-forward-for l5d-client-id',
    ].flatMap((line) => line.split(' ')),
  )('by %s, which a proxy adds', (name) => {
    expect(judge({ headers: { [name]: '192.0.2.7' } })).toBe(far);
    expect(judge({ headers: { [name]: '192.0.2.7' }, isOpen: true })).toBe('passes');
  });

  test.each(
    [
      'accept accept-encoding accept-language authorization cache-control connection content-length content-type cookie dnt',
      'expect if-none-match keep-alive origin-agent-cluster pragma prefer priority purpose range referer sec-ch-ua sec-gpc te traceparent',
      'tracestate trailer transfer-encoding upgrade-insecure-requests user-agent x-request-id x-correlation-id x-requested-with baggage',
      'postman-token x-http-method-override idempotency-key zip ip-pool',
    ].flatMap((line) => line.split(' ')),
  )('%s is of the caller itself', (name) => {
    expect(judge({ headers: { [name]: 'x' } })).toBe('passes');
  });

  test.each([
    { host: 'localhost', want: 'passes' },
    { host: 'LOCALHOST:1', want: 'passes' },
    { host: '127.0.0.1:8090', want: 'passes' },
    { host: '[::1]:8090', want: 'passes' },
    { host: 'mock.example', want: 'passes' },
    { host: 'mock.example:8443', want: 'passes' },
    { host: 'evil.example', want: foreignHost },
    { host: 'evil.example:8090', want: foreignHost },
    { host: 'localhost.evil.example', want: foreignHost },
    { host: 'mock.example.evil.example', want: foreignHost },
    { host: '127.0.0.1.evil.example:8090', want: foreignHost },
    { host: 'evil.example:80@localhost', want: foreignHost },
    { host: '192.0.2.7:8090', want: foreignHost },
    { host: '[2001:db8::1]', want: foreignHost },
    { host: '', want: foreignHost },
    { host: undefined, want: foreignHost },
  ])('by Host $host: $want', ({ host, want }) => {
    expect(judge({ headers: { host } })).toBe(want);
  });

  test.each([
    { host: '192.0.2.7:8090', want: 'passes' },
    { host: '[2001:db8::1]:8090', want: 'passes' },
    { host: 'evil.example', want: foreignHost },
  ])('by Host $host where the control is open: $want', ({ host, want }) => {
    expect(judge({ peer: '192.0.2.9', isOpen: true, headers: { host } })).toBe(want);
  });

  test.each([
    { origin: 'http://localhost:8090', want: 'passes' },
    { origin: 'https://mock.example', want: 'passes' },
    { origin: 'http://localhost:3000', want: foreignOrigin },
    { origin: 'http://localhost', want: foreignOrigin },
    { origin: 'http://127.0.0.1:8090', want: foreignOrigin },
    { origin: 'https://evil.example', want: foreignOrigin },
    { origin: 'https://mock.example.evil.example', want: foreignOrigin },
    { origin: 'null', want: foreignOrigin },
    { origin: '', want: foreignOrigin },
    { origin: 'file://', want: foreignOrigin },
  ])('by Origin "$origin": $want', ({ origin, want }) => {
    expect(judge({ method: 'POST', headers: { origin } })).toBe(want);
  });

  test('by an Origin whose port is the usual one of its scheme', () => {
    expect(judge({ headers: { host: 'localhost:80', origin: 'http://localhost' } })).toBe('passes');
    expect(judge({ headers: { host: 'localhost:443', origin: 'https://localhost' } })).toBe('passes');
  });

  test.each([
    { site: 'same-origin', method: 'POST', more: {}, want: 'passes' },
    { site: 'none', method: 'GET', more: navigation, want: 'passes' },
    { site: 'cross-site', method: 'GET', more: navigation, want: 'passes' },
    { site: 'same-site', method: 'GET', more: navigation, want: 'passes' },
    { site: 'cross-site', method: 'POST', more: navigation, want: foreignOrigin },
    {
      site: 'cross-site',
      method: 'GET',
      more: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      want: foreignOrigin,
    },
    {
      site: 'same-site',
      method: 'GET',
      more: { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
      want: foreignOrigin,
    },
    { site: 'cross-site', method: 'DELETE', more: { 'sec-fetch-mode': 'cors' }, want: foreignOrigin },
  ])('by Sec-Fetch-Site $site of $method $more: $want', ({ site, method, more, want }) => {
    expect(judge({ method, headers: { 'sec-fetch-site': site, ...more } })).toBe(want);
  });
});

test.each<Given>([
  { peer: '192.0.2.7' },
  { headers: { via: '1.1 proxy' } },
  { headers: { host: 'evil.example' } },
  { headers: { origin: 'https://evil.example' } },
  { headers: { 'sec-fetch-site': 'cross-site' } },
])('the mock of any contract does not call itself a sandbox: $peer $headers', (given) => {
  const text = createGuard({ isOpen: false, publicOrigin, advice: adviceOfMock })(requestOf(given))?.text;
  expect(text).toBeDefined();
  expect(text?.replace('/_sandbox/', '')).not.toContain('sandbox');
});
