import { readFile } from 'node:fs/promises';
import type { EpochMilliseconds } from '../clock.ts';
import { type Store, StoreConflict } from '../store/store.ts';
import { buildRecords } from './build-records.ts';
import { type CommandResult, done, refused } from './command.ts';
import type { ImportFile } from './import-schema.ts';
import { readImportFile } from './read-import-file.ts';

type WithStore = (use: (store: Pick<Store, 'imports'>) => Promise<CommandResult>) => Promise<CommandResult>;

/**
 * `import FILE`: all of the file or nothing of it; running it again changes nothing. A new account starts subscribed.
 *
 * @param withStore opens the database, or makes one, and closes it: only where the file is sound
 */
export async function importFile(withStore: WithStore, file: string, now: EpochMilliseconds): Promise<CommandResult> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => cause);
  if (bytes instanceof Error)
    return refused(`${file} can't be read: ${bytes.code === 'ENOENT' ? 'it does not exist' : bytes.message}`);
  const read = readImportFile(bytes);
  if ('faults' in read) {
    const lines = read.faults.map((fault) => `${file}: ${fault}`);
    return refused([...lines, 'Nothing was imported.'].join('\n'), { faults: read.faults });
  }
  return withStore((store) => write(store, read.file, now));
}

async function write(store: Pick<Store, 'imports'>, file: ImportFile, now: EpochMilliseconds): Promise<CommandResult> {
  const { account, properties = [], devices = [] } = file;
  const scope = {
    accountId: account.id,
    propertyIds: properties.map(({ id }) => id),
    deviceIds: devices.map(({ deviceId }) => deviceId),
  };
  const audit = { at: now, accountId: account.id, clientId: 'operator', action: 'import', deviceId: null };
  try {
    const counts = await store.imports.rebuild(scope, (stored) => ({
      ...buildRecords(file, stored, now),
      account: { ...account, trialEndsAt: null },
      audit: { ...audit, requestId: null },
    }));
    return done(`${account.id}: ${counts.properties} properties, ${counts.devices} devices`, {
      account: account.id,
      ...counts,
    });
  } catch (error) {
    if (error instanceof StoreConflict) return refused(`${error.message}. Nothing was imported.`);
    throw error;
  }
}
