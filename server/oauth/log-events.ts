import { EventEmitter } from 'node:events';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';

/** The part of a pino logger that is used here. */
export interface AuthLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** Logs events for operators by client and request id, never a secret, a token, a code or a query. */
export function logEvents(provider: Provider, log: AuthLog): void {
  provider.on('grant.success', (ctx) => log.info(describe(ctx), 'token issued'));
  provider.on('grant.revoked', (ctx, grantId) => log.info({ ...describe(ctx), grantId }, 'grant revoked'));
  const warn = (text: string) => (ctx: KoaContextWithOIDC, error: Parameters<typeof explain>[0]) => {
    if (isCallerThere(ctx)) log.warn({ ...describe(ctx), ...explain(error) }, text);
  };
  provider.on('grant.error', warn('token request rejected'));
  provider.on('revocation.error', warn('revocation rejected'));
  provider.on('authorization.error', warn('login rejected'));
  provider.on('server_error', (ctx, error) => log.error({ ...describe(ctx), err: error }, 'auth request failed'));
  // Koa prints errors to the console unless there is a listener.
  EventEmitter.prototype.on.call(provider, 'error', (error, ctx: KoaContextWithOIDC) => {
    const requestId = ctx.response.get('X-Request-Id');
    if (isCallerThere(ctx)) log.error({ err: error, requestId }, 'auth answer failed');
    // Any caller can send half a body: that is no fault of the server, and must not fill the log with stacks.
    else log.info({ requestId, code: error.code }, 'the caller left, or took too long');
  });
}

/** Whether the caller can still get an answer: the connection may have closed, also in the middle of the body. */
function isCallerThere({ req }: KoaContextWithOIDC): boolean {
  return !req.socket.destroyed && !(req.destroyed && !req.complete);
}

/** Any other value is not logged: it may be 56 kB of arbitrary text. */
const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

function describe(ctx: KoaContextWithOIDC): object {
  return {
    requestId: ctx.response.get('X-Request-Id'),
    clientId: ctx.oidc.entities.Client?.clientId,
    grantType: grantTypes.find((known) => known === ctx.oidc.params?.grant_type),
  };
}

function explain(error: { error: string; error_detail?: string | undefined }): object {
  return { error: error.error, detail: error.error_detail };
}
