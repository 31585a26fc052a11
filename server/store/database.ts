import type { ColumnDataType, Expression, Kysely, RawBuilder, SqlBool, Transaction } from 'kysely';
import type { Tables } from './schema.ts';

/** With SQLite, exactly one per process: a second one waits synchronously, so that the first could never commit. */
export type Database = Kysely<Tables>;

/** Code inside a transaction uses this instance alone: the root instance would wait for the transaction forever. */
export type DatabaseTransaction = Transaction<Tables>;

/** SQL that differs between the two dialects. All other SQL is the same. */
export interface Spelling {
  /** Aggregates rows as the text of a JSON array of pairs, in no order: the reader sorts the few pairs. `[]` for no rows. */
  jsonPairs(first: Expression<unknown>, second: Expression<unknown>): RawBuilder<string>;
  /**
   * Matches rows whose column has one of the texts, so that a list of any length is one statement that finds each text by an index.
   *
   * @param texts a JSON array of texts
   */
  isAmong(column: string, texts: string): RawBuilder<SqlBool>;
  /** Matches the rows that the subquery selects, in an alias `due` of the table, by their key. */
  isSelected(
    key: readonly string[],
    selectDue: (columns: RawBuilder<unknown>) => RawBuilder<unknown>,
  ): RawBuilder<SqlBool>;
  /** The pairs of such an array, as a table with the columns `first` and `second`, both integers. */
  jsonPairRows(array: Expression<string>): RawBuilder<{ first: number; second: number }>;
  /** A member of a JSON object in text, as text. Null if there is none or the text is not JSON. */
  jsonMember(object: Expression<string>, name: string): RawBuilder<string | null>;
  /** The first statement of a transaction whose selects read rows in the order of their table. Null where the order makes no difference. */
  readonly inTableOrder: RawBuilder<unknown> | null;
  /** The end of a select that locks its rows until the end of the transaction. */
  readonly rowLock: RawBuilder<unknown>;
  /** The first statements of a transaction that other transactions of this kind wait for; none where all writing transactions do. */
  onlyOne(kind: 'migration' | 'import'): readonly RawBuilder<unknown>[];
  /** Of all processes, one has this lock until it leaves it or loses its connection. Null where one process serves a database. */
  readonly leadership: { readonly take: RawBuilder<{ isTaken: boolean }>; readonly leave: RawBuilder<unknown> } | null;
  /** Whether several processes serve one database. */
  readonly isShared: boolean;
  /** Before the name of a new table whose rows may be lost in a crash of the database: its writes do not wait for the disk. */
  readonly withoutLog: RawBuilder<unknown>;
  /** Writes the program's mark into the database; null for a database server. */
  readonly programMark: RawBuilder<unknown> | null;
  readonly columns: {
    /** Compared and sorted by code points: on PostgreSQL with `COLLATE "C"`. */
    readonly text: ColumnDataType | RawBuilder<unknown>;
    /** 64 bits, for times. */
    readonly time: ColumnDataType | RawBuilder<unknown>;
    readonly bytes: ColumnDataType | RawBuilder<unknown>;
    /** A number that the database counts up, with the primary key. */
    readonly counter: RawBuilder<unknown>;
  };
  /** Text after `create table (...)`. */
  readonly tableEnd: {
    readonly keyed: RawBuilder<unknown>;
    readonly counted: RawBuilder<unknown>;
  };
}
