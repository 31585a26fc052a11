import { readFile } from 'node:fs/promises';
import type { EpochMilliseconds } from '../clock.ts';
import { type Store, StoreConflict } from '../store/store.ts';
import { buildRecords } from './build-records.ts';
import { type CommandResult, done, refused } from './command.ts';
import { readImportFile } from './read-import-file.ts';

/** `import FILE`: all of the file or nothing of it; running it again changes nothing. A new account starts subscribed. */
export async function importFile(store: Store, file: string, now: EpochMilliseconds): Promise<CommandResult> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => cause);
  if (text instanceof Error)
    return refused(`${file} can't be read: ${text.code === 'ENOENT' ? 'it does not exist' : text.message}`);
  const read = readImportFile(text);
  if ('faults' in read) {
    const lines = read.faults.map((fault) => `${file}: ${fault}`);
    return refused([...lines, 'Nothing was imported.'].join('\n'), { faults: read.faults });
  }
  try {
    const { account } = read.file;
    const ids = (read.file.devices ?? []).map(({ deviceId }) => deviceId);
    const known = await store.devices.findAll(account.id, ids);
    await store.accounts.put({ ...account, trialEndsAt: null });
    const { properties, devices } = await store.imports.write(buildRecords(read.file, known, now));
    await store.audit.add({
      at: now,
      accountId: account.id,
      clientId: 'operator',
      action: 'import',
      deviceId: null,
      requestId: null,
    });
    return done(`${account.id}: ${properties} properties, ${devices} devices`, {
      account: account.id,
      properties,
      devices,
    });
  } catch (error) {
    if (error instanceof StoreConflict) return refused(`${error.message}. Nothing was imported.`);
    throw error;
  }
}
