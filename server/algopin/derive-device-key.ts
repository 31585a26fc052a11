import { createHmac, hkdfSync } from 'node:crypto';

const keyBytes = 32;
const checkBytes = 4;

/**
 * The key that one device shares with the service. It tells nothing of another device's, nor of the master key.
 *
 * @param masterKey 32 random bytes
 * @param generation counts the pairings, from 1. The next one ends every code of those before it, the only way to end a stolen
 *   permanent code from afar.
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
 * A value that two who hold the same key can compare aloud: the key check value of payment terminals (ANSI X9.24-1), here by HMAC, so
 * that nothing that FF1 ever encrypts goes into it.
 *
 * @param deviceKey 32 bytes
 * @returns 8 hexadecimal digits, lower case: the first 4 bytes of HMAC-SHA-256 (RFC 2104) of `lockstep/algopin/key-check/v1` under the key. A
 *   wrong key has it once in 4,294,967,296. It tells 32 of the key's 256 bits at most, which leaves a guesser nothing to do.
 * @throws RangeError for a key of another length
 */
export function deriveKeyCheck(deviceKey: Uint8Array): string {
  if (deviceKey.length !== keyBytes)
    throw new RangeError(`the device key must be ${keyBytes} bytes, not ${deviceKey.length}`);
  const mac = createHmac('sha256', deviceKey).update('lockstep/algopin/key-check/v1').digest();
  return mac.subarray(0, checkBytes).toString('hex');
}
