import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { now } from '../fixtures/open-fixture.ts';
import { type CodeFixture, kinds, openCodeFixture } from './fixtures/code-fixture.ts';

let fixture: CodeFixture;
beforeEach(async () => {
  fixture = await openCodeFixture();
});
afterEach(() => fixture.store.close());

const pin = expect.stringMatching(/^[1-9]\d{8}$/);
const pinId = expect.stringMatching(/^[0-9a-f]{24}$/);
const front = 'LK2A00000001';
const start = '2026-12-01T15:00:00+01:00';

const common = { pin, pinId, variance: 1, issuedAt: '2026-11-20T17:00:00.000Z' };
const fromNow = { ...common, startDate: '2026-11-20T18:00:00+01:00', activateBy: '2026-11-21T18:00:00+01:00' };
const planned = { ...common, startDate: start, activateBy: '2026-12-02T15:00:00+01:00' };

// Whole bodies are compared, so an undeclared member fails.
const answered = [
  {
    kind: 'hourly',
    given: {},
    want: { ...fromNow, endDate: '2026-11-20T19:00:00+01:00', activateBy: '2026-11-20T19:00:00+01:00' },
  },
  { kind: 'daily', given: {}, want: { ...fromNow, endDate: '2026-12-19T18:00:00+01:00' } },
  { kind: 'onetime', given: {}, want: { ...fromNow, endDate: '2026-11-21T18:00:00+01:00' } },
  { kind: 'passage', given: {}, want: { ...fromNow, endDate: '2026-11-21T18:00:00+01:00', durationHours: 1 } },
  { kind: 'permanent', given: {}, want: { ...fromNow, endDate: null } },
  {
    kind: 'hourly',
    given: { startDate: start, endDate: '2026-12-04T11:00:00+01:00', variance: 3 },
    want: { ...planned, endDate: '2026-12-04T11:00:00+01:00', variance: 3 },
  },
  {
    kind: 'daily',
    given: { startDate: start, endDate: '2027-03-31T15:00:00+02:00', variance: 2 },
    want: { ...planned, endDate: '2027-03-31T15:00:00+02:00', variance: 2 },
  },
  {
    kind: 'onetime',
    given: { startDate: start, variance: 5 },
    want: { ...planned, endDate: '2026-12-02T15:00:00+01:00', variance: 5 },
  },
  {
    kind: 'passage',
    given: { startDate: start, durationHours: 24, variance: 3 },
    want: { ...planned, endDate: '2026-12-02T15:00:00+01:00', durationHours: 24, variance: 3 },
  },
  { kind: 'permanent', given: { startDate: start, variance: 5 }, want: { ...planned, endDate: null, variance: 5 } },
] as const;

describe('a code is answered with its window', () => {
  test.each(answered)('$kind $given', async ({ kind, given, want }) => {
    expect(await fixture.create(kind, front, { accessName: 'Cleaner', ...given })).toEqual({ status: 200, body: want });
  });

  test('of a keypad too', async () => {
    expect((await fixture.create('daily', 'KP1A00000002')).status).toBe(200);
  });
});

const kept = [
  { kind: 'hourly', given: {}, want: { endsAt: '2026-11-20T18:00:00Z', activateBy: '2026-11-20T18:00:00Z' } },
  { kind: 'daily', given: {}, want: { endsAt: '2026-12-19T17:00:00Z' } },
  { kind: 'onetime', given: {}, want: { endsAt: '2026-11-21T17:00:00Z' } },
  { kind: 'passage', given: { durationHours: 8 }, want: { endsAt: '2026-11-21T17:00:00Z', durationHours: 8 } },
  { kind: 'permanent', given: { variance: 4 }, want: { endsAt: null, variance: 4 } },
] as const;

describe('what is kept of it', () => {
  test.each(kept)('$kind', async ({ kind, given, want }) => {
    const code = await fixture.issue(kind, front, { accessName: ' Cleaner ', ...given });
    const { endsAt, activateBy = '2026-11-21T17:00:00Z', ...more } = { activateBy: undefined, ...want };
    const row = {
      pinId: code.pinId,
      deviceId: front,
      generation: 1,
      kind,
      startsAt: now,
      endsAt: endsAt && Date.parse(endsAt),
      activateBy: Date.parse(activateBy ?? '2026-11-21T17:00:00Z'),
      variance: 1,
      durationHours: null,
      accessName: 'Cleaner',
      issuedAt: now,
      ...more,
    };
    expect(fixture.written).toEqual([row]);
    expect(await fixture.store.accessCodes.findAll([code.pinId])).toEqual([row]);
    expect(JSON.stringify(row)).not.toContain(code.pin);
  });
});

describe('the same request', () => {
  test.each(kinds)('gives the same answer, at any later time, and changes the name alone: %s', async (kind) => {
    const first = await fixture.issue(kind, front, { accessName: 'Cleaner', startDate: start });
    fixture.clock.at += 5 * 86_400_000 + 1;
    expect(await fixture.issue(kind, front, { accessName: 'Plumber', startDate: start })).toEqual(first);
    const rows = await fixture.store.accessCodes.findAll([first.pinId]);
    expect(rows).toEqual([{ ...fixture.written[0], accessName: 'Plumber' }]);
    expect(rows[0]?.issuedAt).toBe(now);
  });

  test('may write its instants with another offset', async () => {
    const given = { accessName: 'A', startDate: start, endDate: '2026-12-04T11:00:00+01:00' };
    const utc = { accessName: 'A', startDate: '2026-12-01T14:00:00.000Z', endDate: '2026-12-04T04:00:00-06:00' };
    expect(await fixture.issue('hourly', front, utc)).toEqual(await fixture.issue('hourly', front, given));
  });

  test('may leave out what is the default', async () => {
    const whole = { accessName: 'A', startDate: '2026-11-20T18:00:00+01:00', variance: 1 };
    expect(await fixture.issue('onetime', front, whole)).toEqual(await fixture.issue('onetime', front));
    expect(await fixture.issue('passage', front, { ...whole, durationHours: 1 })).toEqual(
      await fixture.issue('passage', front),
    );
    const hour = { ...whole, endDate: '2026-11-20T19:00:00+01:00' };
    expect(await fixture.issue('hourly', front, hour)).toEqual(await fixture.issue('hourly', front));
    const days = { ...whole, endDate: '2026-12-19T18:00:00+01:00' };
    expect(await fixture.issue('daily', front, days)).toEqual(await fixture.issue('daily', front));
  });

  test('twenty times at once is one code', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `Guest ${index}`);
    const answers = await Promise.all(
      names.map((accessName) => {
        fixture.clock.at += 1;
        return fixture.issue('daily', front, { accessName, startDate: start });
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const rows = await fixture.store.accessCodes.findAll(answers.map(({ pinId }) => pinId));
    expect(rows).toHaveLength(1);
    expect(names).toContain(rows[0]?.accessName);
  });
});

describe('another code comes of another', () => {
  test('variance, kind, start, end, durationHours, device, pairing generation: none has digits or id of another', async () => {
    const codes = [];
    for (const kind of kinds) {
      const variances = kind === 'onetime' || kind === 'permanent' ? [1, 2, 3, 4, 5] : [1, 2, 3];
      for (const variance of variances) codes.push(await fixture.issue(kind, front, { accessName: 'A', variance }));
      codes.push(await fixture.issue(kind, front, { accessName: 'A', startDate: start }));
      codes.push(await fixture.issue(kind, 'LK2A00000003', { accessName: 'A' }));
    }
    for (const endDate of ['2026-11-20T20:00:00+01:00', '2026-12-18T18:00:00+01:00'])
      codes.push(await fixture.issue('hourly', front, { accessName: 'A', endDate }));
    codes.push(await fixture.issue('daily', front, { accessName: 'A', endDate: '2026-12-20T18:00:00+01:00' }));
    codes.push(await fixture.issue('passage', front, { accessName: 'A', durationHours: 2 }));
    await fixture.store.devices.raisePairingGeneration('harbour', front, 1);
    for (const kind of kinds) codes.push(await fixture.issue(kind, front));
    expect(fixture.written.at(-1)?.generation).toBe(2);
    const count = 19 + 5 + 5 + 4 + 5;
    expect(new Set(codes.map((code) => code.pin)).size).toBe(count);
    expect(new Set(codes.map((code) => code.pinId)).size).toBe(count);
  });
});

test('after a change of the timezone the same digits answer with the window that they have now', async () => {
  fixture.clock.at = Date.parse('2026-11-20T17:00:00Z');
  await fixture.store.properties.setTimezone('65a000000000000000000001', 'Asia/Kathmandu');
  const guest = { accessName: 'Guest', startDate: '2026-12-01T04:15:00Z' };
  const before = await fixture.issue('onetime', front, guest);
  await fixture.store.properties.setTimezone('65a000000000000000000001', 'Asia/Kolkata');
  fixture.clock.at += 60_000;
  const after = await fixture.issue('onetime', front, { ...guest, startDate: '2026-12-01T04:30:00Z' });
  expect(after).toEqual({
    ...before,
    startDate: '2026-12-01T10:00:00+05:30',
    endDate: '2026-12-02T10:00:00+05:30',
    activateBy: '2026-12-02T10:00:00+05:30',
  });
  expect(await fixture.store.accessCodes.findAll([before.pinId])).toMatchObject([
    { startsAt: Date.parse(after.startDate), issuedAt: Date.parse(before.issuedAt) },
  ]);
});

const rejected = (status: number, member: string, text: string, code: string, more = {}) => ({
  status,
  body: { [member]: text, code, ...more },
});
const notFound = rejected(404, 'message', 'not found device', 'device_not_found');
const noTimezone = rejected(409, 'message', "The device's property has no timezone", 'no_timezone');
const notSupported = (deviceId: string) =>
  rejected(418, 'error', `The device ${deviceId} does not support algoPIN codes`, 'algopin_not_supported');

/** A start that breaks the rules, so that a test shows which checks precede them. */
const misaligned = { accessName: 'A', startDate: '2020-01-01T00:30:00Z', endDate: '2020-01-01T00:00:00Z' };
const unwritten = [
  { name: 'an unknown device', given: ['LK2A99999999'], want: notFound },
  { name: 'an id that none can have', given: ['../..\0'], want: notFound },
  { name: 'a device of another account', given: ['LK2B00000001'], want: notFound },
  { name: 'that, with a bad window', given: ['LK2B00000001', misaligned], want: notFound },
  { name: 'the other way round', given: [front, undefined, 'meadow'], want: notFound },
  { name: 'no timezone', given: ['LK2A00000005'], want: noTimezone },
  { name: 'no property', given: ['LK2A00000007'], want: noTimezone },
  { name: 'a first property without timezone', given: ['LK2A00000008'], want: noTimezone },
  { name: 'no timezone, before no support: a bridge', given: ['BR1A00000003', misaligned], want: noTimezone },
  { name: 'a keypad without support', given: ['KP0A00000003'], want: notSupported('KP0A00000003') },
  { name: 'a bridge, before its window', given: ['BR1A00000001', misaligned], want: notSupported('BR1A00000001') },
] as const;

describe('nothing is written for', () => {
  for (const kind of kinds)
    test.each(unwritten)(`$name: ${kind}`, async ({ given: [deviceId, body, account], want }) => {
      expect(await fixture.create(kind, deviceId, body, account)).toEqual(want);
      expect(fixture.written).toEqual([]);
    });

  test.each(kinds)('a foreign device and an unknown one, in the same bytes: %s', async (kind) => {
    const answers = [
      await fixture.create(kind, 'LK2B00000001', misaligned),
      await fixture.create(kind, 'x', misaligned),
    ];
    expect(JSON.stringify(answers[0])).toBe(JSON.stringify(answers[1]));
  });

  test('passage codes on old firmware, whatever the window; the other kinds work there', async () => {
    const text = 'The device LK1A00000002 needs newer firmware for passage codes';
    const details = [{ in: 'path', at: 'deviceId', says: 'needs newer firmware', nearest: [] }];
    const want = rejected(400, 'error', text, 'passage_not_supported', { details });
    expect(await fixture.create('passage', 'LK1A00000002')).toEqual(want);
    expect(await fixture.create('passage', 'LK1A00000002', misaligned)).toEqual(want);
    expect(fixture.written).toEqual([]);
    for (const kind of kinds.filter((other) => other !== 'passage'))
      expect((await fixture.create(kind, 'LK1A00000002')).status).toBe(200);
  });
});
