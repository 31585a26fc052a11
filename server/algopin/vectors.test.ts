import { FF1 } from '@noble/ciphers/ff1.js';
import { describe, expect, test } from 'vitest';
import { Temporal } from '../temporal.ts';
import type { Code } from './code.ts';
import { deriveDeviceKey, deriveKeyCheck } from './derive-device-key.ts';
import { derivePinId } from './derive-pin-id.ts';
import { encodePin } from './encode-pin.ts';
import { planCode } from './plan-code.ts';
import { decryptFf1, encryptFf1 } from './reference/ff1.ts';
import { referenceIndex, referencePin, referenceVerdict, referenceWindow } from './reference/reference.ts';
import { formatTime } from './rules/window-fault.ts';
import vectors from './vectors.json' with { type: 'json' };
import { verifyPin } from './verify-pin.ts';
import { windowOf } from './window-of.ts';

// If these fail, locks that were built from the vectors disagree with this service.

const bytes = (hexadecimal: string) => Uint8Array.from(Buffer.from(hexadecimal, 'hex'));
const numerals = (text: string) => [...text].map((character) => Number.parseInt(character, 36));
const milliseconds = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const clock = (text: string, timeZone: string) => Temporal.Instant.from(text).toZonedDateTimeISO(timeZone);
const toCode = ({ kind, startsAt, duration, variance }: (typeof vectors.codes)[number]): Code => ({
  kind: kind as Code['kind'],
  startsAt: Temporal.Instant.from(startsAt),
  duration,
  variance,
});

describe.each(vectors.ff1)('$source', ({ key, radix, tweak, plaintext, ciphertext }) => {
  const [X, Y] = [numerals(plaintext), numerals(ciphertext)];

  test('holds for the cipher in use', () => {
    const cipher = FF1(radix, bytes(key), bytes(tweak));
    expect([cipher.encrypt(X), cipher.decrypt(Y)]).toEqual([Y, X]);
  });

  test('holds for the reference', () => {
    const parameters = { key: bytes(key), radix, tweak: bytes(tweak) };
    expect([encryptFf1(parameters, X), decryptFf1(parameters, Y)]).toEqual([Y, X]);
  });
});

test.each(vectors.deviceKeys)('device key: $source', ({ masterKey, deviceId, generation, deviceKey, keyCheck }) => {
  expect(deriveDeviceKey(bytes(masterKey), deviceId, generation)).toEqual(bytes(deviceKey));
  expect(deriveKeyCheck(bytes(deviceKey))).toBe(keyCheck);
});

test.each(vectors.pinIds)('pinId: $source', ({ masterKey, deviceId, pin, pinId }) => {
  expect(derivePinId(bytes(masterKey), deviceId, pin)).toBe(pinId);
});

describe.each(vectors.codes)('code: $source', (vector) => {
  const key = bytes(vector.deviceKey);

  test('is encoded', () => {
    expect(encodePin(key, toCode(vector))).toBe(vector.pin);
  });

  test('has its window', () => {
    const { start, end, activateBy } = windowOf(toCode(vector), vector.timeZone);
    expect({ start: formatTime(start), end: end && formatTime(end), activateBy: formatTime(activateBy) }).toEqual(
      vector.window,
    );
  });

  test('is decoded at its start', () => {
    const verdict = verifyPin(vector.pin, key, clock(vector.window.start, vector.timeZone), new Set());
    expect(verdict).toMatchObject({ accepted: true, isFirstUse: true });
    expect(verdict.accepted && { ...verdict.code }).toEqual(toCode(vector));
  });

  test('agrees with the reference', () => {
    const code = { ...toCode(vector), start: milliseconds(vector.startsAt) };
    expect(referencePin(key, code)).toBe(vector.pin);
    expect(referenceIndex(code)).toBe(vector.index);
    const { start, end, activateBy } = referenceWindow(code, vector.timeZone);
    expect({ start, end, activateBy }).toEqual({
      start: milliseconds(vector.window.start),
      end: vector.window.end === null ? Number.POSITIVE_INFINITY : milliseconds(vector.window.end),
      activateBy: milliseconds(vector.window.activateBy),
    });
  });
});

describe.each(vectors.verdicts)('verdict: $source', (vector) => {
  const key = bytes(vector.deviceKey);
  const used = new Set(vector.isUsed ? [vector.pin] : []);

  test(`is ${vector.verdict}`, () => {
    const now = clock(vector.now, vector.timeZone);
    const verdict = verifyPin(vector.pin, key, now, used, { toleranceSeconds: vector.toleranceSeconds });
    expect(verdict.accepted ? 'accepted' : verdict.reason).toBe(vector.verdict);
  });

  test('agrees with the reference', () => {
    const lock = { key, timeZone: vector.timeZone, toleranceSeconds: vector.toleranceSeconds };
    expect(referenceVerdict(lock, vector.pin, milliseconds(vector.now), vector.isUsed)).toBe(vector.verdict);
  });
});

test.each(vectors.refusals)('rejected: $source', ({ timeZone, now, request, rule, field, text, nearest }) => {
  const { startDate, endDate, kind } = request as { kind: Code['kind']; startDate?: string; endDate?: string };
  const plan = planCode(
    {
      kind,
      startDate: startDate === undefined ? undefined : Temporal.Instant.from(startDate),
      endDate: endDate === undefined ? undefined : Temporal.Instant.from(endDate),
      written: { startDate, endDate },
    },
    clock(now, timeZone),
  );
  expect(plan.kind === 'fault' && plan.fault).toMatchObject({ rule, field, text, nearest });
});

test('every vector names its source', () => {
  const { about, ...tables } = vectors;
  expect(about).toContain('docs/algopin.md');
  const sources = Object.values(tables).flatMap((table) => table.map(({ source }) => source));
  expect(sources.filter((source) => source.length < 5)).toEqual([]);
});
