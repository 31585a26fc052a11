import { EventEmitter } from 'node:events';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';

/** The part of a pino logger that is used here. */
export interface AuthLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** Logs what an operator wants to see: by client and request id, never a secret, a token, a code or a query. */
export function logEvents(provider: Provider, log: AuthLog): void {
  provider.on('grant.success', (ctx) => log.info(describe(ctx), 'token issued'));
  provider.on('grant.revoked', (ctx) => log.info(describe(ctx), 'grant revoked'));
  provider.on('grant.error', (ctx, error) => log.warn({ ...describe(ctx), ...explain(error) }, 'token refused'));
  provider.on('revocation.error', (ctx, error) =>
    log.warn({ ...describe(ctx), ...explain(error) }, 'revocation refused'),
  );
  provider.on('authorization.error', (ctx, error) =>
    log.warn({ ...describe(ctx), ...explain(error) }, 'login refused'),
  );
  provider.on('server_error', (ctx, error) => log.error({ ...describe(ctx), err: error }, 'auth request failed'));
  // Koa prints to the console unless somebody listens.
  EventEmitter.prototype.on.call(provider, 'error', (error) => log.error({ err: error }, 'auth answer failed'));
}

function describe(ctx: KoaContextWithOIDC): object {
  return {
    requestId: ctx.response.get('X-Request-Id'),
    clientId: ctx.oidc.entities.Client?.clientId,
    grantType: ctx.oidc.params?.grant_type,
  };
}

function explain(error: { error: string; error_detail?: string | undefined }): object {
  return { error: error.error, detail: error.error_detail };
}
