import { type CommandResult, declined, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import { deriveDeviceKey, deriveKeyCheck } from '../algopin/derive-device-key.ts';
import type { EpochMilliseconds } from '../clock.ts';
import type { Keys } from '../keys.ts';
import type { AuditEntry, Device } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { addCommand, type Found, nearestOf } from './command.ts';
import {
  addListCommand,
  type Column,
  chooseAccounts,
  formatSecond,
  formatTime,
  type ListOptions,
  listIds,
  readAccounts,
  showList,
} from './listing.ts';
import { readGeneration } from './read-option.ts';
import { type Shell, withStore } from './shell.ts';

export function addDeviceCommands(program: Command, shell: Shell): void {
  const device = program
    .command('device')
    .description('locks, keypads and bridges, and the keys of their offline codes');
  addCommand(device, 'key <id>', 'print the key to provision a lock with, once per pairing generation; audited')
    .option('--again', 'print it although it was printed before; audited too')
    .addHelpText(
      'after',
      '\nPrints the values that a lock needs to judge codes offline: key (64 hexadecimal digits), pairing generation and timezone. The key\n' +
        'can create every code of that lock. The command refuses a second run with exit code 1, to prevent accidents. This is no access\n' +
        'control: the operator of this command has the key file. The audit table lists each run as read_device_key.',
    )
    .action(
      shell.run(async (config, id: string, { again = false }: { readonly again?: boolean }) => {
        const keys = await (await import('../key-file.ts')).readKeyFile(config.keyFile);
        return withStore(config, async (store) => {
          await (await import('../require-own-keys.ts')).requireOwnKeys(store, keys);
          return showDeviceKey(store, keys, id, { again, now: Date.now() });
        });
      }),
    );
  addCommand(device, 're-pair <id>', 'invalidate all codes of a device by a new pairing generation; audited')
    .requiredOption('--generation <number>', 'the present generation; a second run changes nothing', readGeneration)
    .addHelpText(
      'after',
      '\nUse it for a stolen permanent code or a new owner. The lock judges codes offline: it uses its old key until you provision it with\n' +
        'the new one (device key). Codes created from now on open it only after that.',
    )
    .action(
      shell.runOnStore((store, id: string, { generation }: { readonly generation: number }) =>
        rePair(store, id, { generation, now: Date.now() }),
      ),
    );
  addListCommand(device, 'list devices by account and name').action(shell.runOnStore(listDevices));
}

type DeviceStores = Pick<Store, 'accounts' | 'audit' | 'devices'>;

const keyRead = 'read_device_key';
const rePaired = 're_pair_device';

/**
 * `device key`: prints the key of a lock once per pairing generation, again only with `again`. Each run is audited before it prints the
 * key. This prevents accidents, and is no access control: the operator has the key file and could derive the key.
 *
 * @returns `declined` when the key was shown already; with the check value, which an installer compares without the key
 */
export async function showDeviceKey(
  store: DeviceStores,
  keys: Pick<Keys, 'deviceKey'>,
  deviceId: string,
  { again, now }: { readonly again: boolean; readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const found = await findLock(store, deviceId);
  if (found.kind === 'refused') return found;
  const { item: device } = found;
  const { accountId, deviceName, type, pairingGeneration: generation, propertyIds, timezone } = device;
  const [propertyId] = propertyIds;
  if (propertyId === undefined)
    return refused(`${deviceId} is in no property, so it has no timezone. Import it with a property first.`);
  if (timezone === null)
    return refused(`The property of ${deviceId} has no timezone, and a lock needs one to judge codes.`, {}, [
      { message: 'Set it first', command: ['lockstep-server', 'property', 'set-timezone', propertyId, 'TIMEZONE'] },
    ]);

  const tzdata = process.versions.tz ?? null;
  const deviceKey = deriveDeviceKey(keys.deviceKey, deviceId, generation);
  const keyCheck = deriveKeyCheck(deviceKey);
  const about = { device: deviceId, account: accountId, generation, timezone, tzdata, keyCheck };
  // Audited before the answer: a key without an audit entry is worse than an entry without a key. Of concurrent commands only the one that
  // adds the entry prints the key; none adds an entry after a new pairing.
  const entry = createEntry(device, keyRead, now);
  if (!(await store.audit.addAtGeneration(entry, generation, again ? undefined : rePaired))) {
    const shown = findShowing(await store.audit.list(accountId), deviceId);
    if (shown === undefined)
      return declined(
        `Another command paired ${deviceId} at the same time; its key was not shown. Run it again.`,
        about,
      );
    const shownAt = new Date(shown.at).toISOString();
    return declined(
      [
        `The key of ${deviceId}, generation ${generation}, was shown at ${shownAt} already.`,
        `Its check value is ${keyCheck}. A lock that shows the same value has this key.`,
      ].join('\n'),
      { ...about, shownAt },
      [
        { message: 'Show it again, audited', command: [...showing(deviceId), '--again'] },
        {
          message: 'If it may have leaked',
          command: ['lockstep-server', 'device', 're-pair', deviceId, '--generation', `${generation}`],
        },
      ],
    );
  }
  const key = Buffer.from(deviceKey).toString('hex');
  const lines = [
    `${type} ${deviceId} (${deviceName}) of ${accountId}`,
    `generation  ${generation}`,
    `timezone    ${timezone}`,
    `tz rules    ${tzdata ?? 'of an unknown edition'}; the lock needs the same rules for ${timezone}`,
    `key         ${key}`,
    `check value ${keyCheck}`,
    'Give key, generation and timezone to the lock and keep no copy: the key can create every code of this lock.',
    'A lock that shows the same check value has this key. The value is no secret.',
  ];
  return done(lines.join('\n'), { ...about, key });
}

/**
 * `device re-pair`: starts a new pairing generation with a new key. A second run with the same generation changes nothing.
 *
 * @param generation the present generation
 */
export async function rePair(
  store: DeviceStores,
  deviceId: string,
  { generation, now }: { readonly generation: number; readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const found = await findLock(store, deviceId);
  if (found.kind === 'refused') return found;
  const { item: device } = found;
  if (
    await store.devices.raisePairingGeneration(
      device.accountId,
      deviceId,
      generation,
      createEntry(device, rePaired, now),
    )
  ) {
    return done(
      `${deviceId}: generation ${generation + 1}. Earlier codes don't open a lock with the new key. Until you provision the lock with it, it uses the old key.`,
      { device: deviceId, generation: generation + 1, rePaired: true },
      [{ message: 'Next', command: showing(deviceId) }],
    );
  }
  const current = (await store.devices.find(device.accountId, deviceId))?.pairingGeneration;
  if (current === generation + 1)
    return done(`${deviceId} is at generation ${current} already; nothing changed.`, {
      device: deviceId,
      generation: current,
      rePaired: false,
    });
  return refused(`${deviceId} is at generation ${current}, not ${generation}; nothing changed.`, {
    device: deviceId,
    generation: current,
  });
}

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['DEVICE', ({ deviceId }) => deviceId],
  ['ACCOUNT', ({ account }) => account],
  ['TYPE', ({ type }) => type],
  ['BRIDGE', ({ bridgeId }) => bridgeId ?? '-'],
  ['BATTERY', ({ batteryLevel }) => (batteryLevel === null ? '-' : `${batteryLevel} %`)],
  ['CODES', ({ algoPin, passagePin }) => (passagePin ? 'all' : algoPin ? 'no passage' : 'none')],
  ['LAST SYNC', ({ lastSync }) => formatSecond(lastSync)],
  ['NAME', ({ deviceName }) => deviceName],
];

/** `device list`: by account and name. */
export async function listDevices(
  store: Pick<Store, 'accounts' | 'devices'>,
  { account, limit }: ListOptions,
): Promise<CommandResult> {
  const chosen = await chooseAccounts(store, account);
  if (chosen.kind === 'refused') return chosen;
  const found = await readAccounts(chosen.item, limit + 1, (accountId, atMost) =>
    store.devices.list({ accountId, sort: { by: 'deviceName', descending: false }, limit: atMost }),
  );
  return showList('devices', found.map(describe), limit, columns);
}

function describe(device: Device) {
  const { deviceId, accountId, deviceName, type, propertyIds, bridgeId, batteryLevel, pairedAt, lastSyncAt } = device;
  return {
    deviceId,
    account: accountId,
    deviceName,
    type,
    properties: propertyIds,
    bridgeId,
    batteryLevel,
    algoPin: device.supportsAlgoPin,
    passagePin: device.supportsPassagePin,
    pairedAt: formatTime(pairedAt),
    lastSync: formatTime(lastSyncAt),
  };
}

function showing(deviceId: string): readonly string[] {
  return ['lockstep-server', 'device', 'key', deviceId];
}

/** The device of any account, if it accepts codes. */
async function findLock({ accounts, devices }: DeviceStores, deviceId: string): Promise<Found<Device>> {
  const device = await devices.findAnywhere(deviceId);
  if (device === undefined) {
    const ids = (await accounts.list()).map(({ id }) => id);
    const known = await listIds({ devices }, ids, { algoPinOnly: true });
    return refused(`There is no device ${deviceId}${nearestOf(deviceId, known)}`);
  }
  return device.supportsAlgoPin
    ? { kind: 'found', item: device }
    : refused(`${deviceId} is a ${device.type} without algoPIN codes: it has no key.`);
}

/** The audit entry of the last time that the key of the present generation was shown. */
function findShowing(entries: readonly AuditEntry[], deviceId: string): AuditEntry | undefined {
  const own = entries.filter((entry) => entry.deviceId === deviceId);
  const start = own.findLastIndex(({ action }) => action === rePaired) + 1;
  return own.slice(start).findLast(({ action }) => action === keyRead);
}

function createEntry({ accountId, deviceId }: Device, action: string, at: EpochMilliseconds): AuditEntry {
  return { at, accountId, clientId: 'operator', action, deviceId, requestId: null };
}
