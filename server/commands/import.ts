import { readFile } from 'node:fs/promises';
import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import type { Property } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { UnusableReason } from '../store/store-unusable.ts';
import { addCommand } from './command.ts';
import { type ImportEnd, type ImportRun, writeImport } from './import-apply.ts';
import { findImportFaults, listNames, nothingTaken } from './import-plan.ts';
import type { ImportFile } from './import-schema.ts';
import { type Shell, signals, withStore } from './shell.ts';
import { createProgress } from './show-progress.ts';
import { describeTimezoneChanges, findAffectedCodes, type TimezoneChange } from './timezone-changes.ts';

/** The text after the options in `import --help`: the members of the file, as in the schema of `import-schema.ts`. */
const importHelp = `
{"account": {"id", "name"},
 "properties": [{"id": 24 hexadecimal digits, "name", "timezone": IANA name or null}],
 "devices": [{"deviceId", "deviceName", "type": Lock, Keypad or Bridge, "id": 24 hexadecimal digits,
   "properties": [ids; the first gives the timezone], "links": [deviceIds: of a bridge its locks and keypads, at most 5; of a lock its keypads],
   "capabilities": {"algoPin", "passagePin"}, "batteryLevel": 0 to 100, "online": of a bridge, "pairedAt": RFC 3339}]}

Account, ids, names and type are required. An omitted member keeps its stored value, so you can import a file again; null, [] and false
remove values. Objects that the file doesn't name stay as they are. A new device has a full battery and is paired now, a new bridge is
online. Properties and links may name objects of this file or stored ones.

The command validates the whole file before it writes: a file with a fault changes nothing. Then it writes in batches of some milliseconds,
so a server on the same database keeps running. If it is stopped in between (Ctrl-C, a database that is locked for over a minute, a name
that another command used meanwhile), it prints its progress and exits with 1. Each device is then complete or unchanged, except for links,
which come last. Run it again to complete the rest.

Codes issued before follow the clock of their device. The command prints how many of them get another clock.`;

export function addImportCommand(program: Command, shell: Shell): void {
  addCommand(program, 'import <file>', 'create or change an account, its properties and devices from a JSON file')
    .addHelpText('after', importHelp)
    .action(
      shell.run(async (config, file: string) => {
        const began = performance.now();
        const progress = createProgress(shell.own.stderr, () => performance.now() - began);
        const interruption = new AbortController();
        const abort = () => interruption.abort();
        // A second signal stops the process at once; each written batch is complete all the same.
        for (const name of signals) process.once(name, abort);
        try {
          return await importFile((use, options) => withStore(config, use, options), file, Date.now(), {
            signal: interruption.signal,
            onProgress: (step) => progress.show('importing', step),
          });
        } finally {
          progress.end();
          for (const name of signals) process.off(name, abort);
        }
      }),
    );
}

type ImportStores = Pick<Store, 'accessCodes' | 'imports' | 'properties'>;
type WithStore = (
  use: (store: ImportStores) => Promise<CommandResult>,
  options: { readonly mayCreate: boolean },
) => Promise<CommandResult>;

/** Reasons of a store that doesn't exist yet. */
const withoutStore: readonly (UnusableReason | undefined)[] = ['missing', 'empty'];

/**
 * `import FILE`: validates the whole file, then writes it in batches. A second run changes nothing, or completes an interrupted import. A new
 * account starts subscribed. The result lists changed timezones and the number of codes with another clock, also for devices that moved to
 * another property.
 *
 * @param withStore opens and closes the database; creates it only for a file without faults
 */
export async function importFile(
  withStore: WithStore,
  file: string,
  now: EpochMilliseconds,
  run: ImportRun = {},
): Promise<CommandResult> {
  // Loaded here, since it imports the validator.
  const { readImportFile } = await import('./import-schema.ts');
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
    // A file may refer to names that only the database has. If there is no database, none is created for such a file.
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
  if (end.kind === 'conflict') return `${end.reason}: another command used it while the import ran.`;
  return end.kind === 'busy' ? `Other programs write without a pause: ${end.reason}.` : 'Interrupted.';
}

/** `2 of 2 properties, 300 of 20000 devices, links of 0 of 40` */
export function describeProgress({ progress: { properties, devices, links } }: Pick<ImportEnd, 'progress'>): string {
  return `${properties.done} of ${properties.total} properties, ${devices.done} of ${devices.total} devices, links of ${links.done} of ${links.total}`;
}

const again = 'Run the same command again: it completes the rest.';
const whatNow = {
  interrupted: again,
  busy: again,
  conflict: 'The imported part stays. Correct the file, and run the same command again.',
};

function findTimezoneChanges(before: readonly Property[], after: readonly Property[]): readonly TimezoneChange[] {
  const timezoneOf = new Map(after.map(({ id, timezone }) => [id, timezone]));
  return before
    .map(({ id, timezone }) => ({ property: id, timezone: timezoneOf.get(id) ?? null, before: timezone }))
    .filter((change) => change.timezone !== change.before);
}
