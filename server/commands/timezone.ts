import { nearestNames } from '@lockstep/runtime/form/nearest-name';

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
