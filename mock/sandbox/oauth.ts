import { type Clock, type EpochMilliseconds, systemClock } from '@lockstep/server/clock';
import { type DemoOwners, seedDemoOwners } from '@lockstep/server/demo/demo-owners';
import { type DemoClients, seedDemo } from '@lockstep/server/demo/seed-demo';
import { checkTrial } from '@lockstep/server/http/check-trial';
import { createTokenScheme, realm, type VerifyToken } from '@lockstep/server/http/token-scheme';
import type { Keys } from '@lockstep/server/keys';
import { createPasswords } from '@lockstep/server/oauth/passwords';
import { createAuthServer } from '@lockstep/server/oauth/provider';
import { apiScopes } from '@lockstep/server/oauth/scopes';
import { createTokenVerifier } from '@lockstep/server/oauth/verify-token';
import type { Principal } from '@lockstep/server/principal';
import { startPurging } from '@lockstep/server/start-purging';
import { openSqliteStore } from '@lockstep/server/store/sqlite/open-store';
import type { Store } from '@lockstep/server/store/store';
import type { Logger } from 'pino';
import type { MockedService } from '../create-mock.ts';

interface MockOAuthOptions {
  /** Where the mock listens. Issuer and audience carry it, so that it must be known before. */
  readonly origin: string;
  /** Secrets and passwords follow from them: the same keys, the same secrets. */
  readonly keys: Keys;
  readonly logger: Logger;
  /** http addresses of this machine that partners may be called back at; none when left out. */
  readonly loopbackCallbacks?: readonly string[] | undefined;
}

export interface MockOAuth extends MockedService {
  readonly clients: DemoClients;
  readonly owners: DemoOwners;
  readonly close: () => Promise<void>;
}

const authPath = '/auth';
const apiPath = '/v1';
/** They are made at each start, of 100 bits that nobody chose: stretching adds nothing but seconds. */
const passwordCost = 12;

/**
 * The service's own OAuth server and token check, on the demo's accounts, clients and owners in memory. Tokens end with the
 * process. Where an operation asks for other credentials than a token, they are looked at for their form alone.
 */
export async function createMockOAuth(options: MockOAuthOptions): Promise<MockOAuth> {
  const { origin, keys, logger, loopbackCallbacks } = options;
  const issuer = origin + authPath;
  const resource = origin + apiPath;
  const store = await openSqliteStore(':memory:');
  const now = systemClock.now();
  const clients = await seedDemo(store, { keys, now, loopbackCallbacks });
  const passwords = createPasswords({ ln: passwordCost });
  const owners = await seedDemoOwners(store, { keys, now, passwords });
  const { callback } = createAuthServer({
    issuer,
    resource,
    store,
    keys,
    scopes: apiScopes,
    log: logger,
    passwords,
    loopbackCallbacks,
  });
  const verifyToken = createTokenVerifier({
    store: { principals: validFrom(Math.floor(now / 1000) * 1000, store.principals) },
    issuer,
    audience: resource,
    jwks: keys.jwks,
  });
  const stopPurging = startPurging(store, logger);
  return {
    clients,
    owners,
    authServer: { basePath: authPath, callback },
    ...protectByTokens(verifyToken, systemClock),
    close: async () => {
      stopPurging();
      await store.close();
    },
  };
}

/**
 * Tokens begin with this start. The keys outlive it, the revocations do not: a token of before could be one that was revoked.
 * One of the very second of the start stays good, since `iat` has whole seconds.
 */
function validFrom(start: EpochMilliseconds, { find }: Store['principals']): Store['principals'] {
  return {
    find: async (clientId, subject) => {
      const principal = await find(clientId, subject);
      return principal && { ...principal, tokensValidAfter: Math.max(start, principal.tokensValidAfter) };
    },
  };
}

/** What stands before the answers, as before the service's: the token, then the trial. */
export function protectByTokens(verifyToken: VerifyToken, clock: Clock): MockedService {
  // The mock's own answers ask nobody who they are for.
  return {
    security: { oauth2: createTokenScheme(verifyToken) },
    realm,
    authenticated: ({ principal }) => checkTrial(principal as Principal | undefined, clock),
  };
}
