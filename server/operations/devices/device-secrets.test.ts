import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deriveAdminKey, deriveLockRef } from './device-secrets.ts';

const deviceKey = Buffer.alloc(32, 'not a real key, for tests alone ');

/** RFC 5869, 2.2 and 2.3, in its own letters, by HMAC alone. An absent salt is 32 zero bytes. */
function hkdf(ikm: Uint8Array, info: string, length: number): Buffer {
  const prk = createHmac('sha256', Buffer.alloc(32)).update(ikm).digest();
  const okm = createHmac('sha256', prk).update(info).update(Uint8Array.of(1)).digest();
  return okm.subarray(0, length);
}

describe('secrets of a device', () => {
  test('are HKDF-SHA-256 of the device key under an info each', () => {
    expect(deriveAdminKey(deviceKey, 'LK2A00000001')).toBe(
      hkdf(deviceKey, 'lockstep/admin-key/v1/LK2A00000001', 32).toString('base64'),
    );
    expect(deriveLockRef(deviceKey, 'LK2A00000001')).toBe(
      hkdf(deviceKey, 'lockstep/lock-ref/v1/LK2A00000001', 24).toString('base64url'),
    );
  });

  test('stay as they are from release to release', () => {
    expect(deriveAdminKey(deviceKey, 'LK2A00000001')).toBe('e7CXVzToZq1P4M+bEmBEt/0nSh8DG9x3ry+CWT1rpPY=');
    expect(deriveLockRef(deviceKey, 'LK2A00000001')).toBe('WuiwP7fTbHHCg9gb7hZenrVz7Q6T1jtd');
  });

  test('have the forms that the contract declares', () => {
    for (const deviceId of ['LK2A00000001', 'a', 'A_-'.repeat(10)]) {
      expect(deriveAdminKey(deviceKey, deviceId)).toMatch(/^[A-Za-z0-9+/]{43}=$/);
      expect(deriveLockRef(deviceKey, deviceId)).toMatch(/^[A-Za-z0-9_-]{32}$/);
    }
  });

  test('differ by device, by purpose and by key', () => {
    const secrets = [deviceKey, Buffer.alloc(32, 'another key that is not real ...')].flatMap((key) =>
      ['LK2A00000001', 'LK2A00000002'].flatMap((id) => [
        deriveAdminKey(key, id),
        Buffer.from(deriveLockRef(key, id), 'base64url').toString('base64'),
      ]),
    );
    expect(new Set(secrets.map((secret) => secret.slice(0, 8))).size).toBe(8);
  });
});
