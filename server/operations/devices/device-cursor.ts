import { searchForm } from '../../store/devices/text-forms.ts';
import type {
  DeviceList,
  DeviceListOperation,
  DeviceSort,
  DeviceTypeFilter,
  Expand,
  LastDevice,
} from './device-list.ts';

// What a cursor of a device list holds, as bytes. Everything in it is exact and has a bound:
//
//   20 bytes   operation, sort, type, expand (one byte each, a row of the tables below), limit, search, pairedAt, length of deviceId
//   30 bytes   deviceId, at most 30 characters of ASCII
//  300 bytes   deviceName, at most 100 code points in three bytes each; UTF-8 would need 400 and break the bound of 355
//
// `search`, up to 64 code points, would not fit beside such a name. It need not: the last device matched it, so it stands in the folded
// name or begins the folded deviceId, and a place and a length there are all of it.

/** A place in a device list, and the list it is a place of. */
export interface DeviceCursor {
  readonly list: DeviceList;
  readonly last: LastDevice;
}

// Cursors do not age: rows are added at the end and never moved.
const operations: readonly DeviceListOperation[] = ['getDevices', 'getDevicesSupportingAlgoPin'];
const sorts: readonly DeviceSort[] = ['deviceName', '-deviceName', 'pairedAt', '-pairedAt'];
const types: readonly (DeviceTypeFilter | undefined)[] = [undefined, 'Lock', 'Keypad', 'Bridge'];
const expands: readonly (Expand | undefined)[] = [
  undefined,
  'linkedDevices',
  'properties',
  'linkedDevices,properties',
  'properties,linkedDevices',
];
const searched: readonly ((last: LastDevice) => string)[] = [
  ({ deviceName }) => searchForm(deviceName),
  ({ deviceId }) => searchForm(deviceId),
];

const headBytes = 20;
const codePointBytes = 3;

/** @throws Error when the last device does not match the list's own search: the store compared in another way */
export function packDeviceCursor({ list, last }: DeviceCursor): Uint8Array {
  const id = Buffer.from(last.deviceId);
  const name = [...last.deviceName].map((character) => character.codePointAt(0) ?? 0);
  const bytes = Buffer.alloc(headBytes + id.length + name.length * codePointBytes);
  bytes.writeUInt8(operations.indexOf(list.operation), 0);
  bytes.writeUInt8(sorts.indexOf(list.sort), 1);
  bytes.writeUInt8(types.indexOf(list.type), 2);
  bytes.writeUInt8(expands.indexOf(list.expand), 3);
  bytes.writeUInt16BE(list.limit, 4);
  const { within, from, length } = findSearch(list.search, last);
  bytes.writeUInt8(within, 6);
  bytes.writeUInt16BE(from, 7);
  bytes.writeUInt16BE(length, 9);
  bytes.writeDoubleBE(last.pairedAt, 11);
  bytes.writeUInt8(id.length, 19);
  bytes.set(id, headBytes);
  name.forEach((codePoint, index) => {
    bytes.writeUIntBE(codePoint, headBytes + id.length + index * codePointBytes, codePointBytes);
  });
  return bytes;
}

/** Undefined for what another release wrote, with a row that this one does not have. */
export function unpackDeviceCursor(content: Uint8Array): DeviceCursor | undefined {
  const bytes = Buffer.from(content);
  const [operation, sort] = [operations[bytes.readUInt8(0)], sorts[bytes.readUInt8(1)]];
  const [type, expand] = [bytes.readUInt8(2), bytes.readUInt8(3)];
  if (operation === undefined || sort === undefined || !(type in types) || !(expand in expands)) return undefined;
  const nameFrom = headBytes + bytes.readUInt8(19);
  const codePoints = Array.from({ length: (bytes.length - nameFrom) / codePointBytes }, (_, index) =>
    bytes.readUIntBE(nameFrom + index * codePointBytes, codePointBytes),
  );
  const last: LastDevice = {
    deviceId: bytes.toString('utf8', headBytes, nameFrom),
    deviceName: String.fromCodePoint(...codePoints),
    pairedAt: bytes.readDoubleBE(11),
  };
  const [within, from, length] = [bytes.readUInt8(6), bytes.readUInt16BE(7), bytes.readUInt16BE(9)];
  const search = within === 0 ? undefined : searched[within - 1]?.(last).slice(from, from + length);
  const list = { operation, sort, type: types[type], search, expand: expands[expand], limit: bytes.readUInt16BE(4) };
  return { list, last };
}

function findSearch(search: string | undefined, last: LastDevice): { within: number; from: number; length: number } {
  if (search === undefined) return { within: 0, from: 0, length: 0 };
  for (const [index, textOf] of searched.entries()) {
    const from = textOf(last).indexOf(search);
    if (from >= 0) return { within: index + 1, from, length: search.length };
  }
  throw new Error('the last device of a page does not match the search of its list');
}
