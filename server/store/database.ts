import type { ColumnDataType, Expression, Kysely, RawBuilder, Transaction } from 'kysely';
import type { Tables } from './schema.ts';

/** Of SQLite exactly one per process: a second one waits synchronously, so that the first could never commit. */
export type Database = Kysely<Tables>;

/** Inside a transaction nothing else is used: the root instance there waits for itself forever. */
export type DatabaseTransaction = Transaction<Tables>;

/** Where the two dialects spell one thing in two ways. All other SQL is the same. */
export interface Spelling {
  /** Aggregates rows as a JSON array of pairs in text, in no order: the reader sorts its handful. `[]` for no rows. */
  jsonPairs(first: Expression<unknown>, second: Expression<unknown>): RawBuilder<string>;
  /** The texts of a JSON array as the one column of a subquery, so that a list of any length is one statement. */
  jsonTexts(array: Expression<string>): RawBuilder<string>;
  /** A member of a JSON object in text, as text. Null where there is none, and where the text is no JSON. */
  jsonMember(object: Expression<string>, name: string): RawBuilder<string | null>;
  /** Ends a select whose rows nobody else may then change, or select so, until the transaction ends. */
  readonly rowLock: RawBuilder<unknown>;
  /** Writes into the database whose it is; null where it is no file that could be anybody's. */
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
  /** Follows `create table (...)`. */
  readonly tableEnd: {
    readonly keyed: RawBuilder<unknown>;
    readonly counted: RawBuilder<unknown>;
  };
}
