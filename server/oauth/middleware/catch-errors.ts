import { RequestAborted } from '@lockstep/runtime/read-bytes';
import { StoreUnavailable } from '../../store/store.ts';
import type { AuthLog } from '../log-events.ts';
import { Unavailable } from '../unavailable.ts';
import { answerBusy, answerProblem } from './answer-page.ts';
import type { Middleware } from './middleware.ts';

/** The outermost step: errors that upstream's own handlers don't catch are answered in their format, without details. */
export function catchErrors(log: AuthLog): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      // Upstream's own event handler logs errors whose caller has left.
      if (error instanceof RequestAborted) throw error;
      const isBusy = error instanceof Unavailable || error instanceof StoreUnavailable;
      const requestId = ctx.response.get('X-Request-Id');
      log.error({ err: error, requestId }, isBusy ? 'store unavailable' : 'auth request failed');
      if (!/^\/(?:login|interaction|apps)\b/.test(ctx.path)) {
        ctx.status = isBusy ? 503 : 500;
        ctx.body = { error: 'server_error', ...(isBusy && { error_description: busyText }) };
      } else if (isBusy) answerBusy(ctx, { status: 503, error: 'server_error', says: busyText, waitSeconds: 1 });
      else answerProblem(ctx, 'internal');
    }
  };
}

const busyText = 'Busy, try again in 1 second';
