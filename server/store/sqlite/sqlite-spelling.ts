import { type SqlBool, sql } from 'kysely';
import type { Spelling } from '../database.ts';

/** `LKST` in ASCII, in the header of each database since schema 6. */
export const applicationId = 0x4c4b5354;

/** SQLite compares text by its UTF-8 bytes, which is the order of code points, and has a counter: the rowid. */
export const sqliteSpelling: Spelling = {
  jsonPairs: (first, second) => sql<string>`json_group_array(json_array(${first}, ${second}))`,
  isAmong: (column, texts) => sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${texts}))`,
  isSelected: (key, selectDue) => {
    const columns = (alias: string) => sql.join(key.map((column) => sql.ref(`${alias}${column}`)));
    return sql<SqlBool>`(${columns('')}) in (${selectDue(columns('due.'))})`;
  },
  jsonPairRows: (array) =>
    sql`(select json_extract(value, '$[0]') as first, json_extract(value, '$[1]') as second from json_each(${array}))`,
  jsonMember: (object, name) =>
    sql<string | null>`iif(json_valid(${object}), json_extract(${object}, ${sql.lit(`$.${name}`)}), null)`,
  inTableOrder: null,
  // A transaction that writes locks the whole database when it begins.
  rowLock: sql``,
  onlyOne: () => [],
  leadership: null,
  isShared: false,
  withoutLog: sql``,
  programMark: sql`pragma application_id = ${sql.lit(applicationId)}`,
  columns: { text: 'text', time: 'integer', bytes: 'blob', counter: sql`integer primary key` },
  // STRICT rejects text in a column of numbers; a table that is read by its key needs no second index by rowid.
  tableEnd: { keyed: sql`strict, without rowid`, counted: sql`strict` },
};
