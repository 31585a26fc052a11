import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { testLaw } from '../../fixtures/test-law.ts';
import {
  enter,
  issueFor,
  lockIn,
  opensInItsWindow,
  openZones,
  requests,
  zonedDevices,
  zones,
} from './fixtures/code-laws.ts';

// If these fail, a valid code does not open a door, or a code opens one outside of its window.

const fixture = await openZones();
afterAll(() => fixture.store.close());

describe('a code that was issued', () => {
  testLaw(
    'opens its lock in its window, first second and last, and not a second before or after',
    { few: 100, many: 500 },
    (numRuns) =>
      fc.assert(
        fc.asyncProperty(requests, (request) => opensInItsWindow(fixture, request)),
        { numRuns },
      ),
  );

  testLaw('opens no other lock, and none of another pairing', { few: 50, many: 200 }, async (numRuns) => {
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { code } = await issueFor(fixture, request);
        const at = Date.parse(code.startDate);
        const others = [1, 2, 3, 4, 5].map((step) => lockIn((request.zone + step) % zones.length));
        for (const lock of [...others, lockIn(request.zone, 2)])
          opened += enter(lock, code.pin, at) === 'opens' ? 1 : 0;
      }),
      { numRuns },
    );
    // With 1200 tries, each with a chance of 8.2 in 100,000, more than three hits occur once in 250,000 runs.
    expect(opened).toBeLessThanOrEqual(3);
  });

  testLaw('is one that the pinId finds, and nothing that is kept has its digits', { few: 30, many: 100 }, (numRuns) =>
    fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { code } = await issueFor(fixture, request);
        const rows = await fixture.store.accessCodes.findAll([code.pinId]);
        const { variance, startDate } = code;
        expect(rows).toMatchObject([{ kind: request.kind, startsAt: Date.parse(startDate), variance }]);
        expect(JSON.stringify(rows)).not.toContain(code.pin);
      }),
      { numRuns },
    ),
  );
});

const berlin = lockIn(zones.indexOf('Europe/Berlin'));

describe('a first use', () => {
  const cases = [
    { after: '23:59:59', seconds: 24 * 3600 - 1, want: 'opens' },
    { after: '24:00:00', seconds: 24 * 3600, want: 'lapsed' },
    { after: '24:00:01', seconds: 24 * 3600 + 1, want: 'lapsed' },
  ];
  test.each(cases)('$after after the start: $want', async ({ seconds, want }) => {
    fixture.clock.at = Date.parse('2026-11-20T17:00:00Z');
    for (const kind of ['daily', 'permanent'] as const) {
      const { pin, startDate } = await fixture.issue(kind, berlin.deviceId);
      expect(enter(berlin, pin, Date.parse(startDate) + seconds * 1000)).toBe(want);
    }
  });
});

test('after a new pairing the same request gives another code, and the old one opens nothing', async () => {
  fixture.clock.at = Date.parse('2026-11-20T17:00:00Z');
  const { deviceId, timezone } = berlin;
  const old = await fixture.issue('permanent', deviceId);
  expect(await fixture.store.devices.raisePairingGeneration('harbour', deviceId, 1)).toBe(true);
  const fresh = await fixture.issue('permanent', deviceId);
  expect(fresh.pinId).not.toBe(old.pinId);
  const lock = { deviceId, timezone, generation: 2 };
  expect(enter(lock, fresh.pin, fixture.clock.at)).toBe('opens');
  expect(enter(lock, old.pin, fixture.clock.at)).not.toBe('opens');
  await fixture.store.imports.write({
    properties: [],
    devices: zonedDevices.filter((device) => device.deviceId === deviceId),
  });
  expect(await fixture.issue('permanent', deviceId)).toEqual(fresh);
});
