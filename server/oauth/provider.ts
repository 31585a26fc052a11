import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { takeAuthority } from '@lockstep/runtime/http-message';
import helmet from 'helmet';
import Provider, { errors } from 'oidc-provider';
import type { Keys } from '../keys.ts';
import { type OpenCounter, openMemoryCounter } from '../limits/window-counter.ts';
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
  readonly store: ConfigurationStore;
  readonly keys: Pick<Keys, 'jwks' | 'cookieKeys'>;
  /** Scopes of the resource API: `apiScopes`. */
  readonly scopes: readonly string[];
  readonly log: AuthLog;
  /** Looks at what owners type. Left out: scrypt as new passwords have it; where theirs cost less, time tells who does not exist. */
  readonly passwords?: Passwords | undefined;
  /** Slows the guessing of passwords. Left out: by pauses of the system clock. */
  readonly limitGuesses?: LimitGuesses | undefined;
  /** Where guesses, wrong secrets and login requests are counted. Left out: in the memory of this process, whose end forgets them. */
  readonly openCounter?: OpenCounter | undefined;
  /** Callback URLs that clients may have though they are not https. Only a mock has any: the interface knows none (5.3). */
  readonly loopbackCallbacks?: readonly string[] | undefined;
  /** How long the next access token lives, in seconds; a day when left out, as the interface has it (5.3). */
  readonly accessTokenSeconds?: (() => number) | undefined;
}

export interface AuthServer {
  /**
   * Answers everything below the issuer's path: `app.use('/auth', authServer.callback)` under Express, or as the
   * listener of a plain server, where it takes the issuer's path off itself. No body parser may run before it.
   */
  readonly callback: (request: IncomingMessage, response: ServerResponse) => void;
  readonly provider: Provider;
}

/** No page of the authorization server has anything to load or may be framed. */
const secureHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
});

/**
 * The OAuth 2.0 and OpenID Connect server. Several processes may share one store: all that it keeps in memory is who waits for
 * a turn to log in and, unless told otherwise, how often somebody has tried: secrets, passwords, logins.
 */
export function createAuthServer(options: AuthServerOptions): AuthServer {
  const { issuer, resource, store, keys, scopes, log, passwords = createPasswords(), loopbackCallbacks = [] } = options;
  const {
    accessTokenSeconds,
    openCounter = openMemoryCounter,
    limitGuesses = createGuessLimits({ openCounter }),
  } = options;
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
  // Safe although it may be exposed directly: `pinHost` overwrites what this makes upstream trust.
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

/** Client secrets are kept as hashes, for a while two of them. Upstream would compare clear text. */
async function compareClientSecret(this: KeptSecrets & { readonly clientSecret?: string | undefined }, actual: string) {
  const { body } = Provider.ctx?.oidc ?? {};
  // RFC 6749, 2.3. Upstream does not look at the fields of methods it has off.
  if (body?.client_secret !== undefined || body?.client_assertion !== undefined) {
    throw new errors.InvalidRequest('client authentication must only be provided using one mechanism');
  }
  return clientSecretMatches(actual, { ...this, client_secret: this.clientSecret }, Math.floor(Date.now() / 1000));
}

/** An id is there already where an app around it has given one; else the caller's own is kept if it has the form. */
function identify(request: IncomingMessage, response: ServerResponse): void {
  if (response.hasHeader('X-Request-Id')) return;
  const sent = request.headers['x-request-id'];
  const isKept = typeof sent === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(sent);
  response.setHeader('X-Request-Id', isKept ? sent : `req-${randomBytes(8).toString('hex')}`);
}

type MountedRequest = IncomingMessage & { originalUrl?: string; baseUrl?: string };

/** Leaves what upstream needs to build addresses, as Express does. A path outside becomes one that is not found. */
function mount(request: MountedRequest, base: string): void {
  takeAuthority(request);
  if (request.originalUrl !== undefined) return;
  const { url = '/' } = request;
  const rest = url.slice(base.length);
  request.originalUrl = url;
  request.baseUrl = base;
  request.url = url.startsWith(base) && /^[/?]/.test(rest) ? rest.replace(/^\?/, '/?') : '/not-mounted-here';
}
