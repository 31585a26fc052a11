import { randomBytes } from 'node:crypto';
import { definePart } from '@lockstep/contract/handlers';
import type { Clock } from '../../clock.ts';
import type { Keys } from '../../keys.ts';
import type { Principal } from '../../principal.ts';
import type { Store } from '../../store/store.ts';
import { createCursors } from '../cursor.ts';
import { getDevice } from './get-device.ts';
import { listDevices } from './list-devices.ts';
import { updateDevice } from './update-device.ts';

interface Needs {
  readonly store: Pick<Store, 'devices' | 'properties' | 'audit'>;
  readonly clock: Clock;
  readonly keys: Pick<Keys, 'cursorKey' | 'deviceKey'>;
  /** Nonces of cursors. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

/** The device operations as handlers. */
export function createDeviceOperations(needs: Needs) {
  const cursors = createCursors(needs.keys.cursorKey, needs.randomBytes ?? randomBytes);
  const lists = { store: needs.store, cursors };
  return definePart<Principal>()({
    getDevices: listDevices.bind(null, lists, 'getDevices'),
    getDevicesSupportingAlgoPin: listDevices.bind(null, lists, 'getDevicesSupportingAlgoPin'),
    getDevice: getDevice.bind(null, needs),
    updateDevice: updateDevice.bind(null, needs),
  });
}
