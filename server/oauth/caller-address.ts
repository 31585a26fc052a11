import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

/**
 * Whom limits count by: the address of the connection, or behind a TLS proxy the last of `X-Forwarded-For`, the one that the proxy has
 * seen itself. What stands before it anybody can send. Of IPv6 it is the first 64 bits, since one household has all that share them
 * (RFC 6177).
 *
 * @param issuer an https one means a proxy in front, since this process speaks http
 */
export function readCallerAddress({ socket, headers }: IncomingMessage, issuer: string): string {
  const isBehindProxy = issuer.startsWith('https:');
  const forwarded = isBehindProxy ? String(headers['x-forwarded-for'] ?? '').split(',') : [];
  const last = forwarded.at(-1)?.trim() ?? '';
  const address = isIP(last) > 0 ? last : (socket.remoteAddress ?? '?');
  return isIPv6(address) ? readNetwork(address) : address;
}

function readNetwork(address: string): string {
  // An IPv4 address in the form of IPv6, as a socket that listens to both has it.
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  // The parser of URLs writes each address in one form: lower case, no leading zeros, `::` for the longest run of zeros.
  const { hostname } = new URL(`http://[${address.split('%', 1)[0]}]`);
  const [front = '', back] = hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const missing = back === undefined ? 0 : 8 - groups(front).length - groups(back).length;
  const all = [...groups(front), ...new Array<string>(missing).fill('0'), ...groups(back ?? '')];
  return `${all.slice(0, 4).join(':')}::/64`;
}
