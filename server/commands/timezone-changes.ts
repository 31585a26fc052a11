import { nearestNames } from '@lockstep/runtime/validation/nearest-name';
import type { OpenCodes } from '../store/access-codes/access-code-store.ts';

/** Whether this runtime knows the zone, as an IANA name and not as an offset. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** Says that a name is no zone, with the zone that comes near, or the form that zones have. */
export function describeTimezone(name: string): string {
  // An abbreviation stands for several zones, and is spelt like others still: MSK is in Omsk.
  const isAbbreviation = /^[A-Z]{1,5}$/.test(name);
  const [nearest] = isAbbreviation ? [] : nearestNames(name, Intl.supportedValuesOf('timeZone'));
  return `${name} is no IANA timezone${nearest === undefined ? ': give one like Europe/Berlin' : `, nearest: ${nearest}`}`;
}

/** A property that is read on another clock from now on. Null: on none. */
export interface TimezoneChange {
  readonly property: string;
  readonly timezone: string | null;
  readonly before: string | null;
}

/** Codes that are not over and go by another clock from now on. */
export interface AffectedCodes {
  readonly timezone: string | null;
  readonly before: string | null;
  readonly devices: number;
  readonly codes: number;
}

/** What the two counts of an account say: a device changes its clock with its property, or by going to another. */
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

/** @returns lines that tell an operator what to do; none where nothing changed */
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

/** The digits of a code fix an hour of UTC and a length. What these are on a clock, the clock says. */
function describeCodes({ timezone, before, devices, codes }: AffectedCodes): readonly string[] {
  const which = `${count(codes, 'code')} of ${count(devices, 'device')}, issued before and not over,`;
  if (timezone === null) return [`${which} will be judged by ${before} still.`];
  return [
    `Warning: ${which} will go by ${timezone}, until now ${before ?? 'no timezone'}.`,
    'They will not open at the times that guests were told, if these clocks differ in more than whole hours, or a code is a daily one:',
    'a start stays in its hour of UTC and moves by up to 59 minutes, a daily end goes by the changes of the new clock.',
    'Issue such codes again, or end them all (device re-pair).',
  ];
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

const locksFollow =
  'Locks go by their old timezone until they are given the new one. Codes are made for the new one from now on, and none without one.';
