import { isIPv6 } from 'node:net';

/**
 * The part of a client's address that limits count by: the first 64 bits of IPv6, which usually belong to one household (RFC 6177), and a whole
 * IPv4 address.
 */
export function readNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  // A socket that listens to both families has IPv4 addresses in IPv6 notation.
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  // The URL parser normalizes addresses: lower case, no leading zeros, `::` for the longest run of zeros.
  const { hostname } = new URL(`http://[${address.split('%', 1)[0]}]`);
  const [front = '', back] = hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const missing = back === undefined ? 0 : 8 - groups(front).length - groups(back).length;
  const all = [...groups(front), ...new Array<string>(missing).fill('0'), ...groups(back ?? '')];
  return `${all.slice(0, 4).join(':')}::/64`;
}
