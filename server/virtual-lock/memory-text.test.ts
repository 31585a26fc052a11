import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deviceId, openLock } from './fixtures/open-lock.ts';
import { MemoryFault, readMemory, writeMemory } from './memory-text.ts';

const written = readFileSync(new URL('./fixtures/memory-1.json', import.meta.url), 'utf8').trim();

describe('the memory as text', () => {
  test('of version 1 is read by every later program', () => {
    expect(writeMemory(readMemory(written, deviceId))).toBe(written);
    const { lock, pin } = openLock({ memory: written });
    expect(lock.enter(pin('onetime', '2026-06-01T10:00:00Z'))).toMatchObject({ reason: 'spent' });
    expect(lock.enter('4711').opened).toBe(true);
    expect(lock.state()).toMatchObject({ codes: 2, customPins: 1, wrongEntries: 2, batteryLevel: 64 });
  });

  test('is written by the current lock after the same events', () => {
    const { lock, clock, pin, run } = openLock({ batteryLevel: 90 });
    lock.enter(pin('onetime', '2026-06-01T10:00:00Z'));
    lock.enter(pin('permanent', '2026-06-01T10:00:00Z'));
    run('CREATE_PIN', { accessName: 'Cleaner', pin: '4711', pinType: 2 });
    clock.pass({ minutes: 1 });
    lock.enter('0000');
    lock.setBatteryLevel(64);
    expect(lock.exportMemory()).toBe(written);
  });

  test.each([
    { name: 'nothing', text: '', says: `The memory of lock ${deviceId} is damaged: it is not JSON` },
    {
      name: 'half of it',
      text: written.slice(0, 300),
      says: `The memory of lock ${deviceId} is damaged: it is not JSON`,
    },
    { name: 'null', text: 'null', says: `The memory of lock ${deviceId} is damaged: it has no version` },
    { name: 'a list', text: '[]', says: `The memory of lock ${deviceId} is damaged: it has no version` },
    {
      name: 'a newer version',
      text: written.replace('"version":1', '"version":2'),
      says: `The memory of lock ${deviceId} has version 2; this program reads version 1`,
    },
    {
      name: 'version 1 and nothing else',
      text: '{"version":1}',
      says: `The memory of lock ${deviceId} is damaged: its checksum does not fit`,
    },
    {
      name: 'another count',
      text: written.replace('"wrong":1', '"wrong":0'),
      says: `The memory of lock ${deviceId} is damaged: its checksum does not fit`,
    },
  ])('is refused when it is $name', ({ text, says }) => {
    expect(() => openLock({ memory: text })).toThrow(new MemoryFault(says));
  });

  test("is refused when it is another lock's", () => {
    expect(() => openLock({ deviceId: 'LK2A00000003', memory: written })).toThrow(
      new MemoryFault(`The memory is that of lock ${deviceId}, not of LK2A00000003`),
    );
  });

  test('is refused with any one character changed, and no message quotes it', () => {
    const digits = /"pin":"(\d+)"/.exec(written)?.[1] ?? 'none';
    expect(digits).not.toBe('none');
    fc.assert(
      fc.property(fc.nat(written.length - 1), fc.constantFrom('0', '7', 'x', '"', '}', ' '), (index, character) => {
        fc.pre(written[index] !== character);
        const changed = written.slice(0, index) + character + written.slice(index + 1);
        let fault: unknown;
        try {
          readMemory(changed, deviceId);
        } catch (error) {
          fault = error;
        }
        expect(fault).toBeInstanceOf(MemoryFault);
        expect(String(fault)).not.toContain(digits);
      }),
    );
  });

  test('never holds the key', () => {
    const { lock, key } = openLock();
    expect(lock.exportMemory()).not.toContain(Buffer.from(key).toString('hex'));
    expect(lock.exportMemory()).not.toContain(Buffer.from(key).toString('base64'));
  });
});
