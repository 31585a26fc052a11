import { refuse } from '../error-catalogue.ts';

/** Why a cursor can't be followed, in the terms of the one who sent it. */
export interface CursorFault<Parameter extends string = string> {
  readonly at: 'cursor' | Parameter;
  readonly text: string;
  readonly says: string;
  readonly nearest: readonly string[];
}

/** One text for all: whether a cursor was forged, is damaged or belongs to someone else is nobody's business. */
export const unreadableCursor: CursorFault<never> = {
  at: 'cursor',
  text: 'cursor is not one that this account was given, or is cut off or changed: send nextCursor as it came',
  says: 'must be the nextCursor of the previous page, unchanged',
  nearest: [],
};

/** @param lists names of the list that the cursor was sent to, and of its own */
export function describeOtherList([here, there]: readonly [string, string]): CursorFault<never> {
  return {
    at: 'cursor',
    text: `cursor belongs to ${there}, not to ${here}: send it there`,
    says: `must be a nextCursor of ${here}`,
    nearest: [],
  };
}

/** @param held what the list of the cursor was made with; undefined: made without it */
export function describeContradiction<Parameter extends string>(
  at: Parameter,
  sent: string,
  held: string | undefined,
): CursorFault<Parameter> {
  const fix = held === undefined ? `leave ${at} out` : `leave ${at} out or send ${held}`;
  const made = held === undefined ? `was made without ${at}` : `was made with ${at} ${held}`;
  return {
    at,
    text: `${at} ${sent} contradicts the cursor, which ${made}: ${fix}`,
    says: held === undefined ? 'must be left out beside this cursor' : `must be ${held} or left out beside this cursor`,
    nearest: held === undefined ? [] : [held],
  };
}

export function refuseCursor(faults: readonly CursorFault[]) {
  return refuse('cursor_invalid', {
    text: `${faults.map(({ text }) => text).join('; ')}; or start again without cursor`,
    details: faults.map(({ at, says, nearest }) => ({ in: 'query', at, says, nearest })),
  });
}
