import type { Middleware } from './middleware.ts';

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Login is not implemented yet</title>
<h1>Login is not implemented yet</h1>
<p>The pages for login and consent come in a later version.</p>
<p>Clients of their own account get tokens already, with the grant client_credentials.</p></html>
`;

/** Stands where the login and consent pages will be, behind a login request that has passed every check. */
export const loginComesLater: Middleware = async (ctx, next) => {
  if (!ctx.path.startsWith('/interaction/')) return void (await next());
  ctx.status = 501;
  ctx.set('Cache-Control', 'no-store');
  if (ctx.accepts('html', 'json') === 'html') {
    ctx.type = 'html';
    ctx.body = page;
    return;
  }
  ctx.body = {
    message: 'login is not implemented yet',
    code: 'not_implemented',
    requestId: ctx.response.get('X-Request-Id'),
  };
};
