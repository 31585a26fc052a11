import { createHash } from 'node:crypto';
import type { Device } from '../records.ts';
import type { NewOwner, Store } from '../store.ts';

let accounts = 0;
let owners = 0;

/** An account that no other test uses. */
export async function addAccount(store: Store): Promise<string> {
  accounts += 1;
  const id = `account-${accounts}`;
  await store.accounts.put({ id, name: `Account ${accounts}`, trialEndsAt: null });
  return id;
}

/** An owner of that account that no other test uses. */
export function makeOwner(accountId: string, given: Partial<NewOwner> = {}): NewOwner {
  owners += 1;
  return {
    id: `owner-${objectId(`owner ${owners}`)}`,
    accountId,
    email: `owner-${owners}@acme.example`,
    name: `Owner ${owners}`,
    passwordHash: '$scrypt$ln=1,r=8,p=1$c2FsdA$aGFzaA',
    createdAt: 1_780_000_000_001,
    ...given,
  };
}

export async function addOwner(store: Store, accountId: string): Promise<string> {
  const owner = makeOwner(accountId);
  await store.owners.create(owner);
  return owner.id;
}

/** An object id, derived from the name. */
export function objectId(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 24);
}

/** By default a lock of that account, in no property. */
export function makeDevice(accountId: string, deviceId: string, given: Partial<Device> = {}): Device {
  return {
    id: objectId(deviceId),
    deviceId,
    accountId,
    deviceName: 'Door',
    type: 'Lock',
    propertyIds: [],
    timezone: null,
    linked: [],
    bridgeId: null,
    batteryLevel: 50,
    pairedAt: 1_770_000_000_000,
    lastSyncAt: 1_790_000_000_123,
    supportsAlgoPin: true,
    supportsPassagePin: true,
    online: null,
    pairingGeneration: 1,
    ...given,
  };
}

/** A bridge and the locks that it links, agreeing about it. */
export function makeBridge(accountId: string, deviceId: string, lockIds: readonly string[]): Device[] {
  return [
    makeDevice(accountId, deviceId, {
      type: 'Bridge',
      linked: lockIds.map((lockId) => ({ deviceId: lockId, type: 'Lock' })),
      batteryLevel: null,
      supportsAlgoPin: false,
      supportsPassagePin: false,
      online: true,
    }),
    ...lockIds.map((lockId) => makeDevice(accountId, lockId, { bridgeId: deviceId })),
  ];
}
