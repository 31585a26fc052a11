import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveDeviceKey } from '../algopin/derive-device-key.ts';
import { encodePin } from '../algopin/encode-pin.ts';
import { harbourStays } from '../demo/demo-data.ts';
import { type JobFixture, keys, openJobFixture } from '../operations/jobs/fixtures/job-fixture.ts';
import type { Device } from '../store/records.ts';
import { Temporal } from '../temporal.ts';
import { createOpenLocks } from './open-locks.ts';

let fixture: JobFixture;
let front: Device;
beforeEach(async () => {
  fixture = await openJobFixture();
  front = await fixture.device('LK2A00000001');
});
afterEach(() => fixture.close());

const locks = () => fixture.current().locks;

describe('a lock', () => {
  test('remembers across restarts: a stored PIN opens it, one that was deleted does not', async () => {
    await fixture.make(front.deviceId, 'CREATE_PIN', { accessName: 'A', pin: '482913', pinType: 2 });
    await fixture.pass(3000);
    fixture.restart();
    expect(await locks().use(front, (lock) => lock.enter('482913'))).toMatchObject({ opened: true });
    await fixture.make(front.deviceId, 'DELETE_PIN', { pin: '482913' });
    await fixture.pass(3000);
    fixture.restart();
    expect(await locks().use(front, (lock) => lock.enter('482913'))).toMatchObject({ opened: false });
  });

  test('is unlocked by UNLOCK and locks itself after a while', async () => {
    await fixture.make(front.deviceId, 'UNLOCK');
    await fixture.pass(3000);
    const state = () => locks().use(front, (lock) => lock.state().lockState);
    expect(await state()).toBe('unlocked');
    fixture.clock.at += 60_000;
    expect(await state()).toBe('locked');
  });

  test('is used by one call at a time', async () => {
    // Each call starts from the memory of the one before; concurrently, all but one change would be lost.
    await Promise.all(Array.from({ length: 10 }, () => locks().use(front, (lock) => lock.setBatteryLevel(50))));
    await Promise.all(Array.from({ length: 4 }, (_, turn) => locks().use(front, (lock) => lock.enter(`000${turn}`))));
    expect(await locks().use(front, (lock) => lock.state().wrongEntries)).toBe(4);
  });

  test('is free for the next call after one that throws, which changes nothing', async () => {
    const failed = locks().use(front, (lock) => {
      lock.enter('0000');
      throw new Error('tripped');
    });
    const next = locks().use(front, (lock) => lock.state().wrongEntries);
    await expect(failed).rejects.toThrow('tripped');
    expect(await next).toBe(0);
  });

  test('accepts the codes of its current pairing alone', async () => {
    const code = {
      kind: 'permanent',
      startsAt: Temporal.Instant.from('2026-11-21T08:00Z'),
      duration: 0,
      variance: 1,
    } as const;
    const pin = (generation: number) => encodePin(deriveDeviceKey(keys.deviceKey, front.deviceId, generation), code);
    const enter = async (generation: number) => {
      const device = await fixture.device(front.deviceId);
      return locks().use(device, (lock) => lock.enter(pin(generation)));
    };
    expect(await enter(1)).toMatchObject({ opened: true, by: 'permanent' });
    expect(await enter(2)).toMatchObject({ opened: false });
    expect(await fixture.store.devices.raisePairingGeneration(harbourStays, front.deviceId, 1)).toBe(true);
    // Nearly all digits are a code of some time; these are not one of now.
    expect(await enter(1)).toMatchObject({ opened: false });
    expect(await enter(2)).toMatchObject({ opened: true, by: 'permanent' });
  });

  test('and its linked keypad are separate: each has its own key, codes, memory and lockout', async () => {
    const keypad = await fixture.device('KP1A00000002');
    expect(front.linked).toContainEqual({ deviceId: keypad.deviceId, type: 'Keypad' });
    const startsAt = Temporal.Instant.from('2026-11-21T08:00Z');
    const pinOf = ({ deviceId }: Device, kind: 'onetime' | 'permanent') =>
      encodePin(deriveDeviceKey(keys.deviceKey, deviceId, 1), { kind, startsAt, duration: 0, variance: 1 });
    const enter = (device: Device, pin: string) => locks().use(device, (lock) => lock.enter(pin));

    // A code opens at its own device. The other one has another key, and counts it as a wrong entry.
    for (const [device, other] of [
      [front, keypad],
      [keypad, front],
    ] as const) {
      const once = pinOf(device, 'onetime');
      expect(await enter(other, once)).toMatchObject({ opened: false });
      expect(await enter(device, once)).toMatchObject({ opened: true, isFirstUse: true });
      expect(await enter(device, once)).toMatchObject({ opened: false, reason: 'spent' });
    }
    // A code that a person cancels at one device is unknown to the other.
    expect(await locks().use(keypad, (lock) => lock.forget(pinOf(front, 'permanent')))).toBe('unknown');
    expect(await locks().use(keypad, (lock) => lock.forget(pinOf(keypad, 'permanent')))).toBe('forgotten');
    expect(await enter(front, pinOf(front, 'permanent'))).toMatchObject({ opened: true });
    // A custom PIN is stored in the device that the job names.
    await fixture.make(keypad.deviceId, 'CREATE_PIN', { accessName: 'A', pin: '482913', pinType: 2 });
    await fixture.pass(3000);
    expect(await enter(keypad, '482913')).toMatchObject({ opened: true });
    expect(await enter(front, '482913')).toMatchObject({ opened: false });
    // Guesses at one do not lock the other out.
    for (let entry = 0; entry < 5; entry += 1) await enter(keypad, '0000');
    expect(await enter(keypad, '482913')).toMatchObject({ reason: 'locked_out' });
    expect(await enter(front, pinOf(front, 'permanent'))).toMatchObject({ opened: true });
    // A new pairing of the lock invalidates no code of its keypad.
    await fixture.store.devices.raisePairingGeneration(harbourStays, front.deviceId, 1);
    expect((await fixture.device(keypad.deviceId)).pairingGeneration).toBe(1);
  });

  test('follows the zone of its device as it is now', async () => {
    const time = async () => {
      const job = { jobId: `${fixture.clock.at}`, jobType: 'GET_DEVICE_STATUS', jobData: {} } as const;
      return locks().use(await fixture.device(front.deviceId), (lock) => lock.run(job));
    };
    expect((await time()).output.deviceTime).toBe('2026-11-21T09:00:00+01:00');
    await fixture.store.properties.setTimezone('65a000000000000000000001', 'Asia/Kathmandu');
    fixture.clock.at += 1;
    expect((await time()).output.deviceTime).toBe('2026-11-21T13:45:00+05:45');
  });

  test('of another key file is not opened as a new lock', async () => {
    await locks().use(front, (lock) => lock.enter('0000'));
    const { store, clock } = fixture;
    const other = createOpenLocks({ store, clock, randomBytes, keys: { deviceKey: Buffer.alloc(32, 9) } });
    await expect(other.use(front, (lock) => lock.state())).rejects.toThrow(/LK2A00000001 can't be opened/);
  });
});

test('a memory is sealed: it shows no digits, and opens for its own lock alone', async () => {
  await fixture.make(front.deviceId, 'CREATE_PIN', { accessName: 'Cleaner', pin: '482913', pinType: 2 });
  await fixture.pass(3000);
  const sealed = await fixture.store.lockMemories.load(front.deviceId);
  expect(Buffer.from(sealed ?? []).toString('latin1')).not.toMatch(/482913|Cleaner/);
  const keypad = await fixture.device('KP1A00000002');
  await fixture.store.lockMemories.save(keypad.deviceId, sealed ?? new Uint8Array(), fixture.clock.at, undefined);
  await expect(locks().use(keypad, (lock) => lock.state())).rejects.toThrow(/KP1A00000002/);
  expect(keys.deviceKey).toHaveLength(32);
});
