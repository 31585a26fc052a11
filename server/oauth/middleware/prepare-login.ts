import { splitScopes } from '../scopes.ts';
import type { Middleware } from './middleware.ts';

/**
 * What has to be in the query of `/login` before upstream reads it. `openid` is added to a scope without it, since the
 * answer always has an ID token; upstream refuses `nonce` and `max_age` without it. Any `response_mode` but `query` gets
 * a name that upstream does not know, so that it answers `unsupported_response_mode` by query: it cannot be told to
 * offer fewer modes.
 */
export const prepareLogin: Middleware = async (ctx, next) => {
  if (ctx.path === '/login') {
    const { scope, response_mode: mode } = ctx.query;
    const lacksOpenId = typeof scope === 'string' && scope !== '' && !splitScopes(scope).includes('openid');
    const isOtherMode = typeof mode === 'string' && mode !== '' && mode !== 'query';
    if (lacksOpenId || isOtherMode) {
      ctx.query = {
        ...ctx.query,
        ...(lacksOpenId && { scope: `openid ${scope}` }),
        ...(isOtherMode && { response_mode: 'unsupported' }),
      };
    }
  }
  await next();
};
