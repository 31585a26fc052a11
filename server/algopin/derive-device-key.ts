import { createHmac, hkdfSync } from 'node:crypto';

const keyBytes = 32;
const checkBytes = 4;

/**
 * The key that one device shares with the service. It reveals nothing about the keys of other devices, nor about the master key.
 *
 * @param masterKey 32 random bytes
 * @param generation number of the pairing, from 1. A new pairing invalidates every code of earlier ones: the only way to invalidate a
 *   stolen permanent code remotely.
 * @returns 32 bytes: HKDF-SHA-256 (RFC 5869) with an empty salt and the info `lockstep/algopin/v1/<deviceId>/<generation>`
 * @throws RangeError for a master key of another length, or a generation below 1
 */
export function deriveDeviceKey(masterKey: Uint8Array, deviceId: string, generation: number): Uint8Array {
  if (masterKey.length !== keyBytes)
    throw new RangeError(`the master key must be ${keyBytes} bytes, not ${masterKey.length}`);
  if (!Number.isInteger(generation) || generation < 1)
    throw new RangeError(`the generation must be a whole number from 1 on, not ${generation}`);
  const info = `lockstep/algopin/v1/${deviceId}/${generation}`;
  return new Uint8Array(hkdfSync('sha256', masterKey, new Uint8Array(0), info, keyBytes));
}

/**
 * A value by which two people compare their keys aloud: the key check value of payment terminals (ANSI X9.24-1). It is computed by HMAC
 * here, so that it is independent of every text that FF1 encrypts.
 *
 * @param deviceKey 32 bytes
 * @returns 8 hexadecimal digits, lower case: the first 4 bytes of HMAC-SHA-256 (RFC 2104) of `lockstep/algopin/key-check/v1` under the key. A
 *   wrong key has the same value once in 4,294,967,296. It reveals at most 32 of the key's 256 bits, which does not help a guesser.
 * @throws RangeError for a key of another length
 */
export function deriveKeyCheck(deviceKey: Uint8Array): string {
  if (deviceKey.length !== keyBytes)
    throw new RangeError(`the device key must be ${keyBytes} bytes, not ${deviceKey.length}`);
  const mac = createHmac('sha256', deviceKey).update('lockstep/algopin/key-check/v1').digest();
  return mac.subarray(0, checkBytes).toString('hex');
}
