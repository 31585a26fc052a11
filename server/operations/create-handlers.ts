import type { Bridges } from '../bridge/start-bridges.ts';
import type { Clock } from '../clock.ts';
import type { Keys } from '../keys.ts';
import type { Store } from '../store/store.ts';
import { createActivityOperations } from './activity/activity.ts';
import { createAlgoPinOperations } from './algo-pins/algo-pins.ts';
import { createDeviceOperations } from './devices/devices.ts';
import { createJobOperations } from './jobs/jobs.ts';

export interface HandlerNeeds {
  readonly store: Store;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly bridges: Pick<Bridges, 'link' | 'wake'>;
}

/** All handlers of the resource API, on one store. */
export function createHandlers({ store, clock, keys, bridges }: HandlerNeeds) {
  // One part for each topic. `ApiHandlers` makes a missing operation a compile error: CONTRIBUTING.md, "Add an operation".
  return {
    ...createDeviceOperations({ store, clock, keys }),
    ...createActivityOperations({ store, clock, keys }),
    ...createAlgoPinOperations({ store, clock, keys }),
    ...createJobOperations({ store, clock, keys, link: bridges.link, wakeBridges: bridges.wake }),
  };
}
