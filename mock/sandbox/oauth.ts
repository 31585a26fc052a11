import { systemClock } from '@lockstep/server/clock';
import { demoAccounts } from '@lockstep/server/demo/demo-data';
import { type DemoOwners, demoOwners, seedDemoOwners } from '@lockstep/server/demo/demo-owners';
import { type DemoClients, deriveDemoSecret, seedDemoAccounts, seedDemoClients } from '@lockstep/server/demo/seed-demo';
import type { VerifyToken } from '@lockstep/server/http/token-scheme';
import type { Keys } from '@lockstep/server/keys';
import { createClientMetadata } from '@lockstep/server/oauth/create-client-metadata';
import { createPasswords } from '@lockstep/server/oauth/passwords';
import { apiScopes } from '@lockstep/server/oauth/scopes';
import { createTokenVerifier } from '@lockstep/server/oauth/verify-token';
import { startPurging } from '@lockstep/server/start-purging';
import type { Account } from '@lockstep/server/store/records';
import { makeImage, openStoreImage } from '@lockstep/server/store/sqlite/store-image';
import type { ClientRecord, PrincipalStore, Store } from '@lockstep/server/store/store';
import type { Logger } from 'pino';
import type { AuthServer } from '../auth-server.ts';
import type { Scenario } from './scenarios.ts';
import type { ServiceInstance } from './service-instance.ts';
import type { TokenLives } from './tokens.ts';

export interface SandboxOAuthOptions {
  /** Address that clients use. Issuer and audience contain it. */
  readonly origin: string;
  /** Before each path of the sandbox, for clients: `/w/test-7`. Requests arrive without it. */
  readonly prefix: string;
  /** Secrets and passwords are derived from them. */
  readonly keys: Keys;
  readonly logger: Logger;
  /** http addresses of this machine that partners may use as callbacks. */
  readonly loopbackCallbacks: readonly string[];
  readonly lives: TokenLives;
  /** End of an account's trial. */
  readonly trialEnd: ServiceInstance['trialEnd'];
}

export interface SandboxOAuth {
  readonly authServer: AuthServer;
  readonly verifyToken: VerifyToken;
  /** Clients of the demo, and one for each account that the scenario adds. */
  readonly clients: () => DemoClients;
  readonly owners: DemoOwners;
  /** Creates a client for each account of a scenario that is not in the demo. Clients of the earlier scenario are removed, with their tokens. */
  readonly admit: (accounts: Scenario['accounts']) => void;
  /** Revokes sign-ins and their refresh tokens. */
  readonly endGrants: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const authPath = '/auth';
const apiPath = '/v1';
/** Passwords are derived from 100 random bits: a higher cost would only add seconds to a start. */
const passwordCost = 12;
const passwords = createPasswords({ ln: passwordCost });

/**
 * The OAuth server and token check of the service, on their own store with the demo's accounts, clients and owners. They outlast every reset, so that
 * tokens stay valid until the process exits. Clients of import files are kept next to the store, and are removed in the same step as the instance
 * of these files.
 */
export async function createSandboxOAuth(options: SandboxOAuthOptions): Promise<SandboxOAuth> {
  const { origin, prefix, keys, logger, loopbackCallbacks, lives, trialEnd } = options;
  const issuer = origin + prefix + authPath;
  const audience = origin + prefix + apiPath;
  const start = Math.floor(systemClock.now() / 1000) * 1000;
  const { image, clients: seeded, owners } = await drawStore(keys, loopbackCallbacks);
  const kept = openStoreImage(image);
  let imported: ReadonlyMap<string, ImportedClient> = new Map();
  const store: Store = {
    ...kept,
    clients: { ...kept.clients, find: async (id) => imported.get(id)?.record ?? kept.clients.find(id) },
    accounts: { ...kept.accounts, find: async (id) => findImported(id)?.owner ?? kept.accounts.find(id) },
    principals: {
      find: async (clientId, subject) => {
        const owner = imported.get(clientId)?.owner;
        if (owner === undefined) return kept.principals.find(clientId, subject);
        const isOwn = subject.kind === 'own' && subject.accountId === owner.id;
        return isOwn ? { accountId: owner.id, trialEndsAt: null, tokensValidAfter: 0 } : undefined;
      },
    },
  };
  const callback = loadWhenAsked(async () => {
    const { createAuthServer } = await import('@lockstep/server/oauth/provider');
    const { provider, callback: answer } = createAuthServer({
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
    return (request, response) => {
      // Its addresses, cookies and pages are those of the issuer.
      request.url = prefix + (request.url ?? '/');
      answer(request, response);
    };
  }, logger);
  const principals: PrincipalStore = {
    find: async (clientId, subject) => {
      const found = await store.principals.find(clientId, subject);
      return (
        found && {
          ...found,
          trialEndsAt: trialEnd(found.accountId),
          // The keys outlive a start, revocations do not: an earlier token may have been revoked. A token of the second of
          // the start stays valid, since `iat` has whole seconds.
          tokensValidAfter: Math.max(start, found.tokensValidAfter),
        }
      );
    },
  };
  // A tolerance would extend the life of tokens that live for seconds.
  const verifyToken = createTokenVerifier({
    store: { principals },
    issuer,
    audience,
    jwks: keys.jwks,
    clockTolerance: 0,
  });
  const stopPurging = startPurging(store, logger);
  return {
    authServer: { basePath: authPath, callback },
    verifyToken: lives.judge(verifyToken),
    clients: () => [...seeded, ...[...imported.values()].map(({ shown }) => shown)],
    owners,
    admit: (accounts) => {
      imported = createImportedClients(accounts, seeded, keys);
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
      await kept.close();
    },
  };

  function findImported(accountId: string): ImportedClient | undefined {
    return imported.values().find(({ owner }) => owner.id === accountId);
  }
}

/** The client of an account from import files. */
interface ImportedClient {
  readonly record: ClientRecord;
  readonly owner: Account;
  readonly shown: DemoClients[number];
}

/** @returns by client id */
function createImportedClients(
  accounts: Scenario['accounts'],
  seeded: DemoClients,
  keys: Keys,
): ReadonlyMap<string, ImportedClient> {
  // If several files have the same account, the last gives its name, as in the store.
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  for (const { id } of demoAccounts) names.delete(id);
  const taken = new Set([...seeded.map(({ clientId }) => clientId), ...names.keys()]);
  return new Map(
    [...names].map(([id, name]) => {
      const clientId = chooseClientId(id, taken);
      taken.add(clientId);
      const { secret, metadata } = createClientMetadata({
        kind: 'own',
        clientId,
        // Shown nowhere. The name of the account may be too long for a client, or have spaces around it.
        name: clientId,
        ownerAccount: id,
        secret: deriveDemoSecret(keys.demoKey, clientId),
      });
      const from = { disabledAt: null, tokensValidAfter: null };
      return [
        clientId,
        {
          record: { clientId, metadata, ...from },
          owner: { id, name, trialEndsAt: null, ...from },
          shown: { clientId, secret, account: name, kind: 'own', redirectUris: [] },
        },
      ];
    }),
  );
}

/** Greatest length of ids of clients and accounts. */
const longestId = 64;

/**
 * `hilltop-own`, with a number if that is already an id of a client or an account, or too long: the account `demo` gets `demo-own-2`.
 * A client and an account must not share an id (RFC 9068, 5).
 */
function chooseClientId(accountId: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '-own' : `-own-${number}`;
    const clientId = (number === 1 ? accountId : accountId.slice(0, longestId - end.length)) + end;
    if (clientId.length <= longestId && !taken.has(clientId)) return clientId;
  }
}

/** Loading takes a fifth of a start, so the first token request does it. Concurrent requests wait for the same promise. */
function loadWhenAsked(load: () => Promise<AuthServer['callback']>, logger: Logger): AuthServer['callback'] {
  let loading: Promise<AuthServer['callback']> | undefined;
  let loaded: AuthServer['callback'] | undefined;
  return (request, response) => {
    if (loaded !== undefined) return loaded(request, response);
    loading ??= load();
    loading
      .then((answer) => {
        loaded = answer;
        answer(request, response);
      })
      .catch((err: unknown) => {
        // The failure is not cached: the next request tries again.
        loading = undefined;
        logger.error({ err }, 'the authorization server failed');
        response.destroy();
      });
  };
}

interface DrawnStore {
  readonly image: Uint8Array;
  readonly clients: DemoClients;
  readonly owners: DemoOwners;
}

/** Images of the store by keys and callbacks: all sandboxes of a process start with the same clients and owners. */
const drawn = new WeakMap<Keys, Map<string, Promise<DrawnStore>>>();

function drawStore(keys: Keys, loopbackCallbacks: readonly string[]): Promise<DrawnStore> {
  const ofKeys = drawn.get(keys) ?? new Map<string, Promise<DrawnStore>>();
  drawn.set(keys, ofKeys);
  const name = loopbackCallbacks.join(' ');
  const known = ofKeys.get(name);
  if (known !== undefined) return known;
  const seeding = seedStore(keys, loopbackCallbacks);
  ofKeys.set(name, seeding);
  // The failure is not cached: the next call tries again.
  seeding.catch(() => ofKeys.delete(name));
  return seeding;
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
