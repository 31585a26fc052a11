import type { Configuration, ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { answerBusy, answerProblem, type ProblemKind } from '../middleware/answer-page.ts';

/** Answers an error that is not sent to a callback: by `{error}`, or at the login by a page if the browser prefers one. */
export const renderError: NonNullable<Configuration['renderError']> = (ctx, out) => {
  const isLogin = ctx.oidc.route === 'authorization' || ctx.oidc.route === 'resume';
  if (!isLogin) ctx.body = pick(out);
  else if (ctx.status === 503)
    answerBusy(ctx, { status: 503, error: out.error, says: out.error_description ?? '', waitSeconds: 1 });
  else answerProblem(ctx, ...nameProblem(ctx, out));
};

/** Maps errors of upstream to problems; other errors keep upstream's description. */
function nameProblem(
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
): [ProblemKind, { error?: string; says?: string | undefined }?] {
  const { client_id: clientId } = ctx.query;
  if (ctx.oidc.route === 'resume' && out.error === 'invalid_request') return ['login-ended'];
  if (out.error === 'invalid_request' && (clientId === undefined || clientId === ''))
    return ['unknown-client', { says: 'client_id is missing' }];
  if (out.error === 'invalid_client') return ['unknown-client'];
  if (out.error === 'invalid_redirect_uri') return ['unregistered-callback'];
  if (out.error === 'server_error') return ['internal'];
  // Any other error is for the callback. It comes here if upstream found it before it saw that the callback is not registered.
  return out.error === 'invalid_request'
    ? ['invalid-request', { says: out.error_description }]
    : ['unregistered-callback'];
}

function pick({ error, error_description: description, scope }: ErrorOut): ErrorOut {
  return { error, ...(description && { error_description: description }), ...(scope && { scope }) };
}
