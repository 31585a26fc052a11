import type { Import } from '../imports/import-store.ts';
import type { Device, Property } from '../records.ts';
import { makeBridge, makeDevice, objectId } from './records.ts';

interface Conflict {
  readonly name: string;
  readonly says: RegExp;
  readonly given: (mine: string, foreign: string) => Partial<Import>;
}

/**
 * Imports with a conflict. Both accounts have a property `house`, and a bridge `<account>-bridge` that links
 * `<account>-lock`.
 */
export const conflicts: readonly Conflict[] = [
  {
    name: "a property is another account's",
    says: /property .* belongs to another account/,
    given: (mine, foreign) => ({ properties: [{ ...makeProperty(foreign, 'house'), accountId: mine }] }),
  },
  {
    name: "a device is another account's",
    says: /device .*-lock belongs to another account/,
    given: (mine, foreign) => ({ devices: [makeDevice(mine, `${foreign}-lock`)] }),
  },
  {
    name: "an object id is another account's device",
    says: /belongs to another device/,
    given: (mine, foreign) => ({ devices: [makeDevice(mine, `${mine}-x`, { id: objectId(`${foreign}-lock`) })] }),
  },
  {
    name: "an object id is another device's",
    says: /belongs to another device/,
    given: (mine) => ({ devices: [makeDevice(mine, `${mine}-x`, { id: objectId(`${mine}-lock`) })] }),
  },
  {
    name: 'a device comes with another object id',
    says: /-lock has the id/,
    given: (mine) => ({ devices: [makeDevice(mine, `${mine}-lock`, { id: objectId('other') })] }),
  },
  {
    name: 'two devices share an object id',
    says: /share one id/,
    given: (mine) => ({
      devices: [makeDevice(mine, `${mine}-x`), makeDevice(mine, `${mine}-y`, { id: objectId(`${mine}-x`) })],
    }),
  },
  {
    name: 'a device occurs twice',
    says: /device occurs twice/,
    given: (mine) => ({ devices: [makeDevice(mine, `${mine}-x`), makeDevice(mine, `${mine}-x`)] }),
  },
  {
    name: 'a property occurs twice',
    says: /property occurs twice/,
    given: (mine) => ({ properties: [makeProperty(mine, 'x'), makeProperty(mine, 'x')] }),
  },
  {
    name: 'there is no such account',
    says: /no account account-unknown/,
    given: () => ({ devices: [makeDevice('account-unknown', 'unknown-1')] }),
  },
  {
    name: "a device is in another account's property",
    says: /-x has no property/,
    given: (mine, foreign) => ({
      devices: [makeDevice(mine, `${mine}-x`, { propertyIds: [objectId(`${foreign} house`)] })],
    }),
  },
  {
    name: 'a device is in a property that nobody has',
    says: /-x has no property/,
    given: (mine) => ({ devices: [makeDevice(mine, `${mine}-x`, { propertyIds: [objectId('nowhere')] })] }),
  },
  {
    name: "a bridge links another account's lock",
    says: /does not have both/,
    given: (mine, foreign) => ({ devices: [linking(mine, `${mine}-x`, `${foreign}-lock`)] }),
  },
  {
    name: "a lock is behind another account's bridge",
    says: /does not have both/,
    given: (mine, foreign) => ({ devices: [makeDevice(mine, `${mine}-x`, { bridgeId: `${foreign}-bridge` })] }),
  },
  {
    name: 'a bridge links a lock that nobody has',
    says: /does not have both/,
    given: (mine) => ({ devices: [linking(mine, `${mine}-x`, 'unknown')] }),
  },
  {
    name: 'a bridge links what another bridge links',
    says: /-bridge links already/,
    given: (mine) => ({ devices: [linking(mine, `${mine}-x`, `${mine}-lock`)] }),
  },
  {
    name: 'two bridges link a lock that is named by neither',
    says: /-x links already/,
    given: (mine) => ({
      devices: [linking(mine, `${mine}-x`, `${mine}-loose`), linking(mine, `${mine}-y`, `${mine}-loose`)],
    }),
  },
  {
    name: 'a bridge links a lock that names no bridge',
    says: /whose bridge is none/,
    given: (mine) => ({ devices: [makeDevice(mine, `${mine}-z`), linking(mine, `${mine}-x`, `${mine}-z`)] }),
  },
  {
    name: 'a lock names a bridge that does not link it',
    says: /which does not link it/,
    given: (mine) => ({
      devices: [makeDevice(mine, `${mine}-z`, { bridgeId: `${mine}-x` }), ...makeBridge(mine, `${mine}-x`, [])],
    }),
  },
  {
    name: 'a lock names a lock as its bridge',
    says: /-lock, which is no bridge/,
    given: (mine) => ({ devices: [makeDevice(mine, `${mine}-z`, { bridgeId: `${mine}-lock` })] }),
  },
];

export function makeProperty(accountId: string, name: string): Property {
  return { id: objectId(`${accountId} ${name}`), accountId, name, timezone: 'UTC' };
}

function linking(accountId: string, deviceId: string, lockId: string): Device {
  return makeDevice(accountId, deviceId, { type: 'Bridge', linked: [{ deviceId: lockId, type: 'Lock' }] });
}
