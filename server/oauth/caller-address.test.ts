import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readCallerAddress } from './caller-address.ts';

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;
const behindProxy = 'https://locks.example/auth';
const direct = 'http://localhost:8080/auth';

const cases = [
  { name: 'the connection', request: from('192.0.2.1'), issuer: direct, want: '192.0.2.1' },
  {
    name: 'the connection, for any header',
    request: from('192.0.2.1', '9.9.9.9'),
    issuer: direct,
    want: '192.0.2.1',
  },
  {
    name: 'the address from the proxy',
    request: from('127.0.0.1', '198.51.100.7'),
    issuer: behindProxy,
    want: '198.51.100.7',
  },
  {
    name: 'not the address from the caller',
    request: from('::1', '9.9.9.9, 198.51.100.7'),
    issuer: behindProxy,
    want: '198.51.100.7',
  },
  { name: 'the proxy if it sends none', request: from('127.0.0.1'), issuer: behindProxy, want: '127.0.0.1' },
  {
    name: 'the proxy if it sends no valid address',
    request: from('127.0.0.1', 'unknown'),
    issuer: behindProxy,
    want: '127.0.0.1',
  },
  { name: 'IPv4 within IPv6', request: from('::ffff:192.0.2.1'), issuer: direct, want: '192.0.2.1' },
  { name: 'a network of IPv6', request: from('2001:DB8:0:7:1:2:3:4'), issuer: direct, want: '2001:db8:0:7::/64' },
  { name: 'the same network', request: from('2001:db8:0:7::9'), issuer: direct, want: '2001:db8:0:7::/64' },
  { name: 'another', request: from('2001:db8:0:8::9'), issuer: direct, want: '2001:db8:0:8::/64' },
  { name: 'the loopback', request: from('::1'), issuer: direct, want: '0:0:0:0::/64' },
  { name: 'a zone', request: from('fe80::1%eth0'), issuer: direct, want: 'fe80:0:0:0::/64' },
  { name: 'a socket that has closed', request: from(undefined), issuer: direct, want: '?' },
];

test.each(cases)('counts by $name', ({ request, issuer, want }) => {
  expect(readCallerAddress(request, issuer)).toBe(want);
});
