import { hkdfSync } from 'node:crypto';

const keyBytes = 32;

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
