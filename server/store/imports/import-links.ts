import { type NotNull, sql } from 'kysely';
import { takeBatches } from '../batches.ts';
import type { DatabaseTransaction, Spelling } from '../database.ts';
import { type DeviceType, linkable, type NewDevice } from '../records.ts';
import type { Tables } from '../schema.ts';
import { StoreConflict } from '../store.ts';
import type { DeviceRecord, ImportStore } from './import-store.ts';

/**
 * Writes the properties of each device, in the given order.
 *
 * @throws StoreConflict for a property that the account does not have
 */
export async function writePlaces(
  transaction: DatabaseTransaction,
  { isAmong }: Spelling,
  devices: readonly DeviceRecord[],
): Promise<void> {
  const propertyIds = new Set(devices.flatMap((device) => device.propertyIds));
  const found = await transaction
    .selectFrom('property')
    .select(['id', 'account_id'])
    .where(isAmong('id', JSON.stringify([...propertyIds])))
    .execute();
  const owners = new Map(found.map(({ id, account_id }) => [id, account_id]));
  for (const { deviceId, accountId, propertyIds } of devices)
    for (const id of propertyIds)
      if (owners.get(id) !== accountId) throw new StoreConflict(`the account of ${deviceId} has no property ${id}`);

  const deviceIds = JSON.stringify(devices.map(({ deviceId }) => deviceId));
  await transaction.deleteFrom('device_property').where(isAmong('device_id', deviceIds)).execute();
  const rows = devices.flatMap(({ deviceId, propertyIds }) =>
    propertyIds.map((propertyId, position) => ({ device_id: deviceId, position, property_id: propertyId })),
  );
  for (const batch of takeBatches(rows)) await transaction.insertInto('device_property').values(batch).execute();
}

/**
 * Replaces the links of the devices and the bridges that link them. Afterwards each device reads back as given. Any other device keeps its
 * links, except those to a device that now has another bridge.
 *
 * @throws StoreConflict if a link refers to another account, or the devices disagree about a bridge
 */
export async function writeLinks(
  transaction: DatabaseTransaction,
  { isAmong }: Spelling,
  devices: readonly NewDevice[],
): Promise<void> {
  const given = JSON.stringify(devices.map(({ deviceId }) => deviceId));
  await transaction
    .deleteFrom('device_link')
    .where(({ eb, or, and }) =>
      or([isAmong('device_id', given), and([isAmong('linked_id', given), eb('by_bridge', '=', eb.lit(1))])]),
    )
    .execute();
  const links = collectLinks(devices);
  const ends = JSON.stringify([...new Set(links.flatMap((link) => [link.from, link.to]))]);
  const known = await transaction
    .selectFrom('device')
    .leftJoin('device_link', (join) =>
      join
        .onRef('device_link.linked_id', '=', 'device.device_id')
        .on('device_link.by_bridge', '=', sql.lit(1 as const)),
    )
    .select(['device.device_id', 'device.account_id', 'device.type', 'device_link.device_id as bridge_id'])
    .where(isAmong('device.device_id', ends))
    .execute();
  const rows = checkLinks(links, new Map(known.map((row) => [row.device_id, row])));
  for (const batch of takeBatches(rows)) await transaction.insertInto('device_link').values(batch).execute();
}

interface Link {
  readonly from: string;
  readonly to: string;
  readonly accountId: string;
  /** Whether the linked device names the other as its bridge. */
  readonly asBridge: boolean;
}

/** Each link once, even if both of its devices name it. */
function collectLinks(devices: readonly NewDevice[]): readonly Link[] {
  const given = new Map(devices.map((device) => [device.deviceId, device]));
  const links = new Map<string, Link>();
  const add = (link: Link) => links.set(`${link.from} ${link.to}`, link);
  for (const { deviceId, accountId, type, linked } of devices) {
    for (const { deviceId: to } of linked) {
      const end = given.get(to);
      if (type === 'Bridge' && end !== undefined && end.bridgeId !== deviceId)
        throw new StoreConflict(`${deviceId} links ${to}, whose bridge is ${end.bridgeId ?? 'none'}`);
      add({ from: deviceId, to, accountId, asBridge: false });
    }
  }
  for (const { deviceId, accountId, bridgeId } of devices) {
    if (bridgeId === null) continue;
    if (given.get(bridgeId)?.linked.every((link) => link.deviceId !== deviceId))
      throw new StoreConflict(`the bridge of ${deviceId} is ${bridgeId}, which does not link it`);
    add({ from: bridgeId, to: deviceId, accountId, asBridge: true });
  }
  return [...links.values()];
}

interface Known {
  readonly account_id: string;
  readonly type: DeviceType;
  readonly bridge_id: string | null;
}

function checkLinks(links: readonly Link[], known: ReadonlyMap<string, Known>): Tables['device_link'][] {
  const bridgeOf = new Map([...known].map(([deviceId, { bridge_id }]) => [deviceId, bridge_id]));
  return links.map(({ from, to, accountId, asBridge }) => {
    const ends = [known.get(from), known.get(to)];
    if (ends.some((end) => end?.account_id !== accountId))
      throw new StoreConflict(`${from} links ${to}, and the account does not have both`);
    const byBridge = ends[0]?.type === 'Bridge';
    const bridgeId = bridgeOf.get(to) ?? null;
    if (asBridge && !byBridge) throw new StoreConflict(`the bridge of ${to} is ${from}, which is no bridge`);
    if (byBridge && bridgeId !== null) throw new StoreConflict(`${from} links ${to}, which ${bridgeId} links already`);
    if (byBridge) bridgeOf.set(to, from);
    return { device_id: from, linked_id: to, by_bridge: byBridge ? 1 : 0 };
  });
}

/**
 * Replaces the links of each device by links to stored devices.
 *
 * @throws StoreConflict if the account does not have both devices, or their types can't be linked
 */
export async function replaceLinks(
  transaction: DatabaseTransaction,
  { isAmong }: Spelling,
  accountId: string,
  links: Parameters<ImportStore['relink']>[1],
): Promise<void> {
  const owners = links.map(({ deviceId }) => deviceId);
  const found = await transaction
    .selectFrom('device')
    .select(['device_id', 'account_id', 'type'])
    .where(isAmong('device_id', JSON.stringify([...owners, ...links.flatMap(({ linked }) => linked)])))
    .execute();
  // With the account as a condition of the query, SQLite reads all of its devices: 8 ms for each batch if it has 20,000.
  const own = found.filter(({ account_id }) => account_id === accountId);
  const typeOf = new Map(own.map(({ device_id, type }) => [device_id, type]));
  const rows = links.flatMap(({ deviceId, linked }) =>
    linked.map((to) => {
      const [from, end] = [typeOf.get(deviceId), typeOf.get(to)];
      if (from === undefined || end === undefined)
        throw new StoreConflict(`${deviceId} links ${to}, and the account does not have both`);
      if (!linkable[from].includes(end))
        throw new StoreConflict(`${deviceId} links ${to}, which is a ${end} that a ${from} can't link`);
      return { device_id: deviceId, linked_id: to, by_bridge: from === 'Bridge' ? (1 as const) : (0 as const) };
    }),
  );
  const taken = rows.filter(({ by_bridge }) => by_bridge === 1).map(({ linked_id }) => linked_id);
  // Two statements, since for one with `or` SQLite reads the whole table.
  await transaction
    .deleteFrom('device_link')
    .where(isAmong('device_id', JSON.stringify(owners)))
    .execute();
  await transaction
    .deleteFrom('device_link')
    .where(isAmong('linked_id', JSON.stringify(taken)))
    .where(({ eb }) => eb('by_bridge', '=', eb.lit(1)))
    .execute();
  for (const batch of takeBatches(rows)) await transaction.insertInto('device_link').values(batch).execute();
}

/** Removes links that the new type of a device doesn't allow. A bridge that became a lock keeps its keypads. */
export async function endUnfitLinks(
  transaction: DatabaseTransaction,
  { isAmong }: Spelling,
  changed: readonly string[],
): Promise<void> {
  if (changed.length === 0) return;
  const ids = JSON.stringify(changed);
  const links = await transaction
    .selectFrom('device_link as link')
    .select(['link.device_id', 'link.linked_id', 'link.by_bridge'])
    .select(({ selectFrom }) =>
      (['device_id', 'linked_id'] as const).map((end) =>
        selectFrom('device')
          .select('type')
          .whereRef('device.device_id', '=', `link.${end}`)
          .as(end === 'device_id' ? 'fromType' : 'toType'),
      ),
    )
    .$narrowType<{ fromType: NotNull; toType: NotNull }>()
    .where(({ or }) => or([isAmong('link.device_id', ids), isAmong('link.linked_id', ids)]))
    .execute();
  for (const { device_id, linked_id, by_bridge, fromType, toType } of links) {
    const isKept = linkable[fromType].includes(toType);
    const byBridge = fromType === 'Bridge' ? 1 : 0;
    if (isKept && by_bridge === byBridge) continue;
    await transaction
      .deleteFrom('device_link')
      .where('device_id', '=', device_id)
      .where('linked_id', '=', linked_id)
      .execute();
    if (!isKept) continue;
    // A lock that became a bridge gets those of its keypads that no other bridge has.
    await transaction
      .insertInto('device_link')
      .values({ device_id, linked_id, by_bridge: byBridge })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
