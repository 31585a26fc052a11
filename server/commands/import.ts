import { readFile } from 'node:fs/promises';
import type { EpochMilliseconds } from '../clock.ts';
import { type Import, type Store, StoreConflict } from '../store/store.ts';
import { buildRecords } from './build-records.ts';
import { type CommandResult, done, refused } from './command.ts';
import type { ImportFile } from './import-schema.ts';
import { readImportFile } from './read-import-file.ts';
import { countAffected, describeTimezoneChange, type TimezoneChange } from './timezone-change.ts';

type ImportStores = Pick<Store, 'accessCodes' | 'imports'>;
type WithStore = (use: (store: ImportStores) => Promise<CommandResult>) => Promise<CommandResult>;

/**
 * `import FILE`: all of the file or nothing of it; running it again changes nothing. A new account starts subscribed. It says of which
 * properties the timezone has changed, and how many codes that concerns.
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

async function write(store: ImportStores, file: ImportFile, now: EpochMilliseconds): Promise<CommandResult> {
  const { account, properties = [], devices = [] } = file;
  const scope = {
    accountId: account.id,
    propertyIds: properties.map(({ id }) => id),
    deviceIds: devices.map(({ deviceId }) => deviceId),
  };
  const audit = { at: now, accountId: account.id, clientId: 'operator', action: 'import', deviceId: null };
  let changed: Omit<TimezoneChange, 'affectedCodes'>[] = [];
  try {
    const counts = await store.imports.rebuild(scope, (stored) => {
      const records = buildRecords(file, stored, now);
      changed = findTimezoneChanges(stored, records);
      return { ...records, account: { ...account, trialEndsAt: null }, audit: { ...audit, requestId: null } };
    });
    const timezones = await Promise.all(changed.map((change) => countAffected(store.accessCodes, change, now)));
    const summary = `${account.id}: ${counts.properties} properties, ${counts.devices} devices`;
    return done([summary, ...timezones.flatMap(describeTimezoneChange)].join('\n'), {
      account: account.id,
      ...counts,
      timezones,
    });
  } catch (error) {
    if (error instanceof StoreConflict) return refused(`${error.message}. Nothing was imported.`);
    throw error;
  }
}

/** A property that gets its first timezone had no codes yet. */
function findTimezoneChanges(stored: Import, records: Import): Omit<TimezoneChange, 'affectedCodes'>[] {
  const timezoneOf = new Map(records.properties.map(({ id, timezone }) => [id, timezone]));
  return stored.properties.flatMap(({ id, timezone: before }) => {
    const timezone = timezoneOf.get(id);
    return timezone === undefined || before === null || timezone === before ? [] : [{ property: id, timezone, before }];
  });
}
