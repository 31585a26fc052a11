import { hkdfSync } from 'node:crypto';
import type { Keys } from './keys.ts';
import type { Store } from './store/store.ts';
import { StoreUnusable } from './store/store-unusable.ts';

/**
 * Binds a database to the key file that it is first used with: under another one every code and every id made of one would be another,
 * and nothing sealed could be opened. What is kept says nothing of the keys.
 *
 * @throws StoreUnusable `other_keys`
 * @see RFC 5869; the info string keeps the value apart from everything else derived by HKDF
 */
export async function requireOwnKeys(
  { keyCheck }: Pick<Store, 'keyCheck'>,
  { deviceKey }: Pick<Keys, 'deviceKey'>,
): Promise<void> {
  const check = Buffer.from(hkdfSync('sha256', deviceKey, '', 'lockstep/key-check/v1', 16)).toString('base64url');
  if ((await keyCheck.keep(check)) !== check)
    throw new StoreUnusable(
      'other_keys',
      'The database belongs to another key file, and under this one all codes would change: bring that file back (LOCKSTEP_KEYS).',
    );
}
