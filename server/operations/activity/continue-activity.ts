import { operations } from '@lockstep/contract/operations';
import type { Language } from '../../activity/messages/catalogues.ts';
import { type CursorFault, describeContradiction, describeOtherList, unreadableCursor } from '../cursor-fault.ts';
import { listOfCursor } from '../cursor-fields.ts';
import { nameList } from '../devices/continue-list.ts';
import { type ActivityCursor, unpackActivityCursor } from './activity-cursor.ts';
import type { ActivityBound, ActivityList, ActivityQuery, ActivitySort } from './activity-list.ts';

/** Parameters of a request for a log; undefined when omitted. */
export interface AskedActivity {
  readonly deviceId: string;
  readonly sort: ActivitySort | undefined;
  readonly startDate: ActivityBound | undefined;
  readonly endDate: ActivityBound | undefined;
  readonly language: Language | undefined;
  readonly limit: number | undefined;
}

/** Sets the defaults of a first page. */
export function startActivity({
  sort = '-activityTimeAt',
  language = 'en',
  limit = operations.getDeviceActivity.extensions['x-pagination'].pageSize,
  ...asked
}: AskedActivity): ActivityList {
  return { ...asked, sort, language, limit };
}

/**
 * Sets the parameters of a page after the first: the cursor replaces omitted ones. `limit` and language may differ from the cursor's. A
 * different `sort` or filter would be another list, without this position. Filters are equal when their instants are.
 *
 * @param content content of the cursor; undefined when its text could not be opened
 * @returns the list and the position to continue from, or every fault of the cursor
 */
export function continueActivity(
  asked: AskedActivity,
  content: Uint8Array | undefined,
):
  | ({ readonly kind: 'place' } & ActivityCursor)
  | { readonly kind: 'faulty'; readonly faults: readonly CursorFault[] } {
  const cursor = content && unpackActivityCursor(content);
  if (cursor === undefined) {
    const other = content && listOfCursor(content);
    if (other === undefined || other === 'getDeviceActivity') return { kind: 'faulty', faults: [unreadableCursor] };
    return { kind: 'faulty', faults: [describeOtherList([nameLog(asked.deviceId), nameList(other)])] };
  }
  const { list, last } = cursor;
  if (list.deviceId !== asked.deviceId)
    return { kind: 'faulty', faults: [describeOtherList([nameLog(asked.deviceId), nameLog(list.deviceId)])] };
  const faults = [
    contradict('sort', asked.sort, list.sort),
    ...(['startDate', 'endDate'] as const).map((name) =>
      asked[name]?.at === list[name]?.at ? undefined : contradict(name, asked[name]?.text, list[name]?.text),
    ),
  ].flatMap((fault) => fault ?? []);
  if (faults.length > 0) return { kind: 'faulty', faults };
  const [limit, language] = [asked.limit ?? list.limit, asked.language ?? list.language];
  return { kind: 'place', list: { ...list, limit, language }, last };
}

function contradict(
  name: keyof ActivityQuery,
  asked: string | undefined,
  held: string | undefined,
): CursorFault | undefined {
  return asked === undefined || asked === held ? undefined : describeContradiction(name, asked, held);
}

function nameLog(deviceId: string): string {
  return `GET /devices/${deviceId}/activity`;
}
