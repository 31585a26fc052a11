import { hkdfSync } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';
import type { Keys } from '../keys.ts';
import { type Passwords, spellPassword } from '../oauth/passwords.ts';
import type { Store } from '../store/store.ts';
import { demoAccounts, harbourStays, lapsedRentals, meadowLodge } from './demo-data.ts';

/** The owners of the demo: one person for each account. */
export const demoOwners = [
  { id: 'owner-65d000000000000000000001', email: 'owner@harbour.example', accountId: harbourStays },
  { id: 'owner-65d000000000000000000002', email: 'owner@meadow.example', accountId: meadowLodge },
  { id: 'owner-65d000000000000000000003', email: 'owner@lapsed.example', accountId: lapsedRentals },
] as const;

/** The logins that a start prints. An owner whose password was changed is omitted, since the demo does not know it. */
export type DemoOwners = readonly {
  readonly email: string;
  readonly password: string;
  /** Name of the account. */
  readonly account: string;
}[];

/**
 * Adds the owners to a store that has the demo's accounts. A second call changes nothing, and keeps later changes.
 *
 * @param passwords any cost is enough for 100 random bits
 */
export async function seedDemoOwners(
  store: Pick<Store, 'owners'>,
  options: {
    readonly keys: Pick<Keys, 'demoKey'>;
    readonly now: EpochMilliseconds;
    readonly passwords: Pick<Passwords, 'hash'>;
  },
): Promise<DemoOwners> {
  const seeded = await Promise.all(demoOwners.map((owner) => seedOwner(store, owner, options)));
  return seeded.filter((owner) => owner !== undefined);
}

async function seedOwner(
  { owners }: Pick<Store, 'owners'>,
  { id, email, accountId }: (typeof demoOwners)[number],
  { keys, now, passwords }: Parameters<typeof seedDemoOwners>[1],
): Promise<DemoOwners[number] | undefined> {
  const account = demoAccounts.find((one) => one.id === accountId)?.name ?? accountId;
  const password = deriveDemoPassword(keys.demoKey, email);
  const there = await owners.find(id);
  if (there !== undefined) return there.passwordSetAt === there.createdAt ? { email, password, account } : undefined;
  const owner = { id, accountId, email, name: `Owner of ${account}` };
  // Another owner may have the e-mail by now, and keeps it.
  const created = await owners.create({ ...owner, passwordHash: await passwords.hash(password), createdAt: now });
  return created ? { email, password, account } : undefined;
}

/**
 * The same key file gives the same passwords at each start. The store has only their hashes; a start writes them in clear into the access
 * file next to the key file, which only its user may read (0600).
 *
 * @see RFC 5869; the info string keeps these apart from everything else derived by HKDF
 */
export function deriveDemoPassword(demoKey: Uint8Array, email: string): string {
  return spellPassword(new Uint8Array(hkdfSync('sha256', demoKey, '', `lockstep demo owner password ${email}`, 20)));
}
