import type { OperationTable } from '@lockstep/contract/operations';
import { type ContractDocument, isObject } from '@lockstep/json/json-pointer';
import { systemClock } from '@lockstep/server/clock';
import { type DemoOwners, seedDemoOwners } from '@lockstep/server/demo/demo-owners';
import { type DemoClients, seedDemo } from '@lockstep/server/demo/seed-demo';
import { Refused } from '@lockstep/server/error-catalogue';
import { createAuthentication } from '@lockstep/server/http/authenticate';
import { challengeScope } from '@lockstep/server/http/challenge';
import { checkTrial } from '@lockstep/server/http/check-trial';
import type { Keys } from '@lockstep/server/keys';
import { createPasswords } from '@lockstep/server/oauth/passwords';
import { createAuthServer } from '@lockstep/server/oauth/provider';
import { apiScopes } from '@lockstep/server/oauth/scopes';
import { createTokenVerifier } from '@lockstep/server/oauth/verify-token';
import { startPurging } from '@lockstep/server/start-purging';
import { openSqliteStore } from '@lockstep/server/store/sqlite/open-store';
import type { Store } from '@lockstep/server/store/store';
import type { Logger } from 'pino';
import { type AuthServer, isBelow } from './auth-server.ts';
import { type Authenticate, createPresenceCheck } from './authenticate.ts';
import { Fault } from './fault/fault.ts';

export interface MockOAuthOptions {
  /** Where the mock listens. Issuer and audience carry it, so that it must be known before. */
  readonly origin: string;
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  /** Secrets and passwords follow from them: the same keys, the same secrets. */
  readonly keys: Keys;
  readonly logger: Logger;
  /** http addresses of this machine that partners may be called back at; none when left out. */
  readonly loopbackCallbacks?: readonly string[] | undefined;
}

export interface MockOAuth {
  readonly authServer: AuthServer;
  readonly authenticate: Authenticate;
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
  const { origin, contract, keys, logger, loopbackCallbacks } = options;
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
  const operations = Object.values(options.operations).filter(({ basePath }) => !isBelow(authPath, basePath));
  const verifyToken = createTokenVerifier({
    store: { ...store, clients: validFrom(Math.floor(now / 1000), store.clients) },
    issuer,
    audience: resource,
    jwks: keys.jwks,
  });
  const verify = createAuthentication(contract, operations, verifyToken);
  const tokenSchemes = new Set(operations.flatMap(({ security }) => security.flatMap(Object.keys)));
  const checkPresence = createPresenceCheck(contract);
  const stopPurging = startPurging(store, logger);
  return {
    clients,
    owners,
    authServer: { basePath: authPath, callback },
    authenticate: async (credentials) => {
      const names = credentials.alternatives.flatMap(Object.keys);
      if (!names.every((name) => tokenSchemes.has(name))) return checkPresence(credentials);
      try {
        const principal = await verify(credentials.request);
        checkTrial(principal, systemClock);
        return { scopes: principal.scopes, challenge: challengeScope };
      } catch (error) {
        throw error instanceof Refused ? toFault(error) : error;
      }
    },
    close: async () => {
      stopPurging();
      await store.close();
    },
  };
}

/**
 * Clients whose tokens begin with this start. The keys outlive it, the revocations do not: a token of before could be one that was revoked.
 * One of the very second of the start stays good, since `iat` has whole seconds.
 */
function validFrom(startSeconds: number, clients: Pick<Store['clients'], 'find'>): Pick<Store['clients'], 'find'> {
  return {
    find: async (clientId) => {
      const client = await clients.find(clientId);
      return client && { ...client, tokensValidAfter: Math.max(startSeconds, client.tokensValidAfter ?? 0) };
    },
  };
}

/** A refusal of the service in the mock's terms. */
function toFault({ response }: Refused): Fault {
  const { status, body } = response;
  const headers = 'headers' in response && isObject(response.headers) ? Object.entries(response.headers) : [];
  return new Fault({
    statuses: [status],
    says: 'message' in body ? body.message : body.error,
    hints: [body.code],
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
  });
}
