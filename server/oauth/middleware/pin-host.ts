import { describeCoding, describeHostFault, readUnknownCoding } from '@lockstep/runtime/http-message';
import { nameMismatch } from '../names-origin.ts';
import type { Middleware } from './middleware.ts';

/**
 * Rejects requests to another host name than the issuer's, or to several. Overwrites the headers from which upstream builds addresses: in a
 * trial `X-Forwarded-Host` poisoned discovery, redirects and cookies although `Host` was pinned. An unknown transfer coding is rejected too,
 * by 400 `invalid_request`, since RFC 6749, 5.2 and the contract have no 415 here.
 *
 * An https issuer means a TLS proxy in front, since this process speaks http. If that proxy sends `X-Forwarded-Host`, it is the requested
 * name.
 */
export function pinHost(issuer: string): Middleware {
  const { host, protocol } = new URL(issuer);
  const isBehindProxy = protocol === 'https:';
  return async (ctx, next) => {
    const { headers } = ctx.req;
    const forwarded = isBehindProxy ? String(headers['x-forwarded-host'] ?? '').split(',', 1)[0] : '';
    const fault = describeHostFault(ctx.req) ?? nameMismatch(forwarded || headers.host, issuer);
    const coding = readUnknownCoding(ctx.req);
    if (coding !== undefined) ctx.set('Connection', 'close');
    if (fault !== undefined || coding !== undefined) {
      ctx.status = 400;
      ctx.body = { error: 'invalid_request', error_description: fault ?? describeCoding(coding ?? '') };
      return;
    }
    headers['x-forwarded-host'] = host;
    headers['x-forwarded-proto'] = protocol.slice(0, -1);
    await next();
  };
}
