import { reject } from '../error-catalogue.ts';

/** Why the server rejects a cursor, in terms of the request's parameters. */
export interface CursorFault<Parameter extends string = string> {
  readonly at: 'cursor' | Parameter;
  readonly text: string;
  readonly says: string;
  readonly nearest: readonly string[];
}

/** One text for forged, damaged and foreign cursors, so that it reveals nothing about other accounts. */
export const unreadableCursor: CursorFault<never> = {
  at: 'cursor',
  text: 'cursor is not one that this account was given, or is cut off or changed: send nextCursor as it came',
  says: 'must be the nextCursor of the previous page, unchanged',
  nearest: [],
};

/** @param lists the list that received the cursor, and the list that the cursor belongs to */
export function describeOtherList([here, there]: readonly [string, string]): CursorFault<never> {
  return {
    at: 'cursor',
    text: `cursor belongs to ${there}, not to ${here}: send it there`,
    says: `must be a nextCursor of ${here}`,
    nearest: [],
  };
}

/** @param held the parameter's value in the list of the cursor; undefined if that list has none */
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

export function rejectCursor(faults: readonly CursorFault[]) {
  return reject('cursor_invalid', {
    text: `${faults.map(({ text }) => text).join('; ')}; or start again without cursor`,
    details: faults.map(({ at, says, nearest }) => ({ in: 'query', at, says, nearest })),
  });
}
