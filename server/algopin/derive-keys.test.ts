import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deriveDeviceKey, deriveKeyCheck } from './derive-device-key.ts';
import { derivePinId } from './derive-pin-id.ts';

const masterKey = Buffer.alloc(32, 'not a real key, for tests alone ');

/** RFC 5869 for one block of output and no salt. */
function hkdf(key: Uint8Array, info: string): Buffer {
  const pseudorandomKey = createHmac('sha256', Buffer.alloc(32)).update(key).digest();
  return createHmac('sha256', pseudorandomKey).update(info).update(Uint8Array.of(1)).digest();
}

test('the key of a device is HKDF-SHA-256 under an info of its own', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.string(), fc.nat(1000), (key, device, before) => {
      const generation = before + 1;
      const want = hkdf(key, `lockstep/algopin/v1/${device}/${generation}`);
      expect(Buffer.from(deriveDeviceKey(key, device, generation))).toEqual(want);
    }),
  );
});

test('another device, generation or master key has another key', () => {
  const keys = [
    deriveDeviceKey(masterKey, 'LK0A00000001', 1),
    deriveDeviceKey(masterKey, 'LK0A00000001', 2),
    deriveDeviceKey(masterKey, 'LK0A00000001', 11),
    deriveDeviceKey(masterKey, 'LK0A00000001/1', 1),
    deriveDeviceKey(masterKey, 'LK0A00000002', 1),
    deriveDeviceKey(Buffer.alloc(32), 'LK0A00000001', 1),
  ].map((key) => Buffer.from(key).toString('hex'));
  expect(new Set(keys).size).toBe(keys.length);
});

test.each([
  { name: 'a short master key', given: () => deriveDeviceKey(masterKey.subarray(1), 'LK0A00000001', 1) },
  { name: 'generation 0', given: () => deriveDeviceKey(masterKey, 'LK0A00000001', 0) },
  { name: 'generation 1.5', given: () => deriveDeviceKey(masterKey, 'LK0A00000001', 1.5) },
])('refuses $name as a bug of the caller', ({ given }) => {
  expect(given).toThrow(RangeError);
});

test('the check value of a key is a hash under the key, and no part of it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
      const mac = createHmac('sha256', key).update('lockstep/algopin/key-check/v1').digest('hex');
      expect(deriveKeyCheck(key)).toBe(mac.slice(0, 8));
    }),
  );
  expect(() => deriveKeyCheck(masterKey.subarray(1))).toThrow(RangeError);
});

test('the id of a code is a keyed hash of device and digits', () => {
  const want = createHmac('sha256', hkdf(masterKey, 'lockstep/algopin/pin-id/v1'))
    .update('LK0A00000001/482915037')
    .digest('hex')
    .slice(0, 24);
  expect(derivePinId(masterKey, 'LK0A00000001', '482915037')).toBe(want);
  expect(derivePinId(masterKey, 'LK0A00000002', '482915037')).not.toBe(want);
  expect(derivePinId(masterKey, 'LK0A00000001', '482915038')).not.toBe(want);
  expect(derivePinId(Buffer.alloc(32), 'LK0A00000001', '482915037')).not.toBe(want);
});
