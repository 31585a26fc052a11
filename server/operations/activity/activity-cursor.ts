import { catalogues, type Language } from '../../activity/messages/catalogues.ts';
import { ascii, createCursorFormat, hex, instant, row, whole } from '../cursor-fields.ts';
import type { ActivityBound, ActivityList, ActivitySort, LastActivity } from './activity-list.ts';

/** A position in the list of a log's entries. */
export interface ActivityCursor {
  readonly list: ActivityList;
  readonly last: LastActivity;
}

// At most 132 bytes: 44, 30 for the deviceId, and 29 for each filter that was sent.
const format = createCursorFormat(['getDeviceActivity'], {
  sort: row<ActivitySort>(['-activityTimeAt', 'activityTimeAt']),
  language: row(Object.keys(catalogues) as readonly Language[]),
  limit: whole(2),
  deviceId: ascii,
  startText: ascii,
  endText: ascii,
  startAt: instant,
  endAt: instant,
  lastAt: instant,
  lastId: hex(12),
});

export function packActivityCursor({ list, last }: ActivityCursor): Uint8Array {
  const { startDate, endDate } = list;
  return format.pack({
    ...list,
    operation: 'getDeviceActivity',
    startText: startDate?.text ?? '',
    endText: endDate?.text ?? '',
    startAt: startDate?.at ?? 0,
    endAt: endDate?.at ?? 0,
    lastAt: last.at,
    lastId: last.id,
  });
}

/** Undefined for a cursor of another list, or of another release with a row that this one does not have. */
export function unpackActivityCursor(content: Uint8Array): ActivityCursor | undefined {
  const values = format.unpack(content);
  if (values === undefined) return undefined;
  const { deviceId, sort, language, limit, startText, startAt, endText, endAt, lastAt, lastId } = values;
  const [startDate, endDate] = [readBound(startText, startAt), readBound(endText, endAt)];
  return {
    list: { deviceId, sort, startDate, endDate, language, limit },
    last: { at: lastAt, id: lastId },
  };
}

function readBound(text: string, at: number): ActivityBound | undefined {
  return text === '' ? undefined : { text, at };
}
