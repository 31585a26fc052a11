import { randomBytes } from 'node:crypto';
import { definePart } from '@lockstep/contract/handlers';
import type { Clock } from '../../clock.ts';
import type { Keys } from '../../keys.ts';
import type { Principal } from '../../principal.ts';
import type { Store } from '../../store/store.ts';
import { createCursors } from '../cursor.ts';
import { getDeviceActivity } from './get-device-activity.ts';
import { pushDeviceActivity } from './push-device-activity.ts';

interface Needs {
  readonly store: Pick<Store, 'devices' | 'accessCodes' | 'activity'>;
  readonly clock: Clock;
  readonly keys: Pick<Keys, 'cursorKey' | 'deviceKey'>;
  /** Nonces of cursors. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

/** The two operations on the activity log of a device as handlers. */
export function createActivityOperations(needs: Needs) {
  const cursors = createCursors(needs.keys.cursorKey, needs.randomBytes ?? randomBytes);
  return definePart<Principal>()({
    getDeviceActivity: getDeviceActivity.bind(null, { store: needs.store, cursors }),
    pushDeviceActivity: pushDeviceActivity.bind(null, needs),
  });
}
