import { operations } from '@lockstep/contract/operations';
import { searchForm } from '../../store/devices/text-forms.ts';
import { type CursorFault, describeContradiction, describeOtherList, unreadableCursor } from '../cursor-fault.ts';
import type { DeviceCursor } from './device-cursor.ts';
import type { DeviceList, DeviceListOperation, DeviceListQuery } from './device-list.ts';

/** The list that a page belongs to, or the faults of its cursor. */
export type ListStart =
  | { readonly kind: 'list'; readonly list: DeviceList }
  | { readonly kind: 'faulty'; readonly faults: readonly CursorFault[] };

/** Sets the defaults of a first page. */
export function startList(operation: DeviceListOperation, query: DeviceListQuery): ListStart {
  const { pageSize } = operations[operation].extensions['x-pagination'];
  const { sort = 'deviceName', type, search, expand, limit = pageSize } = query;
  return { kind: 'list', list: { operation, sort, type, search: foldSearch(search), expand, limit } };
}

/**
 * Sets the parameters of a page after the first: the cursor replaces omitted ones. `limit` and `expand` may differ from the cursor's. A
 * different `sort` or filter would be another list, without this position.
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

/** Method and path of a list: `GET /devices`. */
export function nameList(operation: DeviceListOperation): string {
  const { method, path } = operations[operation];
  return `${method.toUpperCase()} ${path}`;
}

/** Folds twice, since a few letters compose again in lower case (`J` with a caron): folding must be idempotent. */
function foldSearch(search: string | undefined): string | undefined {
  return search === undefined ? undefined : searchForm(searchForm(search));
}
