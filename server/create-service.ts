import type { RequestListener } from 'node:http';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import type { Logger } from 'pino';
import type { Bridges } from './bridge/start-bridges.ts';
import type { Clock } from './clock.ts';
import { createAccountQuota } from './http/account-quota.ts';
import { createApp } from './http/create-app.ts';
import type { DifferentialValidation } from './http/differential-validation.ts';
import type { Mounts } from './http/mount-service.ts';
import type { Keys } from './keys.ts';
import { createAuthServer } from './oauth/provider.ts';
import { apiScopes } from './oauth/scopes.ts';
import { createTokenVerifier } from './oauth/verify-token.ts';
import { createHandlers } from './operations/create-handlers.ts';
import type { Store } from './store/store.ts';

export interface ServiceOptions {
  readonly store: Store;
  readonly keys: Keys;
  /** Domain time; tokens stay on the system clock. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** The connection to the bridges: their state, and the notification of a new job. */
  readonly bridges: Pick<Bridges, 'link' | 'wake'>;
  /** Address that clients use, without a trailing slash. It determines issuer (`/auth`) and audience (`/v1`). */
  readonly origin: string;
  /** Whether each answer is checked against the contract before it is sent: in tests and in the demo. */
  readonly checkResponses: boolean;
  /** Whether express-openapi-validator validates each request too; `off` when omitted. */
  readonly differentialValidation?: DifferentialValidation | undefined;
  /** Requests an hour for one account and client; no quota when 0 or omitted. */
  readonly accountQuota?: number | undefined;
  /** Origins whose pages may call the API from a browser; none when omitted. */
  readonly corsOrigins?: readonly string[] | undefined;
  readonly docs?: Mounts['docs'];
}

/**
 * Builds the service: OAuth server, token verifier, operations and HTTP shell on one store.
 *
 * @throws Error when the contract can't be fulfilled; see `createApp`
 */
export function createService(options: ServiceOptions): RequestListener {
  const {
    store,
    keys,
    clock,
    logger,
    bridges,
    origin,
    checkResponses,
    differentialValidation,
    accountQuota = 0,
    corsOrigins,
    docs,
  } = options;
  const issuer = `${origin}/auth`;
  const audience = `${origin}/v1`;
  return createApp({
    contract,
    operations,
    handlers: createHandlers({ store, clock, keys, bridges }),
    verifyToken: createTokenVerifier({ store, issuer, audience, jwks: keys.jwks }),
    authServer: createAuthServer({ issuer, resource: audience, store, keys, scopes: apiScopes, log: logger }),
    ping: () => store.ping(),
    clock,
    countRequest: accountQuota === 0 ? undefined : createAccountQuota(accountQuota, store.counters.open, clock),
    logger,
    checkResponses,
    differentialValidation,
    corsOrigins,
    ...(docs && { docs }),
  });
}
