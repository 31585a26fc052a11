import type { Transaction } from 'kysely';
import type { Spelling } from '../database.ts';

/** One step of the schema. A released step never changes: a later step fixes its mistakes. */
export interface Migration {
  /** 1, 2, 3 …, the same for every database. */
  readonly version: number;
  readonly name: string;
  /** Portable through the schema builder; uses no table type, since those describe the newest schema. */
  readonly up: (transaction: Transaction<unknown>, spelling: Spelling) => Promise<void>;
}
