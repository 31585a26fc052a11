import { isIPv6 } from 'node:net';

/**
 * The part of a caller's address that limits count by: the first 64 bits of IPv6, which one household has to itself (RFC 6177), and the whole of any
 * other.
 */
export function readNetwork(address: string): string {
  if (!isIPv6(address)) return address;
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
