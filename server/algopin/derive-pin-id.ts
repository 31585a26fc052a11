import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

const keyBytes = 32;
const idBytes = 12;

/**
 * The id of a code. The same digits on the same device have the same id, so that an activity entry finds its code by a look-up.
 * Without the master key an id can't be turned into digits by trying all of them.
 *
 * @param masterKey 32 random bytes, never changed in place
 * @param pin nine digits; their fixed length keeps device and digits apart
 * @returns 24 hexadecimal digits, lower case: the first 12 bytes of HMAC-SHA-256 of `<deviceId>/<pin>`, under the HKDF-SHA-256 of the
 *   master key with an empty salt and the info `lockstep/algopin/pin-id/v1`
 */
export function derivePinId(masterKey: Uint8Array, deviceId: string, pin: string): string {
  const mac = createHmac('sha256', keyOf(masterKey)).update(`${deviceId}/${pin}`).digest();
  return mac.subarray(0, idBytes).toString('hex');
}

/** One key per master key: deriving it takes twelve times as long as the HMAC, and a push of activity needs a hundred ids. */
const keys = new WeakMap<Uint8Array, KeyObject>();

function keyOf(masterKey: Uint8Array): KeyObject {
  const known = keys.get(masterKey);
  if (known !== undefined) return known;
  const bytes = hkdfSync('sha256', masterKey, new Uint8Array(0), 'lockstep/algopin/pin-id/v1', keyBytes);
  const key = createSecretKey(new Uint8Array(bytes));
  keys.set(masterKey, key);
  return key;
}
