import { readFile } from 'node:fs/promises';
import type { EpochMilliseconds } from '../clock.ts';
import type { Property } from '../store/records.ts';
import { type Store, StoreConflict } from '../store/store.ts';
import { buildRecords } from './build-records.ts';
import { type CommandResult, done, refused } from './command.ts';
import type { ImportFile } from './import-schema.ts';
import { readImportFile } from './read-import-file.ts';
import { describeTimezoneChanges, findAffectedCodes, type TimezoneChange } from './timezone-change.ts';

type ImportStores = Pick<Store, 'accessCodes' | 'imports' | 'properties'>;
type WithStore = (use: (store: ImportStores) => Promise<CommandResult>) => Promise<CommandResult>;

/**
 * `import FILE`: all of the file or nothing of it; running it again changes nothing. A new account starts subscribed. It says
 * whose timezone has changed, and how many codes go by another clock since, also where a device went to another property.
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
  const readTimezones = () => store.properties.findAll(account.id, scope.propertyIds);
  const countOpen = () => store.accessCodes.countOpen(account.id, now);
  const [timezonesBefore, openBefore] = [await readTimezones(), await countOpen()];
  try {
    const counts = await store.imports.rebuild(scope, (stored) => ({
      ...buildRecords(file, stored, now),
      account: { ...account, trialEndsAt: null },
      audit: { ...audit, requestId: null },
    }));
    const timezones = findTimezoneChanges(timezonesBefore, await readTimezones());
    const affectedCodes = findAffectedCodes(openBefore, await countOpen());
    const summary = `${account.id}: ${counts.properties} properties, ${counts.devices} devices`;
    return done([summary, ...describeTimezoneChanges(timezones, affectedCodes)].join('\n'), {
      account: account.id,
      ...counts,
      timezones,
      affectedCodes,
    });
  } catch (error) {
    if (error instanceof StoreConflict) return refused(`${error.message}. Nothing was imported.`);
    throw error;
  }
}

function findTimezoneChanges(before: readonly Property[], after: readonly Property[]): readonly TimezoneChange[] {
  const timezoneOf = new Map(after.map(({ id, timezone }) => [id, timezone]));
  return before
    .map(({ id, timezone }) => ({ property: id, timezone: timezoneOf.get(id) ?? null, before: timezone }))
    .filter((change) => change.timezone !== change.before);
}
