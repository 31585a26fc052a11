import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { readNetwork } from '@lockstep/runtime/caller-network';

/**
 * Whom limits count by: the address of the connection, or behind a TLS proxy the last of `X-Forwarded-For`, the one that the proxy has
 * seen itself: any caller can send those before it.
 *
 * @param issuer an https one means a proxy in front, since this process speaks http
 */
export function readCallerAddress({ socket, headers }: IncomingMessage, issuer: string): string {
  const isBehindProxy = issuer.startsWith('https:');
  const forwarded = isBehindProxy ? String(headers['x-forwarded-for'] ?? '').split(',') : [];
  const last = forwarded.at(-1)?.trim() ?? '';
  const address = isIP(last) > 0 ? last : (socket.remoteAddress ?? '?');
  return readNetwork(address);
}

/** The network of an address that `readCallerAddress` returned: its first 16 bits, 32 of IPv6, about the size that a provider has. */
export function networkOf(address: string): string {
  return address.split(/[.:]/, 2).join(' ');
}
