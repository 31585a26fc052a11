import { setImmediate } from 'node:timers/promises';
import { cut, describeUnknown } from '@lockstep/runtime/validation/sentence';
import { type Clock, type EpochMilliseconds, systemClock } from '@lockstep/server/clock';
import { writeImport } from '@lockstep/server/commands/import-apply';
import { findImportFaults, listNames } from '@lockstep/server/commands/import-plan';
import { type ImportFile, validateImport } from '@lockstep/server/commands/import-schema';
import { harbourStays } from '@lockstep/server/demo/demo-data';
import { seedDemoAccounts, seedDemoData } from '@lockstep/server/demo/seed-demo';
import { makeImage } from '@lockstep/server/store/sqlite/store-image';
import type { Store } from '@lockstep/server/store/store';
import { type ScenarioChoice, ScenarioFault, type ScenarioName, scenarioNames } from './sandbox.ts';

/** The initial data of a sandbox. */
export interface Scenario {
  /** Null for import files. */
  readonly name: ScenarioName | null;
  /** Requests an hour for each account and client; 0 for no quota. */
  readonly accountQuota: number;
  /** Accounts in addition to those of the demo. */
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
  readonly fill: (store: Store, now: EpochMilliseconds) => Promise<void>;
}

const day = 24 * 3_600_000;

/** Small enough to be used up by hand. */
const smallQuota = 20;
const manyDevices = 10_000;
/** Limit of rows for one statement. */
const devicesPerWrite = 500;

type Named = Pick<Scenario, 'fill'> & { readonly shows: string; readonly accountQuota?: number };

/** Scenarios by name, each with its purpose. All have the accounts, clients and owners of the demo. */
const scenarios: Readonly<Record<ScenarioName, Named>> = {
  demo: { shows: 'A device for each answer of the API, and two months of activity', fill: seedDemoData },
  empty: { shows: 'Accounts without a property or a device', fill: seedDemoAccounts },
  big: {
    shows: 'The demo, and 10,000 more locks: lists of many pages',
    fill: async (store, now) => {
      await seedDemoData(store, now);
      await addManyDevices(store, now);
    },
  },
  'trial-over': {
    shows: 'The demo, with the trial of Harbour Stays over since yesterday: its calls get 402',
    fill: async (store, now) => {
      await seedDemoData(store, now);
      await store.accounts.setTrialEnd(harbourStays, now - day);
    },
  },
  'bridge-offline': {
    shows: 'The demo, with the bridge of Harbour House offline: jobs get 406',
    fill: async (store, now) => {
      await seedDemoData(store, now);
      await store.devices.setOnline(harbourStays, 'BR1A00000001', false);
    },
  },
  quota: {
    shows: `The demo, with a quota of ${smallQuota} requests an hour: the next gets 429`,
    fill: seedDemoData,
    accountQuota: smallQuota,
  },
};

export const scenarioList: readonly { readonly name: ScenarioName; readonly shows: string }[] = scenarioNames.map(
  (name) => ({ name, shows: scenarios[name].shows }),
);

/**
 * Reads a choice of a scenario.
 *
 * @throws ScenarioFault for an unknown name, with the known names; or for files that don't match the import format, with all faults
 */
export function readScenario(choice: ScenarioChoice): Scenario {
  // JSON may contain anything.
  const sent = 'name' in choice ? String(choice.name) : '';
  if ('name' in choice && !scenarioNames.includes(choice.name))
    throw new ScenarioFault([describeUnknown(`the scenario ${cut(sent)}`, sent, scenarioNames).says]);
  if ('name' in choice) return { accountQuota: 0, accounts: [], ...scenarios[choice.name], name: choice.name };
  const isOne = !Array.isArray(choice.import);
  const given = [choice.import].flat();
  if (given.length === 0) throw new ScenarioFault(['# must have at least one file']);
  const files = given.map((file, index) => readFile(file, isOne ? '' : `/${index}`));
  return {
    name: null,
    accountQuota: 0,
    accounts: files.map(({ account }) => account),
    fill: async (store, now) => {
      await seedDemoAccounts(store, now);
      for (const [index, file] of files.entries()) await importFile(store, file, now, isOne ? '' : `/${index}`);
    },
  };
}

/** Images of named scenarios with their seed time, least recently used first. */
const images = new Map<string, { readonly now: EpochMilliseconds; readonly image: Promise<Uint8Array> }>();
/** The image of `big` has some megabytes. */
const mostImages = 8;
/** For a sandbox at the time of the system, an image up to a minute old is good enough. */
const imageKeptMs = 60_000;

/**
 * The image of an instance's initial store. The same scenario at the same time always gives the same image.
 *
 * @param startAt the seed time; by default the time of the system, up to a minute ago
 * @throws ScenarioFault if files contradict each other
 */
export async function drawScenario(
  { name, fill }: Scenario,
  startAt: EpochMilliseconds | undefined,
  system: Clock = systemClock,
): Promise<Uint8Array> {
  const now = startAt ?? system.now();
  if (name === null) return makeImage((store) => fill(store, now));
  const key = `${name} ${startAt ?? 'now'}`;
  const kept = images.get(key);
  const isGood = kept !== undefined && (startAt !== undefined || (now >= kept.now && now - kept.now < imageKeptMs));
  const drawn = isGood ? kept : { now, image: makeImage((store) => fill(store, now)) };
  images.delete(key);
  images.set(key, drawn);
  for (const oldest of images.keys()) if (images.size > mostImages) images.delete(oldest);
  try {
    return await drawn.image;
  } catch (error) {
    // The failure is not cached: the next call tries again.
    if (images.get(key) === drawn) images.delete(key);
    throw error;
  }
}

function readFile(file: unknown, pointer: string): ImportFile {
  const read = validateImport(file);
  if (read.kind === 'faults') throw new ScenarioFault(read.faults.map((fault) => place(fault, pointer)));
  return read.file;
}

async function importFile(store: Store, file: ImportFile, now: EpochMilliseconds, pointer: string): Promise<void> {
  await setImmediate();
  const { scope, objectIds } = listNames(file);
  const taken = await store.imports.findTaken(scope, objectIds);
  // Each step takes 0.1 to 0.3 s for 100,000 devices: other requests are answered in between.
  await setImmediate();
  const faults = findImportFaults(file, taken);
  if (faults.length > 0) throw new ScenarioFault(faults.map((fault) => place(fault, pointer)));
  const end = await writeImport(store.imports, file, now);
  // No other writer or interruption is possible here.
  if (end.kind !== 'done') throw new Error(`the import stopped early: ${end.kind}`);
}

/** Prefixes the location of a fault in its file with the location of the file in the request. */
function place(fault: string, pointer: string): string {
  return fault.replace(/^#/, `#${pointer}`);
}

async function addManyDevices(store: Store, now: EpochMilliseconds): Promise<void> {
  const [template] = await store.devices.findAll(harbourStays, ['LK2A00000003']);
  if (template === undefined) throw new Error('the demo has no LK2A00000003');
  const { timezone: _, ...lock } = template;
  const devices = Array.from({ length: manyDevices }, (__, index) => {
    const number = String(index + 1).padStart(5, '0');
    return {
      ...lock,
      id: `68f1c2d3e4a5b6c7d8f${number}`,
      deviceId: `LK3A000${number}`,
      deviceName: `Room ${number}`,
      batteryLevel: 100 - (index % 90),
      pairedAt: now - 264 * day - index * 60_000,
      lastSyncAt: now - (index % 3600) * 1000,
      linked: [],
      bridgeId: null,
    };
  });
  for (let from = 0; from < devices.length; from += devicesPerWrite)
    await store.imports.write({ properties: [], devices: devices.slice(from, from + devicesPerWrite) });
}
