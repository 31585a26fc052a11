import type { IncomingMessage } from 'node:http';
import { splitScopes } from '../scopes.ts';
import type { Middleware } from './middleware.ts';

/**
 * Changes the query of `/login` before upstream reads it. `openid` is added to a scope without it, since the
 * answer always has an ID token; upstream refuses `nonce` and `max_age` without it. That the scope was empty, which asks for everything,
 * is remembered. Any `response_mode` but `query`, and any `response_type` but `code`, gets a name that upstream does not know. So it
 * answers `unsupported_response_mode` and `unsupported_response_type` by query: it has no option for fewer modes, and a type that
 * contains `token` would send every error to the fragment, which no server gets.
 */
export const prepareLogin: Middleware = async (ctx, next) => {
  if (ctx.path === '/login') {
    const { scope, response_mode: mode, response_type: type } = ctx.query;
    const lacksOpenId = typeof scope === 'string' && !splitScopes(scope).includes('openid');
    if (scope === '') everything.add(ctx.req);
    const isOtherMode = typeof mode === 'string' && mode !== '' && mode !== 'query';
    const isOtherType = typeof type === 'string' && type !== '' && type !== 'code';
    if (lacksOpenId || isOtherMode || isOtherType) {
      ctx.query = {
        ...ctx.query,
        ...(lacksOpenId && { scope: scope === '' ? 'openid' : `openid ${scope}` }),
        ...(isOtherMode && { response_mode: 'unsupported' }),
        ...(isOtherType && { response_type: 'unsupported' }),
      };
    }
  }
  await next();
};

const everything = new WeakSet<IncomingMessage>();

/** Whether the scope of a login was sent empty. */
export function asksForEverything(request: IncomingMessage): boolean {
  return everything.has(request);
}
