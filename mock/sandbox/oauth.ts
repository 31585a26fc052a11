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
  /** Address that clients use. Issuer and audience carry it, so that it must be known before. */
  readonly origin: string;
  /** Secrets and passwords follow from them: the same keys, the same secrets. */
  readonly keys: Keys;
  readonly logger: Logger;
  /** http addresses of this machine that partners may be called back at. */
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
  /** Gives each account of a scenario that the demo has not a client of its own; those of the scenario before end, with their tokens. */
  readonly admit: (accounts: Scenario['accounts']) => void;
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
 * so that whoever has a token goes on with it; what tokens act on is the instance's. Tokens end with the process. What files bring stands beside
 * the store, so that it ends with them, in the very step in which their instance does.
 */
export async function createSandboxOAuth(options: SandboxOAuthOptions): Promise<SandboxOAuth> {
  const { origin, keys, logger, loopbackCallbacks, lives, trialEnd } = options;
  const issuer = origin + authPath;
  const audience = origin + apiPath;
  const start = Math.floor(systemClock.now() / 1000) * 1000;
  const { image, clients: seeded, owners } = await drawStore(keys, loopbackCallbacks);
  const kept = openStoreImage(image);
  let brought: ReadonlyMap<string, BroughtClient> = new Map();
  const store: Store = {
    ...kept,
    clients: { ...kept.clients, find: async (id) => brought.get(id)?.record ?? kept.clients.find(id) },
    accounts: { ...kept.accounts, find: async (id) => findBrought(id)?.owner ?? kept.accounts.find(id) },
    principals: {
      find: async (clientId, subject) => {
        const owner = brought.get(clientId)?.owner;
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
    return answer;
  }, logger);
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
  return {
    authServer: { basePath: authPath, callback },
    verifyToken: lives.judge(verifyToken),
    clients: () => [...seeded, ...[...brought.values()].map(({ shown }) => shown)],
    owners,
    admit: (accounts) => {
      brought = createBroughtClients(accounts, seeded, keys);
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

  function findBrought(accountId: string): BroughtClient | undefined {
    return brought.values().find(({ owner }) => owner.id === accountId);
  }
}

/** The client of an account that files brought. */
interface BroughtClient {
  readonly record: ClientRecord;
  readonly owner: Account;
  readonly shown: DemoClients[number];
}

/** @returns by client id */
function createBroughtClients(
  accounts: Scenario['accounts'],
  seeded: DemoClients,
  keys: Keys,
): ReadonlyMap<string, BroughtClient> {
  // Of several files for one account the last names it, as in the store.
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
        // Shown nowhere. That of the account may be as long as a client's can be, and have spaces around it, which a client's can't.
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

/** As long as a client id can be, which is also as long as that of an account can. */
const longestId = 64;

/**
 * `hilltop-own`, or with a number where that is the id of a client or an account, or too long: the account `demo` gets `demo-own-2`.
 * No client may be called as an account is (RFC 9068, 5).
 */
function chooseClientId(accountId: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '-own' : `-own-${number}`;
    const clientId = (number === 1 ? accountId : accountId.slice(0, longestId - end.length)) + end;
    if (clientId.length <= longestId && !taken.has(clientId)) return clientId;
  }
}

/** A fifth of a start, which is for whoever asks for a token first. Others who come meanwhile wait for the same. */
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
        // Not kept: the next request tries again.
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

/** One for keys and callbacks: all sandboxes of a process begin with the same clients and owners. */
const drawn = new WeakMap<Keys, Map<string, Promise<DrawnStore>>>();

function drawStore(keys: Keys, loopbackCallbacks: readonly string[]): Promise<DrawnStore> {
  const ofKeys = drawn.get(keys) ?? new Map<string, Promise<DrawnStore>>();
  drawn.set(keys, ofKeys);
  const name = loopbackCallbacks.join(' ');
  const known = ofKeys.get(name);
  if (known !== undefined) return known;
  const seeding = seedStore(keys, loopbackCallbacks);
  ofKeys.set(name, seeding);
  // Not kept: the next one tries again.
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
