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

/** What a start prints, so that somebody can paste it: without a client whose secret was rotated, which only whoever did that knows. */
export type DemoClients = readonly {
  readonly clientId: string;
  readonly secret: string;
  /** Name of the account that an own-account client acts for; null for a partner. */
  readonly account: string | null;
  readonly kind: 'own' | 'partner';
  /** Where a partner can be called back; none for others. */
  readonly redirectUris: readonly string[];
}[];

export interface SeedOptions {
  readonly keys: Pick<Keys, 'demoKey'>;
  readonly now: EpochMilliseconds;
  /** What partners have besides their own callbacks; none when left out. */
  readonly loopbackCallbacks?: readonly string[] | undefined;
}

/** The database was seeded under another key file: the secrets derived from this one open nothing. */
export class DemoKeyMismatch extends WrongUse {
  override readonly name = 'DemoKeyMismatch';
}

/**
 * Fills a store with the demo data. A second call changes nothing: times stay those of the first, and so does what has
 * been changed since, a secret too.
 *
 * @throws DemoKeyMismatch when the store was seeded with another `keys.demoKey`
 */
export async function seedDemo(store: Store, options: SeedOptions): Promise<DemoClients> {
  await seedDemoData(store, options.now);
  return seedDemoClients(store, options);
}

/** What a client acts on: accounts, properties, devices and their activity. A second call changes nothing. */
export async function seedDemoData(store: Store, now: EpochMilliseconds): Promise<void> {
  await seedDemoAccounts(store, now);
  await seedDevices(store, toSecond(now));
  await seedDemoActivity(store);
}

/** The clients of the demo, in a store that has its accounts. */
export async function seedDemoClients(store: Pick<Store, 'clients'>, options: SeedOptions): Promise<DemoClients> {
  const seeded = [];
  for (const client of demoClients) seeded.push(await seedClient(store, client, options));
  return seeded.filter((client) => client !== undefined);
}

/** The accounts of the demo without anything in them. A second call changes nothing. */
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
  // One transaction wrote all devices, so one of them there means that all were.
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
    // Another key file can't hide behind this: the clients that were not rotated tell it, and so does the check of the whole database.
    if (kept.secret_rotated_at !== undefined) return undefined;
    throw new DemoKeyMismatch(
      `the database has the client ${clientId} under another key file: bring that file back, or delete the database to begin anew`,
    );
  }
  const owner = kind === 'own' ? demoAccounts.find(({ id }) => id === client.ownerAccount) : undefined;
  return { clientId, secret, account: owner?.name ?? null, kind, redirectUris: kept.redirect_uris };
}

/**
 * The same key file gives the same secrets at each start. The store keeps their hashes alone; a start writes them in clear into the access
 * file beside the key file, which its owner alone may read (0600). 256 bits in `[A-Za-z0-9_-]`, since Basic credentials are form-decoded and
 * many a client does not encode them (RFC 6749, 2.3.1).
 *
 * @see RFC 5869; the info string keeps these secrets apart from everything else derived by HKDF
 */
export function deriveDemoSecret(demoKey: Uint8Array, clientId: string): string {
  return Buffer.from(hkdfSync('sha256', demoKey, '', `lockstep demo client secret ${clientId}`, 32)).toString(
    'base64url',
  );
}
