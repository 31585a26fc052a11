import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LogReader, readLogItem } from './read-log-item.ts';

const now = Date.parse('2026-11-20T17:00:00Z');
const day = 86_400_000;
const reader: LogReader = {
  deviceId: 'LK2A00000001',
  lockRef: 'EXAMPLE-LOCK-REF-1',
  now,
  derivePinId: (pin) => createHash('sha256').update(`a key ${pin}`).digest('hex').slice(0, 24),
};

const good = { id: 'LK-1', ts: now, payload: { log: '{}' } };
const withLog = (log: unknown) => ({ ...good, payload: { log: typeof log === 'string' ? log : JSON.stringify(log) } });

const kept = [
  {
    name: 'seconds',
    given: { logType: 51, entryDate: 1795194000 },
    want: { at: 1795194000000, type: 'LOCK', method: 'key', rawType: 51 },
  },
  { name: 'the last second', given: { logType: 51, entryDate: (now + day) / 1000 }, want: { at: now + day } },
  { name: 'the last millisecond', given: { logType: 51, entryDate: now + day }, want: { at: now + day } },
  {
    name: 'a second too much',
    given: { logType: 51, entryDate: (now + day) / 1000 + 1 },
    want: { at: now, type: 'LOCK' },
  },
  { name: 'a millisecond too much', given: { logType: 51, entryDate: now + day + 1 }, want: { at: now, type: 'LOCK' } },
  {
    name: 'seconds of the year 5138',
    given: { logType: 51, entryDate: 99_999_999_999 },
    want: { at: now, rawType: 51 },
  },
  { name: 'milliseconds of 1973', given: { logType: 51, entryDate: 100_000_000_000 }, want: { at: now } },
  { name: 'the end of 2099', given: { logType: 51, entryDate: 4_102_444_799_999 }, want: { at: now } },
  {
    name: 'the first second of 2015',
    given: { logType: 51, entryDate: 1_420_070_400 },
    want: { at: 1_420_070_400_000 },
  },
  { name: 'the second before', given: { logType: 51, entryDate: 1_420_070_399 }, want: { at: now, type: 'LOCK' } },
  {
    name: 'the first millisecond of 2015',
    given: { logType: 51, entryDate: 1_420_070_400_000 },
    want: { at: 1_420_070_400_000 },
  },
  { name: 'the millisecond before', given: { logType: 51, entryDate: 1_420_070_399_999 }, want: { at: now } },
  {
    name: 'milliseconds',
    given: { logType: 13, entryDate: 1795194000123 },
    want: { at: 1795194000123, type: 'AUTO_LOCK', method: 'auto' },
  },
  { name: 'the start of time', given: { logType: 51, entryDate: 0 }, want: { at: now, type: 'LOCK', rawType: 51 } },
  { name: 'no time', given: { logType: 51 }, want: { at: now, rawType: 51 } },
  {
    name: 'a key in digits',
    given: { logType: 18, keyId: 4294967295 },
    want: { type: 'UNLOCK', method: 'pin', firstUse: null },
  },
  { name: 'a key in text', given: { logType: 22, keyId: 'k1' }, want: { type: 'UNLOCK', firstUse: true } },
  { name: 'an unknown number', given: { logType: 4711 }, want: { type: 'OTHER', method: 'unknown', rawType: 4711 } },
  { name: 'members of their own', given: { logType: 43, battery: 87 }, want: { type: 'UNLOCK', method: 'card' } },
  { name: 'nothing', given: {}, want: { at: now, type: 'OTHER', rawType: null } },
  {
    name: 'text of another maker',
    given: '18|1795194000|482915037',
    want: { at: now, type: 'OTHER', method: 'unknown', rawType: null },
  },
  { name: 'no text', given: '', want: { type: 'OTHER', rawType: null } },
  { name: 'JSON of something else', given: '[18]', want: { type: 'OTHER', rawType: null } },
  { name: 'null', given: 'null', want: { type: 'OTHER' } },
  {
    name: 'a number that is none',
    given: { logType: '51', entryDate: 1795194000 },
    want: { at: now, type: 'OTHER', rawType: null },
  },
  { name: 'a number out of range', given: { logType: 65_536 }, want: { type: 'OTHER', rawType: null } },
  {
    name: 'digits that are no text',
    given: { logType: 18, pin: 482915037 },
    want: { at: now, type: 'OTHER', rawType: null, pinId: null },
  },
  {
    name: 'digits of an offline code',
    given: { logType: 18, pin: '482915037' },
    want: { pinId: reader.derivePinId('482915037') },
  },
  {
    name: 'wrong digits of nine',
    given: { logType: 16, pin: '111111111' },
    want: { type: 'INCORRECT_PIN', pinId: reader.derivePinId('111111111') },
  },
  { name: 'digits that no offline code has', given: { logType: 16, pin: '012345678' }, want: { pinId: null } },
  { name: 'four digits', given: { logType: 18, pin: '4711' }, want: { type: 'UNLOCK', pinId: null } },
  { name: 'ten digits', given: { logType: 16, pin: '4829150371' }, want: { pinId: null } },
];

describe('a log with', () => {
  test.each(kept)('$name', ({ given, want }) => {
    expect(readLogItem(withLog(given), reader)).toEqual({
      kind: 'entry',
      entry: expect.objectContaining({
        deviceId: reader.deviceId,
        receivedAt: now,
        accessName: null,
        details: '{}',
        ...want,
      }),
    });
  });
});

const range = 'must be from 1420070400000 to 4102444800000';
const unknown = 'is not that of this device';
const rejected = [
  { name: 'no JSON', given: 'LK-1 482915037', want: 'is not JSON text' },
  { name: 'nothing', given: '', want: 'is not JSON text' },
  { name: 'JSON cut off', given: '{"id":"482915037"', want: 'is not JSON text' },
  { name: 'a list', given: '[482915037]', want: 'is not a JSON object' },
  { name: 'a number', given: '482915037', want: 'is not a JSON object' },
  { name: 'null', given: 'null', want: 'is not a JSON object' },
  { name: 'text in text', given: JSON.stringify(JSON.stringify(good)), want: 'is not a JSON object' },
  { name: 'no member', given: {}, want: 'id is required' },
  { name: 'no payload', given: { id: 'a', ts: now }, want: 'payload is required' },
  { name: 'no log', given: { ...good, payload: { lockName: '482915037' } }, want: 'payload/log is required' },
  { name: 'an id of digits', given: { ...good, id: 482915037 }, want: 'id must be a string' },
  { name: 'an empty id', given: { ...good, id: '' }, want: 'id must not be empty' },
  { name: 'a long id', given: { ...good, id: '4'.repeat(201) }, want: 'id is too long: at most 200 characters' },
  {
    name: 'half a character in its id',
    given: JSON.stringify({ ...good, id: 'a\ud800' }),
    want: 'id holds half of a surrogate pair',
  },
  {
    name: 'a log that is no text',
    given: { ...good, payload: { log: 482915037 } },
    want: 'payload/log must be a string',
  },
  { name: 'a long log', given: withLog('4'.repeat(2001)), want: 'payload/log is too long: at most 2000 characters' },
  { name: 'a time in seconds', given: { ...good, ts: 482915037 }, want: `ts ${range}` },
  { name: 'a time beyond all', given: { ...good, ts: 4_102_444_800_001 }, want: `ts ${range}` },
  { name: 'a payload that is text', given: { ...good, payload: '482915037' }, want: 'payload must be an object' },
  { name: 'half a millisecond', given: { ...good, ts: now + 0.5 }, want: 'ts must be an integer' },
  { name: 'the name of another device', given: { ...good, lockRef: 'EXAMPLE-LOCK-REF-2' }, want: `lockRef ${unknown}` },
  { name: 'no name where one is named', given: { ...good, lockRef: '' }, want: `lockRef ${unknown}` },
  {
    name: 'a time too far ahead',
    given: { ...good, ts: now + day + 1 },
    want: `ts ${now + day + 1} is more than 24 hours ahead`,
  },
];

describe('an item is rejected that has', () => {
  test.each(rejected)('$name', ({ given, want }) => {
    const read = readLogItem(given, reader);
    expect(read).toEqual({ kind: 'rejection', rejection: want });
    expect(JSON.stringify(read)).not.toContain('482915037');
  });
});

describe('an item is accepted', () => {
  test.each([
    { name: 'at the last moment ahead', given: { ...good, ts: now + day } },
    { name: 'with the name of this device', given: { ...good, lockRef: 'EXAMPLE-LOCK-REF-1' } },
    { name: 'with members of its own', given: { ...good, app: 'reader' } },
    { name: 'in text', given: ` ${JSON.stringify(good)}\n` },
    { name: 'with a member that poisons', given: JSON.stringify(good).replace('{', '{"__proto__":{"lockRef":"x"},') },
  ])('$name', ({ given }) => {
    expect(readLogItem(given, reader)).toHaveProperty('entry.id');
  });

  test('for a device without a name only if the item names none', () => {
    const bridge = { ...reader, lockRef: null };
    expect(readLogItem(good, bridge)).toHaveProperty('entry');
    expect(readLogItem({ ...good, lockRef: 'EXAMPLE-LOCK-REF-1' }, bridge)).toHaveProperty('rejection');
  });
});

describe('the id of an entry', () => {
  const idOf = (id: string, deviceId = 'LK2A00000001') => {
    const read = readLogItem({ ...good, id }, { ...reader, deviceId });
    return read.kind === 'entry' ? read.entry.id : undefined;
  };

  test('follows from device and item id alone', () => {
    const want = createHash('sha256').update('LK2A00000001\0LK-1').digest('hex').slice(0, 24);
    expect(idOf('LK-1')).toBe(want);
    const text = JSON.stringify({ ts: now - 1, payload: { log: 'x' }, id: 'LK-1' });
    expect(readLogItem(text, { ...reader, now: now + 5 })).toMatchObject({ entry: { id: want } });
  });

  test('differs for another device or item', () => {
    const ids = [idOf('LK-1'), idOf('LK-2'), idOf('LK-1', 'LK2A00000002'), idOf('lk-1'), idOf('LK-1 ')];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('no digits are kept, in whichever member they are', () => {
  const digits = fc.integer({ min: 100_000_000, max: 999_999_999 }).map(String);
  const place = fc.constantFrom('pin', 'keyId', 'extra', 'log', 'user', 'lockName', 'own');
  fc.assert(
    fc.property(digits, place, fc.constantFrom(16, 18, 22, 200, 999), (pin, at, logType) => {
      const log =
        at === 'log'
          ? `typed ${pin}`
          : JSON.stringify({ logType, ...(['user', 'lockName', 'own'].includes(at) ? {} : { [at]: pin }) });
      const item = { ...good, [at === 'own' ? 'own' : 'user']: pin, payload: { log, lockName: pin } };
      for (const given of [item, JSON.stringify(item)]) {
        const read = readLogItem(given, reader);
        expect(read).toHaveProperty('entry');
        expect(JSON.stringify(read)).not.toContain(pin);
      }
    }),
    { numRuns: 500 },
  );
});
