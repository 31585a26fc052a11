import { hkdfSync } from 'node:crypto';
import { WrongUse } from '@lockstep/shell/wrong-use';
import type { EpochMilliseconds } from '../clock.ts';
import type { Keys } from '../keys.ts';
import { clientSecretMatches, type KeptSecrets } from '../oauth/client-secrets.ts';
import { createClientMetadata } from '../oauth/create-client-metadata.ts';
import type { Store } from '../store/store.ts';
import { seedDemoActivity } from './demo-activity.ts';
import { demoClients } from './demo-clients.ts';
import { demoAccounts, demoDevices, demoProperties } from './demo-data.ts';

/** The clients that a start prints. A client whose secret was rotated is omitted, since the demo does not know it. */
export type DemoClients = readonly {
  readonly clientId: string;
  readonly secret: string;
  /** Name of the account that an own-account client acts for; null for a partner. */
  readonly account: string | null;
  readonly kind: 'own' | 'partner';
  /** Callback URLs of a partner; none for others. */
  readonly redirectUris: readonly string[];
}[];

export interface SeedOptions {
  readonly keys: Pick<Keys, 'demoKey'>;
  readonly now: EpochMilliseconds;
  /** Further callbacks of every partner; none when omitted. */
  readonly loopbackCallbacks?: readonly string[] | undefined;
}

/** The database was seeded under another key file: the secrets derived from this one are not valid. */
export class DemoKeyMismatch extends WrongUse {
  override readonly name = 'DemoKeyMismatch';
}

/**
 * Fills a store with the demo data. A second call changes nothing: the times of the first call and all later changes stay, rotated secrets
 * included.
 *
 * @throws DemoKeyMismatch when the store was seeded with another `keys.demoKey`
 */
export async function seedDemo(store: Store, options: SeedOptions): Promise<DemoClients> {
  await seedDemoData(store, options.now);
  return seedDemoClients(store, options);
}

/** Adds accounts, properties, devices and their activity. A second call changes nothing. */
export async function seedDemoData(store: Store, now: EpochMilliseconds): Promise<void> {
  await seedDemoAccounts(store, now);
  await seedDevices(store, toSecond(now));
  await seedDemoActivity(store);
}

/** Adds the clients of the demo to a store that has its accounts. */
export async function seedDemoClients(store: Pick<Store, 'clients'>, options: SeedOptions): Promise<DemoClients> {
  const seeded = [];
  for (const client of demoClients) seeded.push(await seedClient(store, client, options));
  return seeded.filter((client) => client !== undefined);
}

/** Adds the accounts of the demo alone. A second call changes nothing. */
export async function seedDemoAccounts({ accounts }: Pick<Store, 'accounts'>, now: EpochMilliseconds): Promise<void> {
  for (const { id, name, trialEndsAfter } of demoAccounts) {
    if ((await accounts.find(id)) !== undefined) continue;
    await accounts.put({ id, name, trialEndsAt: trialEndsAfter === null ? null : toSecond(now) + trialEndsAfter });
  }
}

function toSecond(at: EpochMilliseconds): EpochMilliseconds {
  return Math.floor(at / 1000) * 1000;
}

async function seedDevices(store: Store, now: EpochMilliseconds): Promise<void> {
  // One transaction writes all devices: if one exists, all were written.
  const first = demoDevices[0];
  if (first === undefined || (await store.devices.find(first.accountId, first.deviceId)) !== undefined) return;
  await store.imports.write({
    properties: demoProperties,
    devices: demoDevices.map(({ pairedBefore, syncedBefore, ...device }) => ({
      ...device,
      pairedAt: now - pairedBefore,
      lastSyncAt: now - syncedBefore,
    })),
  });
}

async function seedClient(
  store: Pick<Store, 'clients'>,
  client: (typeof demoClients)[number],
  { keys, now, loopbackCallbacks = [] }: SeedOptions,
): Promise<DemoClients[number] | undefined> {
  const { clientId, kind } = client;
  const { secret, metadata } = createClientMetadata({
    ...client,
    secret: deriveDemoSecret(keys.demoKey, clientId),
    ...(kind === 'partner' && { loopbackCallbacks }),
  });
  await store.clients.create({ clientId, metadata });
  const kept: KeptSecrets & { readonly redirect_uris: readonly string[] } = JSON.parse(
    (await store.clients.find(clientId))?.metadata ?? metadata,
  );
  if (!clientSecretMatches(secret, kept, Math.floor(now / 1000))) {
    // This does not hide another key file: the other clients detect it, and so does the key check of the database.
    if (kept.secret_rotated_at !== undefined) return undefined;
    throw new DemoKeyMismatch(
      `the database has the client ${clientId} under another key file: restore that file, or delete the database to start again`,
    );
  }
  const owner = kind === 'own' ? demoAccounts.find(({ id }) => id === client.ownerAccount) : undefined;
  return { clientId, secret, account: owner?.name ?? null, kind, redirectUris: kept.redirect_uris };
}

/**
 * The same key file gives the same secrets at each start. The store has only their hashes; a start writes them in clear into the access
 * file next to the key file, which only its user may read (0600). 256 bits in `[A-Za-z0-9_-]`, since Basic credentials are form-decoded and
 * some clients do not encode them (RFC 6749, 2.3.1).
 *
 * @see RFC 5869; the info string keeps these secrets apart from everything else derived by HKDF
 */
export function deriveDemoSecret(demoKey: Uint8Array, clientId: string): string {
  return Buffer.from(hkdfSync('sha256', demoKey, '', `lockstep demo client secret ${clientId}`, 32)).toString(
    'base64url',
  );
}
