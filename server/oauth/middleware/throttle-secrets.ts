import { operations } from '@lockstep/contract/operations';
import { sayWait, secondsUntil } from '../../limits/retry-after.ts';
import { createWindowCounter, type OpenCounter } from '../../limits/window-counter.ts';
import { readCallerAddress } from '../caller-address.ts';
import type { AuthLog } from '../log-events.ts';
import { whenAvailable } from '../unavailable.ts';
import type { Middleware } from './middleware.ts';

/** Wrong secrets of one client from one address per minute. At the limit, further requests wait until the oldest failures are a minute old. */
export const throttle = { failures: 20, windowMs: 60_000, maxKeys: 10_000 } as const;

/** Endpoints with client authentication. */
const paths: ReadonlySet<string> = new Set([operations.exchangeToken.path, operations.revokeToken.path]);

/**
 * Stops the guessing of client secrets. At the limit requests are rejected unread, so that the answer does not depend on the secret;
 * requests under way at that moment are still judged.
 *
 * Failures count by client and address, since client ids are public: by client alone any caller could lock a client out. By the system
 * clock, as all of OAuth.
 */
export function throttleSecrets(issuer: string, log: AuthLog, openCounter: OpenCounter): Middleware {
  const { failures, windowMs, maxKeys } = throttle;
  const counter = openCounter('client-secrets', { limit: failures, windowMs, maxKeys });
  const warnings = createWindowCounter({ limit: 1, windowMs, maxKeys });
  return async (ctx, next) => {
    const clientId = paths.has(ctx.path) ? readClientId(ctx.req.headers.authorization) : undefined;
    if (clientId === undefined) return void (await next());

    const address = readCallerAddress(ctx.req, issuer);
    const key = `${clientId} ${address}`;
    const now = Date.now();
    const { accepted, endsAt } = await whenAvailable(counter.look(key, now));
    if (!accepted) {
      const seconds = secondsUntil(endsAt, now);
      ctx.set({
        'WWW-Authenticate': `Basic realm="${issuer}", error="invalid_client"`,
        'Retry-After': String(seconds),
        'Cache-Control': 'no-store',
      });
      ctx.status = 401;
      ctx.body = {
        error: 'invalid_client',
        error_description: `too many failed attempts, try again in ${sayWait(seconds)}`,
      };
      return;
    }
    await next();
    if (ctx.status !== 401) return;
    const failedAt = Date.now();
    const { accepted: isCounted, left } = await whenAvailable(counter.take(key, failedAt));
    // Once a minute, so that a flood of requests does not flood the log.
    if (isCounted && left === 0 && warnings.take(key, failedAt).accepted) {
      const requestId = ctx.response.get('X-Request-Id');
      log.warn({ requestId, clientId, address }, 'client authentication throttled');
    }
  };
}

/**
 * The client id of Basic credentials, decoded, or `?` for an invalid id. Undefined if there is no secret to judge: such requests are always
 * rejected.
 */
function readClientId(authorization = ''): string | undefined {
  const [, encoded] = /^basic ([^ ]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [name = ''] = Buffer.from(encoded, 'base64').toString().split(':', 1);
  try {
    // RFC 6749, 2.3.1: both parts are form-encoded.
    const clientId = decodeURIComponent(name);
    return /^[A-Za-z0-9_-]{1,64}$/.test(clientId) ? clientId : '?';
  } catch {
    return '?';
  }
}
