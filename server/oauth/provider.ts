import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { takeAuthority } from '@lockstep/runtime/http-message';
import helmet from 'helmet';
import Provider, { errors } from 'oidc-provider';
import type { Keys } from '../keys.ts';
import type { Store } from '../store/store.ts';
import { clientSecretMatches, type KeptSecrets } from './client-secrets.ts';
import { type ConfigurationStore, createConfiguration } from './configuration/create-configuration.ts';
import { createGuessLimits, type LimitGuesses } from './limit-guesses.ts';
import { type AuthLog, logEvents } from './log-events.ts';
import { createOwnerLogin } from './log-in-owner.ts';
import { catchErrors } from './middleware/catch-errors.ts';
import { answerConnectedApps } from './middleware/connected-apps.ts';
import { answerInteractions } from './middleware/interactions.ts';
import { pinHost } from './middleware/pin-host.ts';
import { prepareLogin } from './middleware/prepare-login.ts';
import { routeRequest } from './middleware/route-request.ts';
import { shapeAnswer } from './middleware/shape-answer.ts';
import { throttleLogins } from './middleware/throttle-logins.ts';
import { throttleSecrets } from './middleware/throttle-secrets.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { openIdScopes } from './scopes.ts';

export interface AuthServerOptions {
  /** {auth_url}, absolute, without trailing slash: `http://localhost:8080/auth`. */
  readonly issuer: string;
  /** {base_url}, the audience of access tokens: `http://localhost:8080/v1`. */
  readonly resource: string;
  readonly store: ConfigurationStore & Pick<Store, 'counters'>;
  readonly keys: Pick<Keys, 'jwks' | 'cookieKeys'>;
  /** Scopes of the resource API: `apiScopes`. */
  readonly scopes: readonly string[];
  readonly log: AuthLog;
  /** Checks the passwords of owners. When omitted, scrypt at the default cost; if stored hashes cost less, the time reveals unknown owners. */
  readonly passwords?: Passwords | undefined;
  /** Slows down the guessing of passwords. When omitted, `createGuessLimits` with the system clock. */
  readonly limitGuesses?: LimitGuesses | undefined;
  /** Allowed callback URLs without https. Only a mock has any: the service interface has none (5.3). */
  readonly loopbackCallbacks?: readonly string[] | undefined;
  /** Lifetime of the next access token, in seconds; when omitted, a day as in the service interface (5.3). */
  readonly accessTokenSeconds?: (() => number) | undefined;
}

export interface AuthServer {
  /**
   * Answers everything below the issuer's path: `app.use('/auth', authServer.callback)` in Express, or as the listener of a plain server,
   * where it strips the issuer's path itself. No body parser may run before it.
   */
  readonly callback: (request: IncomingMessage, response: ServerResponse) => void;
  readonly provider: Provider;
}

/** No page of the authorization server loads resources or may be framed. */
const secureHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
});

/**
 * The OAuth 2.0 and OpenID Connect server. Several processes may share one store: its memory contains only the lines of waiting logins.
 */
export function createAuthServer(options: AuthServerOptions): AuthServer {
  const { issuer, resource, store, keys, scopes, log, passwords = createPasswords(), loopbackCallbacks = [] } = options;
  const { open: openCounter } = store.counters;
  const { accessTokenSeconds, limitGuesses = createGuessLimits({ openCounter }) } = options;
  const configuration = createConfiguration({
    issuer,
    resource,
    store,
    keys,
    apiScopes: scopes,
    loopbackCallbacks,
    accessTokenSeconds,
  });
  const provider = new Provider(issuer, configuration);
  // Safe even without a proxy: `pinHost` overwrites the headers that upstream trusts by this setting.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = compareClientSecret;
  const logInOwner = createOwnerLogin({ store, passwords, log, limitGuesses });
  const base = new URL(issuer).pathname.replace(/\/$/, '');
  const pages = { provider, issuer, base, resource, store, logInOwner, log };
  const steps = [
    shapeAnswer(issuer, [...openIdScopes, ...scopes]),
    catchErrors(log),
    pinHost(issuer),
    routeRequest,
    throttleSecrets(issuer, log, openCounter),
    throttleLogins(issuer, log, openCounter),
    answerInteractions(pages),
    answerConnectedApps(pages),
    prepareLogin,
  ];
  for (const step of steps) provider.use(step);
  logEvents(provider, log);

  const listener = provider.callback();
  return {
    provider,
    callback(request, response) {
      identify(request, response);
      mount(request, base);
      secureHeaders(request, response, () => void listener(request, response));
    },
  };
}

/** Client secrets are stored as hashes, two of them during a rotation. Upstream would compare clear text. */
async function compareClientSecret(this: KeptSecrets & { readonly clientSecret?: string | undefined }, actual: string) {
  const { body } = Provider.ctx?.oidc ?? {};
  // RFC 6749, 2.3. Upstream ignores the fields of disabled methods.
  if (body?.client_secret !== undefined || body?.client_assertion !== undefined) {
    throw new errors.InvalidRequest('client authentication must only be provided using one mechanism');
  }
  return clientSecretMatches(actual, { ...this, client_secret: this.clientSecret }, Math.floor(Date.now() / 1000));
}

/** Sets the request id unless the surrounding app has set one: the caller's own if it is valid, otherwise a new one. */
function identify(request: IncomingMessage, response: ServerResponse): void {
  if (response.hasHeader('X-Request-Id')) return;
  const sent = request.headers['x-request-id'];
  const isKept = typeof sent === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(sent);
  response.setHeader('X-Request-Id', isKept ? sent : `req-${randomBytes(8).toString('hex')}`);
}

type MountedRequest = IncomingMessage & { originalUrl?: string; baseUrl?: string };

/** Sets the members that upstream needs to build addresses, as Express does. A path outside becomes one that is not found. */
function mount(request: MountedRequest, base: string): void {
  takeAuthority(request);
  if (request.originalUrl !== undefined) return;
  const { url = '/' } = request;
  const rest = url.slice(base.length);
  request.originalUrl = url;
  request.baseUrl = base;
  request.url = url.startsWith(base) && /^[/?]/.test(rest) ? rest.replace(/^\?/, '/?') : '/not-mounted-here';
}
