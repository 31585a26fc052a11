import type { CommandResult } from '../commands/command.ts';
import type { Config } from '../config.ts';
import type { Store } from '../store/store.ts';

/**
 * Opens the database for one command, and closes it whatever comes of it.
 *
 * @param mayCreate whether a database that isn't there is made: a command that finds nothing in it would leave an empty one behind
 */
export async function withStore(
  config: Config,
  use: (store: Store) => Promise<CommandResult>,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<CommandResult> {
  const [{ mkdir }, { dirname }, { openSqliteStore }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('../store/sqlite/open-store.ts'),
  ]);
  if (mayCreate) await mkdir(dirname(config.database), { recursive: true, mode: 0o700 });
  const store = await openSqliteStore(config.database, { mayCreate });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
