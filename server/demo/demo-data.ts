import type { DeviceType, NewDevice, Property } from '../store/records.ts';

/**
 * The data of the demo: three accounts, and a device for each answer of the API. Ids are fixed, so that guides and examples can name
 * them. Times are milliseconds relative to the first start.
 */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Account ids have a prefix that no client id has: a token's subject can be either (RFC 9068, 5). */
export const harbourStays = 'account-harbour-stays';
export const meadowLodge = 'account-meadow-lodge';
export const lapsedRentals = 'account-lapsed-rentals';

export const demoAccounts = [
  { id: harbourStays, name: 'Harbour Stays', trialEndsAfter: null },
  { id: meadowLodge, name: 'Meadow Lodge', trialEndsAfter: 30 * day },
  { id: lapsedRentals, name: 'Lapsed Rentals', trialEndsAfter: -day },
] as const;

const harbourHouse = '65a000000000000000000001';
const patanGuestHouse = '65a000000000000000000002';
const annex = '65a000000000000000000003';
const meadowHouse = '65b000000000000000000001';
const lapsedHouse = '65c000000000000000000001';

export const demoProperties: readonly Property[] = [
  { id: harbourHouse, accountId: harbourStays, name: 'Harbour House', timezone: 'Europe/Berlin' },
  { id: patanGuestHouse, accountId: harbourStays, name: 'Patan Guest House', timezone: 'Asia/Kathmandu' },
  { id: annex, accountId: harbourStays, name: 'Annex', timezone: null },
  { id: meadowHouse, accountId: meadowLodge, name: 'Meadow House', timezone: 'America/New_York' },
  { id: lapsedHouse, accountId: lapsedRentals, name: 'Lapsed House', timezone: 'UTC' },
];

/** A device with its times as spans before the first start: when it was paired and last heard of. */
export type DemoDevice = Omit<NewDevice, 'pairedAt' | 'lastSyncAt'> & {
  readonly pairedBefore: number;
  readonly syncedBefore: number;
};

const pairing = 264 * day;

export const demoDevices: readonly DemoDevice[] = [
  // Online: its jobs are delivered.
  bridge('68f1c2d3e4a5b6c7d8e9f002', 'BR1A00000001', 'Harbour bridge', {
    propertyIds: [harbourHouse],
    linked: [
      { deviceId: 'KP1A00000001', type: 'Keypad' },
      { deviceId: 'KP1A00000002', type: 'Keypad' },
      { deviceId: 'LK1A00000002', type: 'Lock' },
      { deviceId: 'LK2A00000001', type: 'Lock' },
    ],
    online: true,
    pairedBefore: pairing + 25 * minute,
    syncedBefore: 30 * second,
  }),
  // Offline: every job through it is 406.
  bridge('68f1c2d3e4a5b6c7d8e9f004', 'BR1A00000002', 'Patan bridge', {
    propertyIds: [patanGuestHouse],
    linked: [{ deviceId: 'LK2A00000004', type: 'Lock' }],
    online: false,
    pairedBefore: 200 * day,
    syncedBefore: 3 * day,
  }),
  // Everything works.
  device('68f1c2d3e4a5b6c7d8e9f001', 'LK2A00000001', 'Lock', 'Front door', {
    linked: [{ deviceId: 'KP1A00000002', type: 'Keypad' }],
    bridgeId: 'BR1A00000001',
    batteryLevel: 87,
    pairedBefore: pairing,
    syncedBefore: 3 * minute,
  }),
  // Old firmware: no passage codes.
  device('68f1c2d3e4a5b6c7d8e9f005', 'LK1A00000002', 'Lock', 'Garden gate', {
    bridgeId: 'BR1A00000001',
    batteryLevel: 61,
    supportsPassagePin: false,
    pairedBefore: 700 * day,
    syncedBefore: 12 * minute,
  }),
  // The same name as another lock, nearly empty battery, no bridge.
  device('68f1c2d3e4a5b6c7d8e9f006', 'LK2A00000003', 'Lock', 'Front door', {
    batteryLevel: 4,
    pairedBefore: 150 * day,
    syncedBefore: 2 * day,
  }),
  // A zone at +05:45.
  device('68f1c2d3e4a5b6c7d8e9f007', 'LK2A00000004', 'Lock', 'Patan main door', {
    propertyIds: [patanGuestHouse],
    bridgeId: 'BR1A00000002',
    batteryLevel: 73,
    pairedBefore: 199 * day,
    syncedBefore: 3 * day,
  }),
  // Its property has no timezone: 409.
  device('68f1c2d3e4a5b6c7d8e9f008', 'LK2A00000005', 'Lock', 'Annex door', {
    propertyIds: [annex],
    batteryLevel: 55,
    pairedBefore: 90 * day,
    syncedBefore: 5 * hour,
  }),
  // Letters beyond ASCII, characters with a meaning in patterns; two properties.
  device('68f1c2d3e4a5b6c7d8e9f009', 'LK2A00000006', 'Lock', 'Żółta 100% _suite_ 🐢', {
    propertyIds: [harbourHouse, patanGuestHouse],
    batteryLevel: 100,
    pairedBefore: 80 * day,
    syncedBefore: 40 * minute,
  }),
  // In no property: 409, and 404 for its activity.
  device('68f1c2d3e4a5b6c7d8e9f00a', 'LK2A00000007', 'Lock', 'Unassigned', {
    propertyIds: [],
    batteryLevel: 98,
    pairedBefore: 61 * day,
    syncedBefore: 61 * day,
  }),
  // Never answers: jobs expire.
  device('68f1c2d3e4a5b6c7d8e9f00b', 'KP1A00000001', 'Keypad', 'Reception', {
    bridgeId: 'BR1A00000001',
    batteryLevel: 34,
    pairedBefore: 250 * day,
    syncedBefore: 9 * day,
  }),
  device('68f1c2d3e4a5b6c7d8e9f003', 'KP1A00000002', 'Keypad', 'Front door keypad', {
    bridgeId: 'BR1A00000001',
    batteryLevel: 92,
    pairedBefore: pairing - 5 * minute,
    syncedBefore: 3 * minute,
  }),
  // No algoPIN support: 418. Paired at the same time as LK2A00000003: a tie.
  device('68f1c2d3e4a5b6c7d8e9f00c', 'KP0A00000003', 'Keypad', 'Old safe', {
    batteryLevel: 48,
    supportsAlgoPin: false,
    supportsPassagePin: false,
    pairedBefore: 150 * day,
    syncedBefore: day,
  }),
  bridge('68f1c2d3e4a5b6c7d8e9f00d', 'BR1B00000001', 'Meadow bridge', {
    accountId: meadowLodge,
    propertyIds: [meadowHouse],
    linked: [{ deviceId: 'LK2B00000001', type: 'Lock' }],
    online: true,
    pairedBefore: 21 * day,
    syncedBefore: minute,
  }),
  device('68f1c2d3e4a5b6c7d8e9f00e', 'LK2B00000001', 'Lock', 'Meadow gate', {
    accountId: meadowLodge,
    propertyIds: [meadowHouse],
    bridgeId: 'BR1B00000001',
    batteryLevel: 81,
    pairedBefore: 20 * day,
    syncedBefore: 4 * minute,
  }),
  device('68f1c2d3e4a5b6c7d8e9f00f', 'LK2C00000001', 'Lock', 'Lapsed door', {
    accountId: lapsedRentals,
    propertyIds: [lapsedHouse],
    batteryLevel: 66,
    pairedBefore: 45 * day,
    syncedBefore: 2 * day,
  }),
];

type Given = Partial<DemoDevice> & Pick<DemoDevice, 'pairedBefore' | 'syncedBefore'>;

/** By default, a lock or keypad of Harbour House that accepts every code. */
function device(id: string, deviceId: string, type: DeviceType, deviceName: string, given: Given): DemoDevice {
  return {
    id,
    deviceId,
    accountId: harbourStays,
    deviceName,
    type,
    propertyIds: [harbourHouse],
    linked: [],
    bridgeId: null,
    batteryLevel: null,
    supportsAlgoPin: true,
    supportsPassagePin: true,
    online: null,
    pairingGeneration: 1,
    ...given,
  };
}

function bridge(id: string, deviceId: string, deviceName: string, given: Given): DemoDevice {
  return device(id, deviceId, 'Bridge', deviceName, { supportsAlgoPin: false, supportsPassagePin: false, ...given });
}
