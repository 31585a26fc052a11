import { searchForm } from '../../store/devices/text-forms.ts';
import { ascii, createCursorFormat, instant, lastText, row, whole } from '../cursor-fields.ts';
import type { DeviceList, DeviceSort, DeviceTypeFilter, Expand, LastDevice } from './device-list.ts';

/** A position in a device list. */
export interface DeviceCursor {
  readonly list: DeviceList;
  readonly last: LastDevice;
}

const searched: readonly ((last: LastDevice) => string)[] = [
  ({ deviceName }) => searchForm(deviceName),
  ({ deviceId }) => searchForm(deviceId),
];

// At most 350 bytes of the 355: 20, 30 for the deviceId, 300 for a name of 100 code points. A `search` of 64 code points would not fit
// next to such a name. The last device matched it, so it is part of the folded name or the start of the folded deviceId: the cursor
// contains its index and length there.
const format = createCursorFormat(['getDevices', 'getDevicesSupportingAlgoPin'], {
  sort: row<DeviceSort>(['deviceName', '-deviceName', 'pairedAt', '-pairedAt']),
  type: row<DeviceTypeFilter | undefined>([undefined, 'Lock', 'Keypad', 'Bridge']),
  expand: row<Expand | undefined>([
    undefined,
    'linkedDevices',
    'properties',
    'linkedDevices,properties',
    'properties,linkedDevices',
  ]),
  limit: whole(2),
  searchedIn: row([undefined, ...searched]),
  searchFrom: whole(2),
  searchLength: whole(2),
  pairedAt: instant,
  deviceId: ascii,
  deviceName: lastText,
});

/** @throws Error when the last device does not match the search of its list: the store compares differently */
export function packDeviceCursor({ list, last }: DeviceCursor): Uint8Array {
  const { deviceId, deviceName, pairedAt } = last; // `last` may be a whole device, whose `type` would replace the list's
  return format.pack({ ...list, deviceId, deviceName, pairedAt, ...findSearch(list.search, last) });
}

/** Undefined for a cursor of another list, or of another release with a row that this one does not have. */
export function unpackDeviceCursor(content: Uint8Array): DeviceCursor | undefined {
  const values = format.unpack(content);
  if (values === undefined) return undefined;
  const { operation, sort, type, expand, limit, searchedIn, searchFrom, searchLength, ...last } = values;
  const search = searchedIn?.(last).slice(searchFrom, searchFrom + searchLength);
  return { list: { operation, sort, type, search, expand, limit }, last };
}

function findSearch(search: string | undefined, last: LastDevice) {
  if (search === undefined) return { searchedIn: undefined, searchFrom: 0, searchLength: 0 };
  for (const searchedIn of searched) {
    const searchFrom = searchedIn(last).indexOf(search);
    if (searchFrom >= 0) return { searchedIn, searchFrom, searchLength: search.length };
  }
  throw new Error('the last device of a page does not match the search of its list');
}
