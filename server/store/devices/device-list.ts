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
 * Lists by keyset: a page is read from its position in an index, however far in it is. Each of the 64 shapes, the 32 of a search's first
 * devices, and the 8 of the device after those, is compiled once.
 *
 * To find nothing among 500,000 devices in the order of an index takes PostgreSQL a second of processor time, since each device is on another
 * page of the table; in the order of the table it takes a quarter. So a search whose page is not full soon reads all devices in that order, and
 * sorts those found. Most accounts have no more devices than the first.
 */
export function prepareDeviceList(
  database: Database,
  spelling: Spelling,
  near: number = mostNear,
): (query: DeviceQuery) => Promise<readonly DeviceRow[]> {
  const prepared = new Map<string, PreparedQuery<ListArguments, DeviceRow>>();
  const beyond = new Map<string, PreparedQuery<ListArguments, { readonly deviceId: string }>>();
  const argumentsOf = ({ accountId, type, search, after, limit }: DeviceQuery): ListArguments => {
    const text = escapeLike(searchForm(search ?? ''));
    const place = { afterValue: after?.value, afterId: after?.deviceId };
    return { accountId, type, nameLike: `%${text}%`, idLike: `${text}%`, ...place, limit, near };
  };
  const read = (query: DeviceQuery, isNear: boolean, within?: DatabaseTransaction) => {
    const { sort, type, search, algoPinOnly = false, after } = query;
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
    return run(argumentsOf(query), within);
  };
  const hasOthers = async (query: DeviceQuery): Promise<boolean> => {
    const { sort, after } = query;
    const key = [sort.by, sort.descending, after !== undefined].join();
    const run = beyond.get(key) ?? prepareBeyond(database, query);
    beyond.set(key, run);
    return (await run(argumentsOf(query))).length > 0;
  };
  return async (query) => {
    const { inTableOrder } = spelling;
    if (query.search === undefined || inTableOrder === null) return read(query, false);
    const found = await read(query, true);
    if (found.length === query.limit || !(await hasOthers(query))) return found;
    return database.transaction().execute(async (transaction) => {
      await inTableOrder.execute(transaction);
      return read(query, false, transaction);
    });
  };
}

/** The devices of an account from the position of a page on, in no order. */
function selectFrom(database: Database, { sort, after }: DeviceQuery, argument: ListArguments) {
  const listed = database.selectFrom('device').where('device.account_id', '=', argument.accountId);
  if (after === undefined) return listed;
  return listed.where(({ eb, refTuple, tuple }) =>
    eb(
      refTuple(sortColumns[sort.by], 'device.device_id'),
      sort.descending ? '<' : '>',
      tuple(argument.afterValue as string & number, argument.afterId as string),
    ),
  );
}

/** The device that follows the first ones of a search. */
function prepareBeyond(
  database: Database,
  query: DeviceQuery,
): PreparedQuery<ListArguments, { readonly deviceId: string }> {
  const direction = query.sort.descending ? 'desc' : 'asc';
  return prepareQuery(database, (argument) =>
    selectFrom(database, query, argument)
      .select('device.device_id as deviceId')
      .orderBy(sortColumns[query.sort.by], direction)
      .orderBy('device.device_id', direction)
      .limit(1)
      .offset(argument.near),
  );
}

function prepareList(
  database: Database,
  spelling: Spelling,
  shape: DeviceQuery,
  isNear: boolean,
): PreparedQuery<ListArguments, DeviceRow> {
  const { sort, type, search, algoPinOnly } = shape;
  const direction = sort.descending ? 'desc' : 'asc';
  const column = sortColumns[sort.by];
  return prepareQuery(database, (argument) => {
    let listed = selectFrom(database, shape, argument);
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
