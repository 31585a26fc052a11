import type { KoaContextWithOIDC } from 'oidc-provider';
import {
  chooseLanguage,
  contentPolicy,
  type Language,
  type LoginFault,
  type Problem,
  renderProblem,
} from '../pages/index.ts';
import type { Middleware } from './middleware.ts';

type Context = Parameters<Middleware>[0] | KoaContextWithOIDC;

/**
 * The targets of a form besides these pages. Chrome applies them to every redirect after a form, also to redirects of the client's callback:
 * a client that redirects to another of its hosts would be blocked, so every https address is allowed. A client under development, with a
 * callback on its own machine, redirects to other ports of it; and no policy can name `[::1]` (CSP Level 3, 2.3.1).
 */
function listFormTargets(callback: string): readonly string[] {
  return callback.startsWith('http:') ? ['https:', 'http:'] : ['https:', callback];
}

export interface PageAnswer {
  readonly status: number;
  readonly html: string;
  /** The callback that a form on the page may lead to. */
  readonly callback?: string;
}

/** Answers with a page that must not be cached: it shows personal data, and its forms expire. */
export function answerPage(ctx: Context, { status, html, callback }: PageAnswer): void {
  ctx.status = status;
  ctx.type = 'html';
  ctx.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentPolicy(callback === undefined ? [] : listFormTargets(callback)),
  });
  ctx.vary('Accept-Language');
  ctx.body = html;
}

/** The reason why a page can't be shown or a form is rejected. */
export type ProblemKind = Exclude<Problem['kind'], 'busy'>;

const problems: Readonly<
  Record<ProblemKind, { readonly status: number; readonly error: string; readonly says: string }>
> = {
  'login-ended': {
    status: 400,
    error: 'invalid_request',
    says: 'this login has ended, or belongs to another browser: start again at the application',
  },
  'no-cookies': { status: 400, error: 'invalid_request', says: 'no cookie was sent: this page needs them' },
  'unknown-client': { status: 400, error: 'invalid_client', says: 'client_id is unknown' },
  'unregistered-callback': {
    status: 400,
    error: 'invalid_request',
    says: 'redirect_uri is not a registered callback URL',
  },
  'invalid-request': { status: 400, error: 'invalid_request', says: 'the request is not understood' },
  'cross-site': { status: 400, error: 'invalid_request', says: 'the form was sent by a page of another site' },
  'not-found': { status: 404, error: 'invalid_request', says: 'there is no such page' },
  internal: { status: 500, error: 'server_error', says: 'the request could not be processed' },
};

/** Answers a problem by `{error}`, or by a page for a browser. */
export function answerProblem(
  ctx: Context,
  kind: ProblemKind,
  {
    error = problems[kind].error,
    says = problems[kind].says,
  }: { error?: string | undefined; says?: string | undefined } = {},
): void {
  writeProblem(ctx, { problem: { kind }, status: problems[kind].status, error, says });
}

/** The same for a temporary problem, with `Retry-After`. */
export function answerBusy(
  ctx: Context,
  { status, error, says, waitSeconds }: { status: 429 | 503; error: string; says: string; waitSeconds: number },
): void {
  ctx.set('Retry-After', String(waitSeconds));
  writeProblem(ctx, { problem: { kind: 'busy', waitSeconds }, status, error, says });
}

function writeProblem(
  ctx: Context,
  { problem, status, error, says }: { problem: Problem; status: number; error: string; says: string },
): void {
  ctx.vary('Accept');
  if (ctx.accepts('json', 'html') !== 'html') {
    ctx.status = status;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { error, error_description: says };
    return;
  }
  const requestId = ctx.response.get('X-Request-Id');
  const language = readLanguage(ctx, ctx.query.ui_locales);
  answerPage(ctx, { status, html: renderProblem({ language, problem, error, description: says, requestId }) });
}

/** Redirects by 303, so that a browser follows a posted form by GET (RFC 9110, 15.4.4). */
export function redirect(ctx: Context, address: string): void {
  ctx.redirect(address);
  ctx.status = 303;
  ctx.set('Cache-Control', 'no-store');
}

/** Redirects to the page that shows the fault of an attempt. Programs read `Retry-After` from this answer. */
export function redirectFault(ctx: Context, address: string, fault: LoginFault): void {
  redirect(ctx, address);
  setRetryAfter(ctx, fault);
}

/** @param uiLocales from the login request */
export function readLanguage(ctx: Context, uiLocales?: unknown): Language {
  return chooseLanguage({
    ...(typeof uiLocales === 'string' && { uiLocales }),
    acceptLanguage: ctx.get('Accept-Language'),
  });
}

/** The status of a login page with the fault of the last attempt. 401 would need a challenge, for which browsers show a dialog. */
export function setFaultStatus(ctx: Context, fault: LoginFault | undefined): number {
  if (fault === undefined) return 200;
  return setRetryAfter(ctx, fault) ? 429 : 400;
}

/** @returns false if the fault is not temporary */
function setRetryAfter(ctx: Context, fault: LoginFault): boolean {
  if (fault.kind !== 'throttled' && fault.kind !== 'busy') return false;
  ctx.set('Retry-After', String(fault.waitSeconds));
  return true;
}
