import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { readNetwork } from '@lockstep/runtime/caller-network';

/**
 * The address that limits count by: that of the connection, or behind a TLS proxy the last one of `X-Forwarded-For`, which the proxy itself
 * has seen. Any caller can send the ones before it.
 *
 * @param issuer an https issuer means a proxy in front, since this process speaks http
 */
export function readCallerAddress({ socket, headers }: IncomingMessage, issuer: string): string {
  const isBehindProxy = issuer.startsWith('https:');
  const forwarded = isBehindProxy ? String(headers['x-forwarded-for'] ?? '').split(',') : [];
  const last = forwarded.at(-1)?.trim() ?? '';
  const address = isIP(last) > 0 ? last : (socket.remoteAddress ?? '?');
  return readNetwork(address);
}

/** The network of an address from `readCallerAddress`: its first 16 bits, 32 of IPv6, about the size of a provider's network. */
export function networkOf(address: string): string {
  return address.split(/[.:]/, 2).join(' ');
}
