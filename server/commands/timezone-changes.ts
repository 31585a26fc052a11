import { nearestNames } from '@lockstep/runtime/validation/nearest-name';
import type { OpenCodes } from '../store/access-codes/access-code-store.ts';

/** Whether the name is an IANA timezone of this runtime, and not an offset. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** The message for an unknown timezone, with the nearest name or an example. */
export function describeTimezone(name: string): string {
  // An abbreviation has several meanings, and resembles unrelated names: MSK resembles Omsk.
  const isAbbreviation = /^[A-Z]{1,5}$/.test(name);
  const [nearest] = isAbbreviation ? [] : nearestNames(name, Intl.supportedValuesOf('timeZone'));
  return `${name} is no IANA timezone${nearest === undefined ? ': give one like Europe/Berlin' : `, nearest: ${nearest}`}`;
}

/** A property with another timezone from now on. Null: without timezone. */
export interface TimezoneChange {
  readonly property: string;
  readonly timezone: string | null;
  readonly before: string | null;
}

/** Codes that are not over and have another clock from now on. */
export interface AffectedCodes {
  readonly timezone: string | null;
  readonly before: string | null;
  readonly devices: number;
  readonly codes: number;
}

/** Compares two counts of an account. The clock of a device changes with the timezone of its property, or when it moves to another property. */
export function findAffectedCodes(before: readonly OpenCodes[], after: readonly OpenCodes[]): readonly AffectedCodes[] {
  const timezoneBefore = new Map(before.map(({ deviceId, timezone }) => [deviceId, timezone]));
  const changed = after.flatMap(({ deviceId, timezone, codes }) => {
    const old = timezoneBefore.get(deviceId);
    return old === undefined || old === timezone ? [] : [{ timezone, before: old, codes }];
  });
  const groups = Map.groupBy(changed, (change) => JSON.stringify([change.before, change.timezone]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [{ ...first, devices: group.length, codes: group.reduce((sum, { codes }) => sum + codes, 0) }];
  });
}

/** @returns instructions for the operator, a line each; none without changes */
export function describeTimezoneChanges(
  changes: readonly TimezoneChange[],
  affected: readonly AffectedCodes[],
): readonly string[] {
  if (changes.length + affected.length === 0) return [];
  return [...changes.map(describeProperty), ...affected.flatMap(describeCodes), locksFollow];
}

function describeProperty({ property, timezone, before }: TimezoneChange): string {
  return `${property}: ${timezone ?? 'no timezone'}, until now ${before ?? 'none'}`;
}

/** The digits of a code determine an hour of UTC and a length. Their local times depend on the timezone. */
function describeCodes({ timezone, before, devices, codes }: AffectedCodes): readonly string[] {
  const which = `${count(codes, 'code')} of ${count(devices, 'device')}, issued before and not over,`;
  if (timezone === null) return [`${which} will still follow ${before}.`];
  return [
    `Warning: ${which} will follow ${timezone}, until now ${before ?? 'no timezone'}.`,
    'They open at other times than guests expect if the clocks differ by a part of an hour, or if a code is a daily one:',
    'a start stays in its hour of UTC and moves by up to 59 minutes, and a daily end follows the clock changes of the new timezone.',
    'Issue such codes again, or invalidate all codes of the device (device re-pair).',
  ];
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

const locksFollow =
  'Locks use their old timezone until you give them the new one. From now on codes are created for the new timezone; without one, none are.';
