import { hkdfSync } from 'node:crypto';

/**
 * The Bluetooth key of a device, `admin_key` of the contract: 32 bytes in base64, the same in every call.
 *
 * Derived by HKDF-SHA-256 under an info string of its own (RFC 5869, 3.2), so that neither `lockRef` nor the key of the offline codes,
 * which come from the same input key, tells anything of it. A device id has no `/`: no two infos meet.
 *
 * @param deviceKey 32 bytes of the key file; uniformly random already, hence no salt (RFC 5869, 3.1)
 */
export function deriveAdminKey(deviceKey: Uint8Array, deviceId: string): string {
  return derive(deviceKey, `lockstep/admin-key/v1/${deviceId}`, 32).toString('base64');
}

/**
 * The name by which pushed activity logs call the lock, `lockRef` of the contract: 32 characters of base64url, the same in every call.
 * 24 bytes, so that nobody finds another's by trying. It can't be turned back into the device id.
 *
 * @param deviceKey as for {@link deriveAdminKey}
 */
export function deriveLockRef(deviceKey: Uint8Array, deviceId: string): string {
  return derive(deviceKey, `lockstep/lock-ref/v1/${deviceId}`, 24).toString('base64url');
}

function derive(deviceKey: Uint8Array, info: string, lengthBytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', deviceKey, '', info, lengthBytes));
}
