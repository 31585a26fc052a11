import type { Database, DatabaseTransaction } from '../database.ts';
import { prepareWrite } from '../prepared-query.ts';
import { type ActivityRow, activityColumns, toActivityRow } from './activity-rows.ts';
import type { NewActivity } from './activity-store.ts';

/** Numbers of rows per statement. Each shape is compiled once, and a full push of 100 is one statement. */
const shapes = [100, 10, 1] as const;

/** Whether that number of entries is added by one statement. */
export function isOneStatement(entries: number): boolean {
  return shapes.some((rows) => rows === entries);
}

/** Adds entries by one statement or inside a transaction; existing entries stay as they are. @returns the number of new entries */
export type AddActivity = (entries: readonly NewActivity[], within: Database | DatabaseTransaction) => Promise<number>;

export function prepareAddActivity(database: Database): AddActivity {
  const inserts = shapes.map((rows) => ({ rows, insert: prepareInsert(database, rows) }));
  return async (entries, within) => {
    // Concurrent pushes of the same entries write them in one order, so that they can't deadlock. The sort is stable: of two entries with one
    // id, the first of the push stays first.
    const rows = entries.map(toActivityRow).sort(byIdentity);
    let added = 0;
    let next = 0;
    for (const { rows: size, insert } of inserts) {
      for (; next + size <= rows.length; next += size) added += await insert(rows.slice(next, next + size), within);
    }
    return added;
  };
}

function prepareInsert(database: Database, size: number) {
  // The arguments are one flat list, row after row: 1,100 named arguments would cost a quarter of the whole push.
  const insert = prepareWrite<readonly ActivityRow[keyof ActivityRow][]>(database, (cells) =>
    database
      .insertInto('activity')
      .columns(activityColumns)
      .values(
        Array.from({ length: size }, (_, row) =>
          Object.fromEntries(
            activityColumns.map((column, index) => [column, cells[row * activityColumns.length + index]]),
          ),
        ) as unknown as ActivityRow[],
      )
      .onConflict((conflict) => conflict.doNothing()),
  );
  return (rows: readonly ActivityRow[], within: Database | DatabaseTransaction) =>
    insert(
      rows.flatMap((row) => activityColumns.map((column) => row[column])),
      within,
    );
}

function byIdentity(one: ActivityRow, other: ActivityRow): number {
  if (one.device_id !== other.device_id) return one.device_id < other.device_id ? -1 : 1;
  if (one.id !== other.id) return one.id < other.id ? -1 : 1;
  return 0;
}
