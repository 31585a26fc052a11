import type { HandlerRequest } from '@lockstep/contract/handlers';
import type { Principal } from '../../principal.ts';
import { sortForm } from '../../store/devices/text-forms.ts';
import type { Store } from '../../store/store.ts';
import type { Cursors } from '../cursor.ts';
import { rejectCursor } from '../cursor-fault.ts';
import { continueList, startList } from './continue-list.ts';
import { describeDevice } from './describe-device.ts';
import { packDeviceCursor, unpackDeviceCursor } from './device-cursor.ts';
import { type DeviceListOperation, deviceLists, type LastDevice, orders } from './device-list.ts';
import { findSurroundings } from './find-surroundings.ts';

interface Needs {
  readonly store: Pick<Store, 'devices' | 'properties'>;
  readonly cursors: Cursors;
}

/** Answers one page of a device list. It reads one device more than the page has, to find out whether there is a next page. */
export async function listDevices(
  { store, cursors }: Needs,
  operation: DeviceListOperation,
  { query, principal: { accountId } }: HandlerRequest<DeviceListOperation, Principal>,
) {
  const content = query.cursor === undefined ? undefined : cursors.open(accountId, query.cursor);
  const cursor = content && unpackDeviceCursor(content);
  const start = query.cursor === undefined ? startList(operation, query) : continueList(operation, query, cursor);
  if (start.kind === 'faulty') return rejectCursor(start.faults);
  const { list } = start;

  const sort = orders[list.sort];
  // No name contains NUL, and no database can search for it: PostgreSQL rejects it, and LIKE of SQLite stops there and finds too much.
  const matchesNothing = list.search?.includes('\0');
  const found = matchesNothing
    ? []
    : await store.devices.list({
        accountId,
        ...deviceLists[operation],
        sort,
        type: list.type,
        search: list.search,
        after: cursor && { value: sortValueOf(cursor.last, sort.by), deviceId: cursor.last.deviceId },
        limit: list.limit + 1,
      });
  const page = found.slice(0, list.limit);
  const last = found.length > page.length ? page.at(-1) : undefined;
  const around = await findSurroundings(store, accountId, page, list.expand);
  return {
    status: 200,
    body: {
      payload: page.map((device) => describeDevice(device, around)),
      nextCursor: last === undefined ? '' : cursors.seal(accountId, packDeviceCursor({ list, last })),
    },
  } as const;
}

function sortValueOf(last: LastDevice, by: 'deviceName' | 'pairedAt'): string | number {
  return by === 'pairedAt' ? last.pairedAt : sortForm(last.deviceName);
}
