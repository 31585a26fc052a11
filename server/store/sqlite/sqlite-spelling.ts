import { sql } from 'kysely';
import type { Spelling } from '../database.ts';

/** `LKST` in ASCII, in the header of each file of ours since schema 6. */
export const applicationId = 0x4c4b5354;

/** SQLite compares text by its UTF-8 bytes, which is the order of code points, and counts up a rowid. */
export const sqliteSpelling: Spelling = {
  jsonPairs: (first, second) => sql<string>`json_group_array(json_array(${first}, ${second}))`,
  jsonTexts: (array) => sql<string>`(select value from json_each(${array}))`,
  jsonMember: (object, name) =>
    sql<string | null>`iif(json_valid(${object}), json_extract(${object}, ${sql.lit(`$.${name}`)}), null)`,
  // A transaction that writes has locked the whole database when it began.
  rowLock: sql``,
  programMark: sql`pragma application_id = ${sql.lit(applicationId)}`,
  columns: { text: 'text', time: 'integer', bytes: 'blob', counter: sql`integer primary key` },
  // STRICT refuses text in a column of numbers; a table looked up by its key needs no second one by rowid.
  tableEnd: { keyed: sql`strict, without rowid`, counted: sql`strict` },
};
