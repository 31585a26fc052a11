import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Device } from '../../store/records.ts';
import { harbourAndMeadow } from '../fixtures/harbour.ts';
import { type Fixture, openFixture, type Request } from '../fixtures/open-fixture.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await openFixture(harbourAndMeadow);
});
afterEach(() => fixture.store.close());

const put = (deviceId: string, body: Request['body'] = {}, account = 'harbour') =>
  fixture.ask({ operation: 'updateDevice', deviceId, body, account });

/** All stored data of devices, to find the writes of a request. */
async function readAll() {
  const sort = { by: 'deviceName', descending: false } as const;
  const lists = ['harbour', 'meadow'].map((accountId) => fixture.store.devices.list({ accountId, sort, limit: 1000 }));
  return new Map<string, Device>((await Promise.all(lists)).flat().map((device) => [device.deviceId, device]));
}

const updated = { status: 200, body: { message: 'device updated' } };
const nothing = { status: 200, body: { message: 'nothing to update' } };
const notFound = { status: 404, body: { message: 'not found device', code: 'device_not_found' } };
const noTimezone = { status: 409, body: { message: "The device's property has no timezone", code: 'no_timezone' } };
const noBattery = {
  status: 400,
  body: {
    error: 'The bridge BR1A00000001 has no battery',
    code: 'no_battery',
    details: [{ in: 'body', at: '/batteryLevel', says: 'must be left out for a bridge', nearest: [] }],
  },
};

const stored = [
  { name: 'text', given: { batteryLevel: '42' }, want: 42 },
  { name: 'an integer', given: { batteryLevel: 42 }, want: 42 },
  { name: 'text 0', given: { batteryLevel: '0' }, want: 0 },
  { name: '0', given: { batteryLevel: 0 }, want: 0 },
  { name: 'text 100', given: { batteryLevel: '100' }, want: 100 },
  { name: '100', given: { batteryLevel: 100 }, want: 100 },
];

describe('the battery level', () => {
  test.each(stored)('is stored from $name, and shown', async ({ given, want }) => {
    const before = await readAll();
    expect(await put('LK2A00000001', given)).toEqual(updated);
    expect(await put('LK2A00000001', given)).toEqual(updated);
    const device = await fixture.ask({ operation: 'getDevice', deviceId: 'LK2A00000001' });
    expect(device.body).toMatchObject({ batteryLevel: want });
    const after = await readAll();
    expect(after.get('LK2A00000001')).toEqual({ ...before.get('LK2A00000001'), batteryLevel: want });
    after.delete('LK2A00000001');
    before.delete('LK2A00000001');
    expect(after).toEqual(before);
  });

  test('of a keypad is stored too', async () => {
    expect(await put('KP1A00000002', { batteryLevel: '7' })).toEqual(updated);
    expect((await readAll()).get('KP1A00000002')?.batteryLevel).toBe(7);
  });
});

const unwritten = [
  { name: 'nothing sent', given: ['LK2A00000001', {}], want: nothing },
  { name: 'nothing sent for a bridge', given: ['BR1A00000001', {}], want: nothing },
  { name: 'a bridge', given: ['BR1A00000001', { batteryLevel: '87' }], want: noBattery },
  { name: 'an unknown device', given: ['LK2A99999999', { batteryLevel: '1' }], want: notFound },
  { name: 'a device of another account', given: ['LK2B00000001', { batteryLevel: '1' }], want: notFound },
  { name: 'that, with nothing sent', given: ['LK2B00000001', {}], want: notFound },
  { name: 'the other way round', given: ['LK2A00000001', { batteryLevel: '1' }, 'meadow'], want: notFound },
  { name: 'a property without timezone', given: ['LK2A00000005', { batteryLevel: '1' }], want: noTimezone },
  { name: 'that, with nothing sent', given: ['LK2A00000005', {}], want: noTimezone },
  { name: 'no property', given: ['LK2A00000007', { batteryLevel: '1' }], want: noTimezone },
  {
    name: 'a bridge without timezone: 409 before 400',
    given: ['BR1A00000003', { batteryLevel: '1' }],
    want: noTimezone,
  },
] as const;

describe('nothing is written for', () => {
  test.each(unwritten)('$name', async ({ given: [deviceId, body, account], want }) => {
    const before = await readAll();
    expect(await put(deviceId, body, account)).toEqual(want);
    expect(await readAll()).toEqual(before);
  });

  test('a foreign device and an unknown one, in the same bytes', async () => {
    const [foreign, unknown] = [await put('LK2B00000001', {}), await put('LK2A99999999', {})];
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(unknown));
  });

  test('members beyond the contract, even if a validator let them pass', async () => {
    const before = await readAll();
    const extra = { deviceId: 'LK2A00000003', homeId: [], admin_key: 'x', deviceName: 'Mine', accountId: 'meadow' };
    expect(await put('LK2A00000001', extra)).toEqual(nothing);
    expect(await readAll()).toEqual(before);
    expect(await put('LK2A00000001', { ...extra, batteryLevel: '42' })).toEqual(updated);
    const want = { ...(before.get('LK2A00000001') as Device), batteryLevel: 42 };
    expect(await readAll()).toEqual(new Map([...before, ['LK2A00000001', want]]));
  });
});
