import type { Database, Spelling } from '../database.ts';
import { prepareDeletion } from '../delete-due.ts';
import { prepareQuery } from '../prepared-query.ts';
import { transact } from '../transact.ts';
import { type ActivityRow, activityColumns, readActivity } from './activity-rows.ts';
import type { ActivityQuery, ActivityStore } from './activity-store.ts';
import { isOneStatement, prepareAddActivity } from './add-activity.ts';

/** A position in the log, at an entry or between two. No id is empty, so that `{ at, id: '' }` is before all entries of that instant. */
interface Place {
  readonly at: number;
  readonly id: string;
}

const first: Place = { at: Number.MIN_SAFE_INTEGER, id: '' };
const last: Place = { at: Number.MAX_SAFE_INTEGER, id: '' };

export function createActivityStore(database: Database, spelling: Spelling): ActivityStore {
  const add = prepareAddActivity(database);
  const lists = { asc: prepareList(database, 'asc'), desc: prepareList(database, 'desc') };
  const purge = prepareDeletion(database, spelling, {
    table: 'activity',
    key: ['device_id', 'at', 'id'],
    due: 'received_at',
  });
  return {
    add: async (entries) => {
      // One statement needs no transaction around it.
      if (isOneStatement(entries.length)) return add(entries, database);
      return entries.length === 0 ? 0 : transact(database, (transaction) => add(entries, transaction));
    },
    list: async (query) => {
      const { above, below } = findBounds(query);
      const bounds = { aboveAt: above.at, aboveId: above.id, belowAt: below.at, belowId: below.id };
      const run = lists[query.descending ? 'desc' : 'asc'];
      return (await run({ deviceId: query.deviceId, ...bounds, limit: query.limit })).map(readActivity);
    },
    purge: (arrivedBefore, atMost) => purge({ dueBy: arrivedBefore - 1, atMost }),
  };
}

interface ListArguments {
  readonly deviceId: string;
  readonly aboveAt: number;
  readonly aboveId: string;
  readonly belowAt: number;
  readonly belowId: string;
  readonly limit: number;
}

/** One statement per direction for all filters: a page is read from its position in the table, however far in it is. */
function prepareList(database: Database, direction: 'asc' | 'desc') {
  return prepareQuery<ListArguments, ActivityRow>(database, (argument) =>
    database
      .selectFrom('activity')
      .select(activityColumns)
      .where('device_id', '=', argument.deviceId)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '>', tuple(argument.aboveAt, argument.aboveId)))
      .where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(argument.belowAt, argument.belowId)))
      .orderBy('at', direction)
      .orderBy('id', direction)
      .limit(argument.limit),
  );
}

/**
 * Combines filters and cursor into one lower and one upper bound, both exclusive. With two upper bounds, SQLite uses one for the search and
 * reads all entries between them: a page far in would cost as much as all pages before it.
 */
function findBounds({ from, before, descending, after }: ActivityQuery): { above: Place; below: Place } {
  const above = from === null ? first : { at: from, id: '' };
  const below = before === null ? last : { at: before, id: '' };
  if (after === null) return { above, below };
  // At the same instant `after` is above the filter's bound, since it has an id.
  return descending
    ? { above, below: after.at < below.at ? after : below }
    : { above: after.at < above.at ? above : after, below };
}
