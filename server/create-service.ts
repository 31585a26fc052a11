import type { RequestListener } from 'node:http';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { unimplemented } from '@lockstep/contract/handlers';
import { operations } from '@lockstep/contract/operations';
import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { createApp } from './http/create-app.ts';
import type { Mounts } from './http/mount-service.ts';
import type { Keys } from './keys.ts';
import { createAuthServer } from './oauth/provider.ts';
import { apiScopes } from './oauth/scopes.ts';
import { createTokenVerifier } from './oauth/verify-token.ts';
import { createDeviceOperations } from './operations/devices.ts';
import type { Store } from './store/store.ts';

export interface ServiceOptions {
  readonly store: Store;
  readonly keys: Keys;
  /** Domain time; tokens stay on the system clock. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Address that clients use, without a trailing slash: fixes issuer (`/auth`) and audience (`/v1`). */
  readonly origin: string;
  /** Whether each answer is held against the contract before it leaves: in tests and in the demo. */
  readonly checkResponses: boolean;
  readonly docs?: Mounts['docs'];
}

/**
 * Puts the service together: OAuth server, token check, operations and HTTP shell on one store.
 *
 * @throws Error where the contract can't be kept; see `createApp`
 */
export async function createService(options: ServiceOptions): Promise<RequestListener> {
  const { store, keys, clock, logger, origin, checkResponses, docs } = options;
  const issuer = `${origin}/auth`;
  const audience = `${origin}/v1`;
  return createApp({
    contract,
    operations,
    handlers: { ...unimplemented, ...createDeviceOperations({ store, clock, keys }) },
    verifyToken: createTokenVerifier({ store, issuer, audience, jwks: keys.jwks }),
    authServer: createAuthServer({ issuer, resource: audience, store, keys, scopes: apiScopes, log: logger }),
    ping: () => store.ping(),
    clock,
    logger,
    checkResponses,
    ...(docs && { docs }),
  });
}
