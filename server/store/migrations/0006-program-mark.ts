import type { Migration } from './migration.ts';

/** Whose file it is, in its header, so that it needn't be guessed from the names of tables. A database server has its databases named by who made them. */
export const programMark: Migration = {
  version: 6,
  name: 'program-mark',
  up: async (transaction, { programMark }) => {
    await programMark?.execute(transaction);
  },
};
