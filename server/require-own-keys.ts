import { hkdfSync } from 'node:crypto';
import type { Keys } from './keys.ts';
import type { Store } from './store/store.ts';
import { StoreUnusable } from './store/store-unusable.ts';

/**
 * Binds a database to the key file of its first use: under another one all codes and their ids would change, and no sealed data could be
 * opened. The stored value reveals nothing about the keys.
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
      'The database belongs to another key file, and under this one all codes would change: restore that file (LOCKSTEP_KEYS).',
    );
}
