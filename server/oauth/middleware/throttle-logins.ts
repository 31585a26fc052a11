import { operations } from '@lockstep/contract/operations';
import { sayWait, secondsUntil } from '../../limits/retry-after.ts';
import { createWindowCounter, type OpenCounter } from '../../limits/window-counter.ts';
import { readCallerAddress } from '../caller-address.ts';
import type { AuthLog } from '../log-events.ts';
import { whenAvailable } from '../unavailable.ts';
import { answerBusy } from './answer-page.ts';
import { readOwnerMark } from './known-browser.ts';
import type { Middleware } from './middleware.ts';

/** Login requests per minute from one address, or from one owner's known browsers. All callers at one address share the limit. */
export const loginLimit = { requests: 120, windowMs: 60_000, maxKeys: 10_000 } as const;

/**
 * Limits the rows that anonymous callers can create: each login request writes one for half an hour, before its sender is known. By the
 * system clock, as all of OAuth.
 */
export function throttleLogins(issuer: string, log: AuthLog, openCounter: OpenCounter): Middleware {
  const { requests, windowMs, maxKeys } = loginLimit;
  const counter = openCounter('login-requests', { limit: requests, windowMs, maxKeys, isFrequent: true });
  const warnings = createWindowCounter({ limit: 1, windowMs, maxKeys });
  return async (ctx, next) => {
    if (ctx.path !== operations.login.path) return void (await next());
    const address = readCallerAddress(ctx.req, issuer);
    const now = Date.now();
    // Other callers at its address do not slow a known browser down. It counts by owner, since each login creates a new secret.
    const { accepted, endsAt } = await whenAvailable(counter.take(readOwnerMark(ctx) ?? address, now));
    if (accepted) return void (await next());
    // Once a minute, so that a flood of requests does not flood the log.
    const requestId = ctx.response.get('X-Request-Id');
    if (warnings.take(address, now).accepted) log.warn({ requestId, address }, 'login requests throttled');
    const waitSeconds = secondsUntil(endsAt, now);
    const says = `too many login requests from this address, try again in ${sayWait(waitSeconds)}`;
    answerBusy(ctx, { status: 429, error: 'temporarily_unavailable', says, waitSeconds });
  };
}
