import { operations } from '@lockstep/contract/operations';
import { searchForm } from '../../store/devices/text-forms.ts';
import { type CursorFault, describeContradiction, describeOtherList, unreadableCursor } from '../cursor-fault.ts';
import type { DeviceCursor } from './device-cursor.ts';
import type { DeviceList, DeviceListOperation, DeviceListQuery } from './device-list.ts';

/** What a page is a page of, or why its cursor can't be followed. */
export type ListStart =
  | { readonly kind: 'list'; readonly list: DeviceList }
  | { readonly kind: 'faulty'; readonly faults: readonly CursorFault[] };

/** Settles the parameters of a first page. */
export function startList(operation: DeviceListOperation, query: DeviceListQuery): ListStart {
  const { pageSize } = operations[operation].extensions['x-pagination'];
  const { sort = 'deviceName', type, search, expand, limit = pageSize } = query;
  return { kind: 'list', list: { operation, sort, type, search: foldSearch(search), expand, limit } };
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
): ListStart {
  if (cursor === undefined) return { kind: 'faulty', faults: [unreadableCursor] };
  const { list } = cursor;
  if (list.operation !== operation)
    return { kind: 'faulty', faults: [describeOtherList([nameList(operation), nameList(list.operation)])] };
  const asked = { ...query, search: foldSearch(query.search) };
  const faults = (['sort', 'type', 'search'] as const)
    .filter((name) => asked[name] !== undefined && asked[name] !== list[name])
    .map((name) => describeContradiction(name, `${query[name]}`, list[name]));
  if (faults.length > 0) return { kind: 'faulty', faults };
  return { kind: 'list', list: { ...list, limit: query.limit ?? list.limit, expand: query.expand ?? list.expand } };
}

/** As a request line has it: `GET /devices`. */
export function nameList(operation: DeviceListOperation): string {
  const { method, path } = operations[operation];
  return `${method.toUpperCase()} ${path}`;
}

/** Twice, since lower case leaves a few letters that compose anew (`J` with a caron): folded text must stay as it is when it is folded. */
function foldSearch(search: string | undefined): string | undefined {
  return search === undefined ? undefined : searchForm(searchForm(search));
}
