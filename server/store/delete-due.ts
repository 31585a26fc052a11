import { sql } from 'kysely';
import type { Database, Spelling } from './database.ts';
import { type PreparedWrite, prepareWrite } from './prepared-query.ts';
import type { Tables } from './schema.ts';

/** Rows are due when the column `due`, which leads an index, is at most `dueBy`. Rows without a value there are never due. */
interface DueRows<Table extends keyof Tables> {
  readonly table: Table;
  readonly key: readonly (keyof Tables[Table] & string)[];
  readonly due: keyof Tables[Table] & string;
}

/** Deletes at most `atMost` rows, those due for longest first. */
export function prepareDeletion<Table extends keyof Tables>(
  database: Database,
  { isSelected }: Spelling,
  { table, key, due }: DueRows<Table>,
): PreparedWrite<{ readonly dueBy: number; readonly atMost: number }> {
  return prepareWrite(database, ({ dueBy, atMost }) => {
    const isDue = (column: string) => sql`${sql.ref(column)} <= ${dueBy}`;
    const place = `due.${due}`;
    const selected = isSelected(
      key,
      (columns) =>
        sql`select ${columns} from ${sql.table(table)} as due where ${isDue(place)} order by ${sql.ref(place)} limit ${atMost}`,
    );
    // Judged again for the row itself, which another process may have renewed since it was selected.
    const deletion = sql`delete from ${sql.table(table)} where ${selected} and ${isDue(due)}`;
    return { compile: () => deletion.compile(database) };
  });
}
