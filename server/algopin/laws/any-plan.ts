import fc from 'fast-check';
import { Temporal } from '../../temporal.ts';
import { deriveDeviceKey } from '../derive-device-key.ts';
import { type CodeKind, codeKinds, type KindOfCode } from '../kinds.ts';
import { lastWholeHour } from '../local-clock/whole-hours.ts';
import type { CodeRequest } from '../plan-code.ts';

/** A device in any time zone, its clock, and a request that satisfies the rules. */
export interface Plan {
  readonly deviceKey: Uint8Array;
  readonly now: Temporal.ZonedDateTime;
  readonly request: CodeRequest;
}

const timeZones = Intl.supportedValuesOf('timeZone');
const someDay = Temporal.Instant.from('2026-01-01T00:00Z');
const changingZones = timeZones.filter(
  (timeZone) => someDay.toZonedDateTimeISO(timeZone).getTimeZoneTransition('next') !== null,
);
const kinds = Object.keys(codeKinds) as readonly CodeKind[];
const hoursAhead = 366 * 24;
const earliest = Temporal.Instant.from('2024-01-01T00:00Z');
const hoursOfLaunches = 40 * 8766;

/**
 * Every kind, zone, bound and variance. Two of three windows are in a zone that changes its clocks. Half of these have an end within three
 * hours of a change: by chance alone it would be one in a thousand.
 */
export function anyPlan(): fc.Arbitrary<Plan> {
  return fc
    .record({
      // Smaller bytes and letters explain no failure, and each step of shrinking takes as long as a run.
      masterKey: fc.noShrink(fc.uint8Array({ minLength: 32, maxLength: 32 })),
      deviceId: fc.noShrink(fc.stringMatching(/^[A-Z]{2}[0-9A-F]{10}$/)),
      generation: fc.integer({ min: 1, max: 9 }),
      timeZone: fc.oneof(fc.constantFrom(...timeZones), fc.constantFrom(...changingZones)),
      secondsSince2024: fc.integer({ min: 0, max: hoursOfLaunches * 3600 }),
      ahead: fc.oneof(fc.constantFrom(0, 1, hoursAhead), fc.integer({ min: 0, max: hoursAhead })),
      kind: fc.constantFrom(...kinds),
      lengthShare: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      varianceShare: fc.double({ min: 0, max: 0.999, noNaN: true }),
      near: fc.constantFrom<'start' | 'end' | undefined>('start', 'end', undefined, undefined),
      hoursBeside: fc.integer({ min: -3, max: 3 }),
    })
    .map((given) => {
      const kind: KindOfCode = codeKinds[given.kind];
      const length = kind.shortest + Math.round(given.lengthShare * (kind.longest - kind.shortest));
      const wanted = earliest.add({ seconds: given.secondsSince2024 }).toZonedDateTimeISO(given.timeZone);
      const change = given.near === undefined ? null : wanted.getTimeZoneTransition('next');
      const beside = (change ?? wanted).add({ hours: given.hoursBeside });
      const from = given.near === 'end' ? backFrom(beside, given.kind, length) : beside;
      const start = lastWholeHour(from);
      // A little less than the hours ahead, so that the start is never before the current hour.
      const now = start.subtract({ hours: given.ahead }).add({ minutes: given.ahead === 0 ? 40 : 0 });
      const end = kind.durationFrom === 'endDate' ? kind.end(start, length)?.toInstant() : undefined;
      return {
        deviceKey: deriveDeviceKey(given.masterKey, given.deviceId, given.generation),
        now,
        request: {
          kind: given.kind,
          startDate: start.toInstant(),
          endDate: end,
          durationHours: kind.durationFrom === 'durationHours' ? length : undefined,
          variance: 1 + Math.floor(given.varianceShare * kind.variances),
        },
      };
    });
}

/** A start that gives a code of this length its end at about `end`. */
function backFrom(end: Temporal.ZonedDateTime, kind: CodeKind, length: number): Temporal.ZonedDateTime {
  return kind === 'daily' ? end.subtract({ days: length }) : end.subtract({ hours: kind === 'hourly' ? length : 24 });
}
