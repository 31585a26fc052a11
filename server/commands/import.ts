import { readFile } from 'node:fs/promises';
import type { EpochMilliseconds } from '../clock.ts';
import { type Import, type Store, StoreConflict } from '../store/store.ts';
import { buildRecords } from './build-records.ts';
import { type CommandResult, done, refused } from './command.ts';
import type { ImportFile } from './import-schema.ts';
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
    const records = buildRecords(read.file, await findKnown(store, read.file), now);
    const { properties, devices } = await store.imports.write({
      ...records,
      account: { ...account, trialEndsAt: null },
      audit: {
        at: now,
        accountId: account.id,
        clientId: 'operator',
        action: 'import',
        deviceId: null,
        requestId: null,
      },
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

async function findKnown(store: Store, { account, properties = [], devices = [] }: ImportFile): Promise<Import> {
  const propertyIds = properties.map(({ id }) => id);
  const deviceIds = devices.map(({ deviceId }) => deviceId);
  const known = [
    store.properties.findAll(account.id, propertyIds),
    store.devices.findAll(account.id, deviceIds),
  ] as const;
  const [knownProperties, knownDevices] = await Promise.all(known);
  return { properties: knownProperties, devices: knownDevices };
}
