import type { OutgoingHttpHeaders } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { openIdScopes, splitScopes } from '../scopes.ts';
import type { Middleware } from './middleware.ts';

/** Members of upstream's bodies that are read or changed here. */
interface Body {
  error?: string;
  error_description?: string;
  scope?: string;
  id_token?: string;
  refresh_token?: string;
  refresh_token_expires_in?: number;
  scopes_supported?: readonly string[];
  response_modes_supported?: readonly string[];
  claims_supported?: readonly string[] | undefined;
}

type Shape = (ctx: KoaContextWithOIDC, body: Body) => void;

/**
 * Adapts upstream's answers to the contract, by upstream's route name.
 *
 * @param issuer the realm of `WWW-Authenticate`
 * @param scopes all scopes for discovery; upstream lists those of OpenID alone, and has no option for others
 */
export function shapeAnswer(issuer: string, scopes: readonly string[]): Middleware {
  const shapes: Readonly<Record<string, Shape>> = {
    discovery: (_ctx, body) => {
      body.scopes_supported = scopes;
      body.response_modes_supported = ['query'];
      // `sid` is for back-channel logout, which this server does not offer (OpenID Connect Back-Channel Logout, 2.1).
      body.claims_supported = body.claims_supported?.filter((claim) => claim !== 'sid');
    },
    jwks: (ctx) => {
      ctx.type = 'application/json';
    },
    token: (ctx, body) => {
      ctx.set('Cache-Control', 'no-store');
      nameUnauthorizedClient(body);
      nameScopeAtFault(body);
      addOpenIdScopes(ctx, body);
      addRefreshTokenEnd(ctx, body);
      challenge(ctx, issuer);
    },
    revocation: (ctx) => {
      ctx.set('Cache-Control', 'no-store');
      challenge(ctx, issuer);
      if (ctx.status === 200) ctx.remove('Content-Type');
    },
  };
  return async (ctx, next) => {
    const crossOrigin = pickCrossOrigin(ctx.response.headers);
    await next();
    // The surrounding app decides about CORS. Upstream opens discovery and keys to all origins, and reflects the origin elsewhere.
    for (const name of Object.keys(pickCrossOrigin(ctx.response.headers))) ctx.remove(name);
    ctx.set(crossOrigin);
    const body = isBody(ctx.body) ? ctx.body : {};
    if (hasRoute(ctx)) shapes[ctx.oidc.route]?.(ctx, body);
    // `Location` remains if a session could not be saved after upstream had decided to redirect.
    if (ctx.status >= 400) ctx.remove('Location');
    if (ctx.status === 503) ctx.set('Retry-After', '1');
    // Replaces upstream's joke text. The cause is logged, not sent.
    if (ctx.status === 500 && body.error === 'server_error') {
      body.error_description = 'the request could not be processed';
    }
  };
}

function pickCrossOrigin(headers: OutgoingHttpHeaders): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('access-control-'));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

/** RFC 6749, 5.2; upstream calls it `invalid_request`. */
function nameUnauthorizedClient(body: Body): void {
  if (body.error_description?.startsWith('requested grant type is not allowed')) body.error = 'unauthorized_client';
}

function nameScopeAtFault(body: Body): void {
  if (body.error === 'invalid_scope' && body.scope)
    body.error_description = `${body.scope.slice(0, 900)} is unavailable`;
}

/** Upstream's `scope` is that of the access token alone; the answer to a login has to list all granted scopes. */
function addOpenIdScopes(ctx: KoaContextWithOIDC, body: Body): void {
  const { AuthorizationCode: code, RefreshToken: refreshToken } = ctx.oidc.entities;
  const source = code ?? refreshToken;
  if (body.id_token === undefined || source === undefined) return;
  const granted = ctx.oidc.params?.scope === undefined ? source.scopes : ctx.oidc.requestParamScopes;
  body.scope = [...openIdScopes.filter((scope) => granted.has(scope)), ...splitScopes(body.scope)].join(' ');
}

/** Upstream omits the challenge if no credentials were sent; RFC 9110, 15.5.2 requires one with every 401. */
function challenge(ctx: KoaContextWithOIDC, issuer: string): void {
  if (ctx.status === 401 && !ctx.response.get('WWW-Authenticate')) {
    ctx.set('WWW-Authenticate', `Basic realm="${issuer}", error="invalid_client"`);
  }
}

function addRefreshTokenEnd(ctx: KoaContextWithOIDC, body: Body): void {
  const { RefreshToken: current, RotatedRefreshToken: rotated } = ctx.oidc.entities;
  if (body.refresh_token === undefined) return;
  body.refresh_token_expires_in = Math.max(0, (current ?? rotated)?.remainingTTL ?? 0);
}

function hasRoute(ctx: Parameters<Middleware>[0]): ctx is KoaContextWithOIDC {
  return ctx.oidc !== undefined;
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Buffer.isBuffer(value);
}
