import { catalogues, type Language } from '../../activity/messages/catalogues.ts';
import type { ActivityBound, ActivityList, ActivitySort, LastActivity } from './activity-list.ts';

// What a cursor of an activity log holds, as bytes, at most 132:
//
//   44 bytes   what list it is of, sort and language (one byte each, a row of the tables below), limit, lengths of the three texts, the two
//              filters and the last entry's time in milliseconds, the last entry's id
//   30 bytes   deviceId, at most 30 characters of ASCII
//   58 bytes   the two filters as they were sent, at most 29 characters of ASCII each; none for one that was not sent

/** A place in a log, and the list it is a place of. */
export interface ActivityCursor {
  readonly list: ActivityList;
  readonly last: LastActivity;
}

/** First byte: the lists of devices have 0 and 1, so that neither reads the other's. */
const activityList = 2;

// Cursors do not age: rows are added at the end and never moved.
const sorts: readonly ActivitySort[] = ['-activityTimeAt', 'activityTimeAt'];
const languages = Object.keys(catalogues) as readonly Language[];

const headBytes = 44;
const idAt = 32;

export function packActivityCursor({ list, last }: ActivityCursor): Uint8Array {
  const texts = [list.deviceId, list.startDate?.text ?? '', list.endDate?.text ?? ''];
  const tail = Buffer.from(texts.join(''), 'latin1');
  const bytes = Buffer.alloc(headBytes + tail.length);
  bytes.writeUInt8(activityList, 0);
  bytes.writeUInt8(sorts.indexOf(list.sort), 1);
  bytes.writeUInt8(languages.indexOf(list.language), 2);
  bytes.writeUInt16BE(list.limit, 3);
  texts.forEach(({ length }, index) => {
    bytes.writeUInt8(length, 5 + index);
  });
  bytes.writeDoubleBE(list.startDate?.at ?? 0, 8);
  bytes.writeDoubleBE(list.endDate?.at ?? 0, 16);
  bytes.writeDoubleBE(last.at, 24);
  bytes.write(last.id, idAt, 'hex');
  bytes.set(tail, headBytes);
  return bytes;
}

/** Undefined for a cursor of another list, and for what another release wrote, with a row that this one does not have. */
export function unpackActivityCursor(content: Uint8Array): ActivityCursor | undefined {
  const bytes = Buffer.from(content);
  if (bytes.readUInt8(0) !== activityList) return undefined;
  const [sort, language] = [sorts[bytes.readUInt8(1)], languages[bytes.readUInt8(2)]];
  if (sort === undefined || language === undefined) return undefined;
  let from = headBytes;
  const [deviceId = '', start = '', end = ''] = [5, 6, 7].map((place) => {
    const to = from + bytes.readUInt8(place);
    const text = bytes.toString('latin1', from, to);
    from = to;
    return text;
  });
  const startDate = readBound(start, bytes.readDoubleBE(8));
  const endDate = readBound(end, bytes.readDoubleBE(16));
  const list = { deviceId, sort, startDate, endDate, language, limit: bytes.readUInt16BE(3) };
  return { list, last: { at: bytes.readDoubleBE(24), id: bytes.toString('hex', idAt, headBytes) } };
}

function readBound(text: string, at: number): ActivityBound | undefined {
  return text === '' ? undefined : { text, at };
}
