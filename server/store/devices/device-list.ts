import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Database, DatabaseTransaction, Spelling } from '../database.ts';
import { type PreparedQuery, prepareQuery } from '../prepared-query.ts';
import type { DeviceType } from '../records.ts';
import type { Tables } from '../schema.ts';
import { type DeviceRow, selectDevices } from './device-rows.ts';
import type { DeviceQuery } from './device-store.ts';
import { escapeLike, searchForm } from './text-forms.ts';

/** All arguments of a list; each shape of a query uses some of them. */
interface ListArguments {
  readonly accountId: string;
  readonly type: DeviceType | undefined;
  readonly nameLike: string;
  readonly idLike: string;
  readonly afterValue: string | number | undefined;
  readonly afterId: string | undefined;
  readonly limit: number;
  readonly near: number;
}

const sortColumns = { deviceName: 'device.name_sort', pairedAt: 'device.paired_at' } as const;

/** Devices among which a search on PostgreSQL looks for its page at first, which takes two milliseconds. */
const mostNear = 1000;

/**
 * Lists by keyset: a page is read from its position in an index, however far in it is. Each of the 64 shapes, and the 32 of a search's first
 * devices, is compiled once.
 *
 * To find nothing among 500,000 devices in the order of an index takes PostgreSQL a second of processor time, since each device is on another
 * page of the table; in the order of the table it takes a quarter. So a search whose page is not full soon reads all devices in that order, and
 * sorts those found.
 */
export function prepareDeviceList(
  database: Database,
  spelling: Spelling,
  near: number = mostNear,
): (query: DeviceQuery) => Promise<readonly DeviceRow[]> {
  const prepared = new Map<string, PreparedQuery<ListArguments, DeviceRow>>();
  const read = (query: DeviceQuery, isNear: boolean, within?: DatabaseTransaction) => {
    const { accountId, sort, type, search, algoPinOnly = false, after, limit } = query;
    const shape = [
      isNear,
      sort.by,
      sort.descending,
      type !== undefined,
      search !== undefined,
      algoPinOnly,
      after !== undefined,
    ];
    const key = shape.join();
    const run = prepared.get(key) ?? prepareList(database, spelling, query, isNear);
    prepared.set(key, run);
    const text = escapeLike(searchForm(search ?? ''));
    const place = { afterValue: after?.value, afterId: after?.deviceId };
    return run({ accountId, type, nameLike: `%${text}%`, idLike: `${text}%`, ...place, limit, near }, within);
  };
  return async (query) => {
    const { inTableOrder } = spelling;
    if (query.search === undefined || inTableOrder === null) return read(query, false);
    const found = await read(query, true);
    if (found.length === query.limit) return found;
    return database.transaction().execute(async (transaction) => {
      await inTableOrder.execute(transaction);
      return read(query, false, transaction);
    });
  };
}

function prepareList(
  database: Database,
  spelling: Spelling,
  { sort, type, search, algoPinOnly, after }: DeviceQuery,
  isNear: boolean,
): PreparedQuery<ListArguments, DeviceRow> {
  const direction = sort.descending ? 'desc' : 'asc';
  const column = sortColumns[sort.by];
  return prepareQuery(database, (argument) => {
    let listed = database.selectFrom('device').where('device.account_id', '=', argument.accountId);
    if (after !== undefined)
      listed = listed.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple(column, 'device.device_id'),
          sort.descending ? '<' : '>',
          tuple(argument.afterValue as string & number, argument.afterId as string),
        ),
      );
    if (isNear) {
      const first = listed.selectAll().orderBy(column, direction).orderBy('device.device_id', direction);
      listed = database.selectFrom(first.limit(argument.near).as('device'));
    }
    let query = selectDevices(listed, spelling)
      .orderBy(column, direction)
      .orderBy('device.device_id', direction)
      .limit(argument.limit);
    if (type !== undefined) query = query.where('device.type', '=', argument.type as DeviceType);
    if (algoPinOnly) query = query.where('device.takes_algo_pin', '=', 1);
    if (search !== undefined) query = query.where((eb) => matches(eb, argument));
    return query;
  });
}

function matches(
  { or, ref }: ExpressionBuilder<Tables, 'device'>,
  { nameLike, idLike }: ListArguments,
): Expression<SqlBool> {
  return or([
    sql<SqlBool>`${ref('device.name_search')} like ${nameLike} escape '\\'`,
    sql<SqlBool>`lower(${ref('device.device_id')}) like ${idLike} escape '\\'`,
  ]);
}
