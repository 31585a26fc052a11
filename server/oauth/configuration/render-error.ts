import type { Configuration, ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { escapeHtml } from '../middleware/escape-html.ts';

/** Errors that upstream names beyond OAuth, in the words of RFC 6749. */
const names: Readonly<Record<string, string>> = { invalid_redirect_uri: 'invalid_request' };

const descriptions: Readonly<Record<string, string>> = {
  invalid_redirect_uri: 'redirect_uri is not a registered callback URL',
  invalid_client: 'client_id is unknown',
};

/** Answers an error that goes to no callback: `{error}`, or at the login a page for a browser that prefers one. */
export const renderError: NonNullable<Configuration['renderError']> = (ctx, out) => {
  const isLogin = ctx.oidc.route === 'authorization' || ctx.oidc.route === 'resume';
  const error = isLogin ? nameLoginError(ctx, out) : pick(out);
  if (!isLogin || ctx.accepts('json', 'html') !== 'html') {
    ctx.body = error;
    return;
  }
  ctx.type = 'html';
  ctx.body = [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Login is not possible</title>',
    `<h1>Login is not possible</h1><p>${escapeHtml(error.error_description ?? error.error)}</p>`,
    `<p>${escapeHtml(error.error)}, request ${escapeHtml(ctx.response.get('X-Request-Id'))}</p></html>\n`,
  ].join('\n');
};

function nameLoginError(ctx: KoaContextWithOIDC, out: ErrorOut): ErrorOut {
  const { client_id: clientId } = ctx.query;
  if (out.error === 'invalid_request' && (clientId === undefined || clientId === '')) {
    return { error: 'invalid_client', error_description: 'client_id is missing' };
  }
  const description = descriptions[out.error] ?? out.error_description;
  return { error: names[out.error] ?? out.error, ...(description && { error_description: description }) };
}

function pick({ error, error_description: description, scope }: ErrorOut): ErrorOut {
  return { error, ...(description && { error_description: description }), ...(scope && { scope }) };
}
