import { systemClock } from '@lockstep/server/clock';
import { type DemoOwners, demoOwners, seedDemoOwners } from '@lockstep/server/demo/demo-owners';
import { type DemoClients, deriveDemoSecret, seedDemoAccounts, seedDemoClients } from '@lockstep/server/demo/seed-demo';
import type { VerifyToken } from '@lockstep/server/http/token-scheme';
import type { Keys } from '@lockstep/server/keys';
import { createClientMetadata } from '@lockstep/server/oauth/create-client-metadata';
import { createPasswords } from '@lockstep/server/oauth/passwords';
import { createAuthServer } from '@lockstep/server/oauth/provider';
import { apiScopes } from '@lockstep/server/oauth/scopes';
import { createTokenVerifier } from '@lockstep/server/oauth/verify-token';
import { startPurging } from '@lockstep/server/start-purging';
import { makeImage, openStoreImage } from '@lockstep/server/store/sqlite/store-image';
import type { PrincipalStore } from '@lockstep/server/store/store';
import type { Logger } from 'pino';
import type { AuthServer } from '../auth-server.ts';
import type { Scenario } from './scenarios.ts';
import type { TokenLives } from './tokens.ts';
import type { World } from './world.ts';

export interface SandboxOAuthOptions {
  /** Address that clients use. Issuer and audience carry it, so that it must be known before. */
  readonly origin: string;
  /** Secrets and passwords follow from them: the same keys, the same secrets. */
  readonly keys: Keys;
  readonly logger: Logger;
  /** http addresses of this machine that partners may be called back at. */
  readonly loopbackCallbacks: readonly string[];
  readonly lives: TokenLives;
  /** End of an account's trial. */
  readonly trialEnd: World['trialEnd'];
}

export interface SandboxOAuth {
  readonly authServer: AuthServer;
  readonly verifyToken: VerifyToken;
  /** Clients of the demo, and one for each account that a scenario added. */
  readonly clients: () => DemoClients;
  readonly owners: DemoOwners;
  /** Gives each account of a scenario a client of its own. */
  readonly admit: (accounts: Scenario['accounts']) => Promise<void>;
  /** Ends sign-ins, and refresh tokens with them. */
  readonly endGrants: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const authPath = '/auth';
const apiPath = '/v1';
/** They are made at each start, of 100 bits that nobody chose: stretching adds nothing but seconds. */
const passwordCost = 12;
const passwords = createPasswords({ ln: passwordCost });

/**
 * The service's own OAuth server and token check, on a store of its own with the demo's accounts, clients and owners. It outlasts every reset,
 * so that whoever has a token goes on with it; what tokens act on is the world's. Tokens end with the process.
 */
export async function createSandboxOAuth(options: SandboxOAuthOptions): Promise<SandboxOAuth> {
  const { origin, keys, logger, loopbackCallbacks, lives, trialEnd } = options;
  const issuer = origin + authPath;
  const audience = origin + apiPath;
  const start = Math.floor(systemClock.now() / 1000) * 1000;
  const { image, clients: seeded, owners } = await drawStore(keys, loopbackCallbacks);
  const store = openStoreImage(image);
  const { provider, callback } = createAuthServer({
    issuer,
    resource: audience,
    store,
    keys,
    scopes: apiScopes,
    log: logger,
    passwords,
    loopbackCallbacks,
    accessTokenSeconds: lives.next,
  });
  provider.on('access_token.issued', ({ jti }) => lives.issued(jti));
  provider.on('client_credentials.issued', ({ jti }) => lives.issued(jti));
  const principals: PrincipalStore = {
    find: async (clientId, subject) => {
      const found = await store.principals.find(clientId, subject);
      return (
        found && {
          ...found,
          trialEndsAt: trialEnd(found.accountId),
          // The keys outlive this start, the revocations do not: a token of before could be one that was revoked. One of the
          // very second of the start stays good, since `iat` has whole seconds.
          tokensValidAfter: Math.max(start, found.tokensValidAfter),
        }
      );
    },
  };
  // A token that lives for seconds is not to live for some more.
  const verifyToken = createTokenVerifier({
    store: { principals },
    issuer,
    audience,
    jwks: keys.jwks,
    clockTolerance: 0,
  });
  const stopPurging = startPurging(store, logger);
  const clients = [...seeded];
  return {
    authServer: { basePath: authPath, callback },
    verifyToken: lives.judge(verifyToken),
    clients: () => clients,
    owners,
    admit: async (accounts) => {
      for (const { id, name } of accounts) {
        if ((await store.accounts.find(id)) !== undefined) continue;
        await store.accounts.put({ id, name, trialEndsAt: null });
        const clientId = `${id}-own`;
        const own = { kind: 'own', clientId, name: `${name}, every scope`, ownerAccount: id } as const;
        const { secret, metadata } = createClientMetadata({ ...own, secret: deriveDemoSecret(keys.demoKey, clientId) });
        await store.clients.create({ clientId, metadata });
        clients.push({ clientId, secret, account: name, kind: 'own', redirectUris: [] });
      }
    },
    endGrants: async () => {
      const at = systemClock.now();
      for (const { id: ownerId, accountId } of demoOwners) {
        const entry = { at, accountId, clientId: '', action: 'log_out', deviceId: null, requestId: null, ownerId };
        await store.owners.logOutEverywhere(ownerId, at, entry);
      }
    },
    close: async () => {
      stopPurging();
      await store.close();
    },
  };
}

interface DrawnStore {
  readonly image: Uint8Array;
  readonly clients: DemoClients;
  readonly owners: DemoOwners;
}

/** One for keys and callbacks: all sandboxes of a process begin with the same clients and owners. */
const drawn = new WeakMap<Keys, Map<string, Promise<DrawnStore>>>();

function drawStore(keys: Keys, loopbackCallbacks: readonly string[]): Promise<DrawnStore> {
  const ofKeys = drawn.get(keys) ?? new Map<string, Promise<DrawnStore>>();
  drawn.set(keys, ofKeys);
  const name = loopbackCallbacks.join(' ');
  const known = ofKeys.get(name) ?? seedStore(keys, loopbackCallbacks);
  ofKeys.set(name, known);
  return known;
}

async function seedStore(keys: Keys, loopbackCallbacks: readonly string[]): Promise<DrawnStore> {
  const now = systemClock.now();
  const seeded = Promise.withResolvers<Omit<DrawnStore, 'image'>>();
  const image = await makeImage(async (store) => {
    await seedDemoAccounts(store, now);
    const clients = await seedDemoClients(store, { keys, now, loopbackCallbacks });
    seeded.resolve({ clients, owners: await seedDemoOwners(store, { keys, now, passwords }) });
  });
  return { image, ...(await seeded.promise) };
}
