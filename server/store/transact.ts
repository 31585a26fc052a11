import type { Database, DatabaseTransaction, Spelling } from './database.ts';
import { asLongWork } from './patience.ts';
import { StoreUnavailable } from './store.ts';

/** Of two transactions that wait for each other one goes on, so that the second attempt of the other rarely fails. */
const mostAttempts = 3;

/**
 * Runs a transaction, and runs it again if the database has undone it in favour of another one. After a lost connection it may have happened,
 * so that only the caller may repeat it.
 *
 * @param act has no effect but in the database
 */
export async function transact<Result>(
  database: Database,
  act: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction().execute(act);
    } catch (error) {
      if (!(error instanceof StoreUnavailable && error.isUndone) || attempt === mostAttempts) throw error;
    }
  }
}

/** Runs a transaction that no other of this kind runs next to. It may wait for others, and take, as long as its kind allows. */
export function transactAlone<Result>(
  database: Database,
  { onlyOne }: Spelling,
  kind: Parameters<Spelling['onlyOne']>[0],
  act: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  return asLongWork(() =>
    transact(database, async (transaction) => {
      for (const statement of onlyOne(kind)) await statement.execute(transaction);
      return act(transaction);
    }),
  );
}
