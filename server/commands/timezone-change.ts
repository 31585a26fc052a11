import type { EpochMilliseconds } from '../clock.ts';
import type { Store } from '../store/store.ts';

/** A property that is read on another clock from now on. */
export interface TimezoneChange {
  readonly property: string;
  readonly timezone: string | null;
  readonly before: string;
  /** Codes of its devices that are not over. */
  readonly affectedCodes: number;
}

export async function countAffected(
  accessCodes: Pick<Store['accessCodes'], 'countOpen'>,
  change: Omit<TimezoneChange, 'affectedCodes'>,
  now: EpochMilliseconds,
): Promise<TimezoneChange> {
  return { ...change, affectedCodes: await accessCodes.countOpen(change.property, now) };
}

/**
 * What an operator has to know of it: the digits of a code fix an hour of UTC and a length. What these are on a clock, the clock says.
 *
 * @returns lines
 */
export function describeTimezoneChange({ property, timezone, before, affectedCodes }: TimezoneChange): string[] {
  const codes =
    affectedCodes === 1
      ? '1 code issued before is not over. It'
      : `${affectedCodes} codes issued before are not over. They`;
  const warning = [
    `Warning: ${codes} will not open at the times that guests were told, if these clocks differ in more than whole hours,`,
    'or a code is a daily one: a start stays in its hour of UTC and moves by up to 59 minutes, a daily end goes by the changes of the new clock.',
    'Issue such codes again, or end them all (device re-pair).',
  ];
  return [
    `${property}: ${timezone ?? 'no timezone'}, until now ${before}`,
    ...(affectedCodes === 0 ? [] : warning),
    timezone === null
      ? `Its locks go by ${before} still. No codes are made for them until it has a timezone again.`
      : `Its locks go by ${before} until they are given the new timezone. From now on codes are made for the new one.`,
  ];
}
