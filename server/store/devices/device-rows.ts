import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import type { Spelling } from '../database.ts';
import type { Device, DeviceType } from '../records.ts';
import type { Tables } from '../schema.ts';

type RowBuilder = ExpressionBuilder<Tables, 'device'>;

export type DeviceSelection = ReturnType<typeof selectDevices>;

/** A row as `selectDevices` reads it. */
export type DeviceRow = DeviceSelection extends SelectQueryBuilder<Tables, 'device', infer Row> ? Row : never;

/**
 * Selects devices with properties, links, bridge and timezone in one statement: a consistent state in one round trip.
 *
 * @param from the table, or some of its rows under its name
 */
export function selectDevices(from: SelectQueryBuilder<Tables, 'device', unknown>, spelling: Spelling) {
  return from
    .select([
      'device.id',
      'device.device_id',
      'device.account_id',
      'device.name',
      'device.type',
      'device.battery_level',
      'device.paired_at',
      'device.last_sync_at',
      'device.takes_algo_pin',
      'device.takes_passage_pin',
      'device.online',
      'device.pairing_generation',
    ])
    .select((eb) => [
      selectPlaces(eb, spelling).as('places'),
      selectLinked(eb, spelling).as('linked'),
      selectBridge(eb).as('bridge_id'),
      selectTimezone(eb).as('timezone'),
    ]);
}

function selectPlaces(eb: RowBuilder, { jsonPairs }: Spelling) {
  return eb
    .selectFrom('device_property as place')
    .select(({ ref }) => jsonPairs(ref('place.position'), ref('place.property_id')).as('pairs'))
    .whereRef('place.device_id', '=', 'device.device_id');
}

function selectLinked(eb: RowBuilder, { jsonPairs }: Spelling) {
  return eb
    .selectFrom('device_link as link')
    .innerJoin('device as other', 'other.device_id', 'link.linked_id')
    .select(({ ref }) => jsonPairs(ref('other.device_id'), ref('other.type')).as('pairs'))
    .whereRef('link.device_id', '=', 'device.device_id');
}

function selectBridge(eb: RowBuilder) {
  return (
    eb
      .selectFrom('device_link as bridge')
      .select('bridge.device_id')
      .whereRef('bridge.linked_id', '=', 'device.device_id')
      // With a literal, SQLite can use the partial index.
      .where('bridge.by_bridge', '=', eb.lit(1))
  );
}

function selectTimezone(eb: RowBuilder) {
  return eb
    .selectFrom('device_property as first')
    .innerJoin('property', 'property.id', 'first.property_id')
    .select('property.timezone')
    .whereRef('first.device_id', '=', 'device.device_id')
    .where('first.position', '=', eb.lit(0));
}

export function readDevice(row: DeviceRow): Device {
  return {
    id: row.id,
    deviceId: row.device_id,
    accountId: row.account_id,
    deviceName: row.name,
    type: row.type,
    timezone: row.timezone,
    propertyIds: readPairs<number, string>(row.places).map(([, propertyId]) => propertyId),
    linked: readPairs<string, DeviceType>(row.linked).map(([deviceId, type]) => ({ deviceId, type })),
    bridgeId: row.bridge_id,
    batteryLevel: row.battery_level,
    pairedAt: row.paired_at,
    lastSyncAt: row.last_sync_at,
    supportsAlgoPin: row.takes_algo_pin === 1,
    supportsPassagePin: row.takes_passage_pin === 1,
    online: row.online === null ? null : row.online === 1,
    pairingGeneration: row.pairing_generation,
  };
}

/** Pairs in the order of their first members, which are unique. */
function readPairs<First extends string | number, Second>(json: string | null): [First, Second][] {
  const pairs: [First, Second][] = JSON.parse(json ?? '[]');
  return pairs.sort(([one], [other]) => (one < other ? -1 : 1));
}
