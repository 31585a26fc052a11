import { StoreUnavailable } from '../../store/store.ts';
import type { AuthLog } from '../log-events.ts';
import { Unavailable } from '../unavailable.ts';
import type { Middleware } from './middleware.ts';

/** The outermost step: whatever upstream's own handlers let through is answered in their form, and nothing of it is sent. */
export function catchErrors(log: AuthLog): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const isBusy = error instanceof Unavailable || error instanceof StoreUnavailable;
      const requestId = ctx.response.get('X-Request-Id');
      log.error({ err: error, requestId }, isBusy ? 'store unavailable' : 'auth request failed');
      ctx.status = isBusy ? 503 : 500;
      ctx.body = { error: 'server_error', ...(isBusy && { error_description: 'Busy, try again in 1 second' }) };
    }
  };
}
