import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Database, Spelling } from '../database.ts';
import { type PreparedQuery, prepareQuery } from '../prepared-query.ts';
import type { DeviceType } from '../records.ts';
import type { Tables } from '../schema.ts';
import type { DeviceQuery } from '../store.ts';
import { type DeviceRow, selectDevices } from './device-rows.ts';
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
}

const sortColumns = { deviceName: 'device.name_sort', pairedAt: 'device.paired_at' } as const;

/** Lists by keyset: a page is read from its position in an index, however far in it is. Each of the 64 shapes is compiled once. */
export function prepareDeviceList(
  database: Database,
  spelling: Spelling,
): (query: DeviceQuery) => Promise<readonly DeviceRow[]> {
  const prepared = new Map<string, PreparedQuery<ListArguments, DeviceRow>>();
  return (query) => {
    const { accountId, sort, type, search, algoPinOnly = false, after, limit } = query;
    const shape = [
      sort.by,
      sort.descending,
      type !== undefined,
      search !== undefined,
      algoPinOnly,
      after !== undefined,
    ];
    const key = shape.join();
    const run = prepared.get(key) ?? prepareList(database, spelling, query);
    prepared.set(key, run);
    const text = escapeLike(searchForm(search ?? ''));
    const place = { afterValue: after?.value, afterId: after?.deviceId };
    return run({ accountId, type, nameLike: `%${text}%`, idLike: `${text}%`, ...place, limit });
  };
}

function prepareList(
  database: Database,
  spelling: Spelling,
  { sort, type, search, algoPinOnly, after }: DeviceQuery,
): PreparedQuery<ListArguments, DeviceRow> {
  const direction = sort.descending ? 'desc' : 'asc';
  const column = sortColumns[sort.by];
  return prepareQuery(database, (argument) => {
    let query = selectDevices(database, spelling)
      .where('device.account_id', '=', argument.accountId)
      .orderBy(column, direction)
      .orderBy('device.device_id', direction)
      .limit(argument.limit);
    if (type !== undefined) query = query.where('device.type', '=', argument.type as DeviceType);
    if (algoPinOnly) query = query.where('device.takes_algo_pin', '=', 1);
    if (search !== undefined) query = query.where((eb) => matches(eb, argument));
    if (after !== undefined)
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple(column, 'device.device_id'),
          sort.descending ? '<' : '>',
          tuple(argument.afterValue as string & number, argument.afterId as string),
        ),
      );
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
