import type { Migration } from './migration.ts';

/** The program's mark in the file's header, so that no start has to guess from the names of tables. A database server needs no mark. */
export const programMark: Migration = {
  version: 6,
  name: 'program-mark',
  up: async (transaction, { programMark }) => {
    await programMark?.execute(transaction);
  },
};
