import { operations } from '@lockstep/contract/operations';
import { searchForm } from '../store/text-forms.ts';
import type { DeviceCursor } from './device-cursor.ts';
import type { DeviceList, DeviceListOperation, DeviceListQuery } from './device-list.ts';

/** Why a cursor can't be followed, in the terms of the one who sent it. */
export interface CursorFault {
  readonly at: 'cursor' | 'sort' | 'type' | 'search';
  readonly text: string;
  readonly says: string;
  readonly nearest: readonly string[];
}

const defaultLimit = 100;

/** Settles the parameters of a first page. */
export function startList(operation: DeviceListOperation, query: DeviceListQuery): DeviceList {
  const { sort = 'deviceName', type, search, expand, limit = defaultLimit } = query;
  return { operation, sort, type, search: foldSearch(search), expand, limit };
}

/**
 * Settles the parameters of a page after the first: what is left out is taken from the cursor. `limit` and `expand` may differ from it;
 * a `sort` or filter that does would make another list, in which the place means nothing.
 *
 * @param cursor undefined when its text could not be opened
 * @returns the list, or every fault of the cursor
 */
export function continueList(
  operation: DeviceListOperation,
  query: DeviceListQuery,
  cursor: DeviceCursor | undefined,
): DeviceList | { readonly faults: readonly CursorFault[] } {
  if (cursor === undefined) return { faults: [unreadable] };
  const { list } = cursor;
  if (list.operation !== operation) return { faults: [describeOtherList(operation, list.operation)] };
  const asked = { ...query, search: foldSearch(query.search) };
  const faults = (['sort', 'type', 'search'] as const)
    .filter((name) => asked[name] !== undefined && asked[name] !== list[name])
    .map((name) => describeContradiction(name, `${query[name]}`, list[name]));
  if (faults.length > 0) return { faults };
  return { ...list, limit: query.limit ?? list.limit, expand: query.expand ?? list.expand };
}

/** One text for all: whether a cursor was forged, is damaged or belongs to someone else is nobody's business. */
const unreadable: CursorFault = {
  at: 'cursor',
  text: 'cursor is not one that this account was given, or is cut off or changed: send nextCursor as it came',
  says: 'must be the nextCursor of the previous page, unchanged',
  nearest: [],
};

function describeOtherList(asked: DeviceListOperation, given: DeviceListOperation): CursorFault {
  const [here, there] = [asked, given].map((id) => `${operations[id].method.toUpperCase()} ${operations[id].path}`);
  return {
    at: 'cursor',
    text: `cursor belongs to ${there}, not to ${here}: send it there`,
    says: `must be a nextCursor of ${here}`,
    nearest: [],
  };
}

function describeContradiction(at: 'sort' | 'type' | 'search', sent: string, held: string | undefined): CursorFault {
  const cure = held === undefined ? `leave ${at} out` : `leave ${at} out or send ${held}`;
  const made = held === undefined ? `was made without ${at}` : `was made with ${at} ${held}`;
  return {
    at,
    text: `${at} ${sent} contradicts the cursor, which ${made}: ${cure}`,
    says: held === undefined ? 'must be left out beside this cursor' : `must be ${held} or left out beside this cursor`,
    nearest: held === undefined ? [] : [held],
  };
}

/** Twice, since lower case leaves a few letters that compose anew (`J` with a caron): folded text must stay as it is when it is folded. */
function foldSearch(search: string | undefined): string | undefined {
  return search === undefined ? undefined : searchForm(searchForm(search));
}
