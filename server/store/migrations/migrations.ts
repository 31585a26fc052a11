import { start } from './0001-start.ts';
import type { Migration } from './migration.ts';

/** Every step in order; the last one's version is the schema that this code reads and writes. */
export const migrations: readonly Migration[] = [start];
