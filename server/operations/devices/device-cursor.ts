import { searchForm } from '../../store/devices/text-forms.ts';
import { ascii, createCursorForm, instant, lastText, row, whole } from '../cursor-fields.ts';
import type { DeviceList, DeviceSort, DeviceTypeFilter, Expand, LastDevice } from './device-list.ts';

/** A place in a device list, and the list it is a place of. */
export interface DeviceCursor {
  readonly list: DeviceList;
  readonly last: LastDevice;
}

const searched: readonly ((last: LastDevice) => string)[] = [
  ({ deviceName }) => searchForm(deviceName),
  ({ deviceId }) => searchForm(deviceId),
];

// At most 350 bytes of the 355: 20, 30 for the deviceId, 300 for a name of 100 code points. `search`, up to 64 of them, would not fit
// beside such a name. It need not: the last device matched it, so it stands in the folded name or begins the folded deviceId, and a place
// and a length there are all of it.
const form = createCursorForm(['getDevices', 'getDevicesSupportingAlgoPin'], {
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

/** @throws Error when the last device does not match the list's own search: the store compared in another way */
export function packDeviceCursor({ list, last }: DeviceCursor): Uint8Array {
  const { deviceId, deviceName, pairedAt } = last; // and nothing else of what may be a whole device, with a type of its own
  return form.pack({ ...list, deviceId, deviceName, pairedAt, ...findSearch(list.search, last) });
}

/** Undefined for a cursor of another list, and for what another release wrote, with a row that this one does not have. */
export function unpackDeviceCursor(content: Uint8Array): DeviceCursor | undefined {
  const values = form.unpack(content);
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
