import { readFile } from 'node:fs/promises';
import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { EpochMilliseconds } from '../clock.ts';
import type { Property } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { UnusableReason } from '../store/store-unusable.ts';
import { findImportFaults, listNames, nothingTaken } from './find-import-faults.ts';
import { type ImportFile, readImportFile } from './read-import-file.ts';
import { describeTimezoneChanges, findAffectedCodes, type TimezoneChange } from './timezone.ts';
import { type ImportEnd, type ImportRun, writeImport } from './write-import.ts';

type ImportStores = Pick<Store, 'accessCodes' | 'imports' | 'properties'>;
type WithStore = (
  use: (store: ImportStores) => Promise<CommandResult>,
  options: { readonly mayCreate: boolean },
) => Promise<CommandResult>;

/** What says that nothing is stored yet. */
const withoutStore: readonly (UnusableReason | undefined)[] = ['missing', 'empty'];

/**
 * `import FILE`: all of the file is checked, then it is written in batches; running it again changes nothing, or completes what was
 * ended. A new account starts subscribed. It says whose timezone has changed, and how many codes go by another clock since, also where a
 * device went to another property.
 *
 * @param withStore opens the database and closes it. One is made only where the file by itself is sound
 */
export async function importFile(
  withStore: WithStore,
  file: string,
  now: EpochMilliseconds,
  run: ImportRun = {},
): Promise<CommandResult> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => cause);
  if (bytes instanceof Error)
    return refused(`${file} can't be read: ${bytes.code === 'ENOENT' ? 'it does not exist' : bytes.message}`);
  const read = readImportFile(bytes);
  if (read.kind === 'faults') return refuseAll(file, read.faults);
  const alone = findImportFaults(read.file, nothingTaken);
  const checkAndWrite = async (store: ImportStores): Promise<CommandResult> => {
    const { scope, objectIds } = listNames(read.file);
    const faults = findImportFaults(read.file, await store.imports.findTaken(scope, objectIds));
    return faults.length > 0 ? refuseAll(file, faults) : write(store, read.file, now, run);
  };
  try {
    // With a name that the file doesn't have: the database may have it, but where there is none, none is made for it.
    return await withStore(checkAndWrite, { mayCreate: alone.length === 0 });
  } catch (error) {
    if (alone.length > 0 && withoutStore.includes((error as { reason?: UnusableReason }).reason))
      return refuseAll(file, alone);
    throw error;
  }
}

function refuseAll(file: string, faults: readonly string[]): CommandResult {
  const lines = faults.map((fault) => `${file}: ${fault}`);
  return refused([...lines, 'Nothing was imported.'].join('\n'), { faults });
}

async function write(
  store: ImportStores,
  file: ImportFile,
  now: EpochMilliseconds,
  run: ImportRun,
): Promise<CommandResult> {
  const { account, properties = [] } = file;
  const propertyIds = properties.map(({ id }) => id);
  const readTimezones = () => store.properties.findAll(account.id, propertyIds);
  const countOpen = () => store.accessCodes.countOpen(account.id, now);
  const [timezonesBefore, openBefore] = [await readTimezones(), await countOpen()];
  const end = await writeImport(store.imports, file, now, run);
  const { progress, hasBegun } = end;
  if (end.kind !== 'done' && !hasBegun) return refused(`${describeEnd(end)} Nothing was imported.`);
  const timezones = findTimezoneChanges(timezonesBefore, await readTimezones());
  const affectedCodes = findAffectedCodes(openBefore, await countOpen());
  const counts = { account: account.id, properties: progress.properties.done, devices: progress.devices.done };
  const changes = describeTimezoneChanges(timezones, affectedCodes);
  const json = { ...counts, timezones, affectedCodes };
  if (end.kind === 'done')
    return done(
      [`${account.id}: ${counts.properties} properties, ${counts.devices} devices`, ...changes].join('\n'),
      json,
    );
  const text = [`${describeEnd(end)} Imported so far: ${describeProgress(end)}.`, whatNow[end.kind], ...changes].join(
    '\n',
  );
  return { kind: 'declined', text, json: { error: text, ...json, links: progress.links.done } };
}

function describeEnd(end: ImportEnd): string {
  if (end.kind === 'conflict') return `${end.reason}: it was taken while the import ran.`;
  return end.kind === 'busy' ? `Others write without a pause: ${end.reason}.` : 'Interrupted.';
}

/** `2 of 2 properties, 300 of 20000 devices, links of 0 of 40` */
export function describeProgress({ progress: { properties, devices, links } }: Pick<ImportEnd, 'progress'>): string {
  return `${properties.done} of ${properties.total} properties, ${devices.done} of ${devices.total} devices, links of ${links.done} of ${links.total}`;
}

const again = 'Run the same command again: it completes the rest, and what is imported stays as it is.';
const whatNow = {
  interrupted: again,
  busy: again,
  conflict: 'What is imported stays. Mend the file, and run the same command again.',
};

function findTimezoneChanges(before: readonly Property[], after: readonly Property[]): readonly TimezoneChange[] {
  const timezoneOf = new Map(after.map(({ id, timezone }) => [id, timezone]));
  return before
    .map(({ id, timezone }) => ({ property: id, timezone: timezoneOf.get(id) ?? null, before: timezone }))
    .filter((change) => change.timezone !== change.before);
}
