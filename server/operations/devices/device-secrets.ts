import { hkdfSync } from 'node:crypto';

/**
 * The Bluetooth key of a device, `admin_key` of the contract: 32 bytes in base64, the same in every call.
 *
 * Derived by HKDF-SHA-256 with its own info string (RFC 5869, 3.2): `lockRef` and the key of the offline codes come from the same input
 * key, but reveal nothing about it. A device id has no `/`, so no two info strings are equal.
 *
 * @param deviceKey 32 bytes of the key file; uniformly random already, hence no salt (RFC 5869, 3.1)
 */
export function deriveAdminKey(deviceKey: Uint8Array, deviceId: string): string {
  return derive(deviceKey, `lockstep/admin-key/v1/${deviceId}`, 32).toString('base64');
}

/**
 * The name of the lock in pushed activity logs, `lockRef` of the contract: 32 characters of base64url, the same in every call. It has 24
 * bytes, so nobody can guess another lock's. The device id can't be derived from it.
 *
 * @param deviceKey as for {@link deriveAdminKey}
 */
export function deriveLockRef(deviceKey: Uint8Array, deviceId: string): string {
  return derive(deviceKey, `lockstep/lock-ref/v1/${deviceId}`, 24).toString('base64url');
}

function derive(deviceKey: Uint8Array, info: string, lengthBytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', deviceKey, '', info, lengthBytes));
}
