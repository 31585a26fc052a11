import type { Transaction } from 'kysely';
import type { Spelling } from '../database.ts';

/** One step of the schema. Once released it never changes: what is wrong with it is mended by the next one. */
export interface Migration {
  /** 1, 2, 3 …, alike for every database. */
  readonly version: number;
  readonly name: string;
  /** Portable through the schema builder; knows no table type, since those describe the newest schema. */
  readonly up: (transaction: Transaction<unknown>, spelling: Spelling) => Promise<void>;
}
