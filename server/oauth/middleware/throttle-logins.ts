import { operations } from '@lockstep/contract/operations';
import { sayWait, secondsUntil } from '../../limits/retry-after.ts';
import { createWindowCounter, type OpenCounter } from '../../limits/window-counter.ts';
import { readCallerAddress } from '../caller-address.ts';
import type { AuthLog } from '../log-events.ts';
import { whenAvailable } from '../unavailable.ts';
import { answerBusy } from './answer-page.ts';
import { readOwnerMark } from './known-browser.ts';
import type { Middleware } from './middleware.ts';

/** Login requests from one address, or of one owner's known browsers, in any minute. All who share an address are slowed down together. */
export const loginLimit = { requests: 120, windowMs: 60_000, maxKeys: 10_000 } as const;

/**
 * Bounds what anybody can have written here: each login request leaves a row for half an hour, before it is known who sent it. On the
 * system clock, as all of OAuth.
 */
export function throttleLogins(issuer: string, log: AuthLog, openCounter: OpenCounter): Middleware {
  const { requests, windowMs, maxKeys } = loginLimit;
  const counter = openCounter('login-requests', { limit: requests, windowMs, maxKeys });
  const warnings = createWindowCounter({ limit: 1, windowMs, maxKeys });
  return async (ctx, next) => {
    if (ctx.path !== operations.login.path) return void (await next());
    const address = readCallerAddress(ctx.req, issuer);
    const now = Date.now();
    // A known browser is not slowed down by others at its address. It counts by owner, since each login makes another secret.
    const { accepted, endsAt } = await whenAvailable(counter.take(readOwnerMark(ctx) ?? address, now));
    if (accepted) return void (await next());
    // Once a minute, or whoever floods the endpoint floods the log.
    const requestId = ctx.response.get('X-Request-Id');
    if (warnings.take(address, now).accepted) log.warn({ requestId, address }, 'login requests throttled');
    const waitSeconds = secondsUntil(endsAt, now);
    const says = `too many login requests from this address, try again in ${sayWait(waitSeconds)}`;
    answerBusy(ctx, { status: 429, error: 'temporarily_unavailable', says, waitSeconds });
  };
}
