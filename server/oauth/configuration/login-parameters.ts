import { type Configuration, errors } from 'oidc-provider';
import { asksForEverything } from '../middleware/prepare-login.ts';
import { openIdScopes, splitScopes } from '../scopes.ts';
import { grantScopes, readClientScopes } from './client-rules.ts';

/** In characters, as the contract declares them. */
const maxLengths = {
  scope: 2000,
  state: 2048,
  nonce: 255,
  redirect_uri: 512,
  prompt: 100,
  login_hint: 255,
  ui_locales: 100,
} as const;
const maxAgeSeconds = 2 ** 31 - 1;

/**
 * Checks of the query of `/login` that upstream does not do. They run last, after upstream's own checks.
 */
export function createLoginParameters(apiScopes: readonly string[]) {
  return {
    /** Upstream ignores unknown scopes and drops `offline_access`, so this checks the query itself. */
    scope(ctx, _value, client) {
      if (!('scope' in ctx.query)) throw new errors.InvalidRequest('scope is missing');
      const isEverything = asksForEverything(ctx.req);
      const asked = isEverything ? '' : String(ctx.query.scope);
      checkLength('scope', asked);
      const available = [...openIdScopes, ...readClientScopes(client, apiScopes)];
      const scopes = grantScopes(splitScopes(asked), available);
      if (isEverything && ctx.oidc.params) ctx.oidc.params.scope = scopes.join(' ');
    },
    state(_ctx, value) {
      if (value === undefined) return;
      checkLength('state', value);
      if (isJsonText(value)) throw new errors.InvalidRequest('state must not be a JSON string, base64-encode it first');
    },
    nonce(_ctx, value) {
      checkLength('nonce', value);
    },
    redirect_uri(_ctx, value) {
      checkLength('redirect_uri', value);
    },
    prompt(_ctx, value) {
      checkLength('prompt', value);
    },
    login_hint(_ctx, value) {
      checkLength('login_hint', value);
    },
    ui_locales(_ctx, value) {
      checkLength('ui_locales', value);
    },
    /** RFC 7636, 4.2: a SHA-256 in base64url. Upstream accepts 43 to 128 characters, but a verifier can match 43 alone. */
    code_challenge(_ctx, value) {
      if (value !== undefined && !/^[A-Za-z0-9_-]{43}$/.test(value)) {
        throw new errors.InvalidRequest('code_challenge must be the base64url SHA-256 of code_verifier, 43 characters');
      }
    },
    /** Upstream accepts everything that `Number` accepts: `1e3`, `0x10`. */
    max_age(_ctx, value) {
      if (value === undefined) return;
      if (!/^\d{1,10}$/.test(value) || Number(value) > maxAgeSeconds) {
        throw new errors.InvalidRequest('max_age must be a number of seconds');
      }
    },
  } satisfies Configuration['extraParams'];
}

function checkLength(name: keyof typeof maxLengths, value: string | undefined): void {
  if (value !== undefined && value.length > maxLengths[name]) {
    throw new errors.InvalidRequest(`${name} must have at most ${maxLengths[name]} characters`);
  }
}

/** Whether a text is a JSON object, array or string. Numbers and base64 stay valid states. */
function isJsonText(text: string): boolean {
  try {
    return /^\s*[[{"]/.test(text) && JSON.parse(text) !== null;
  } catch {
    return false;
  }
}
