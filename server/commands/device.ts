import { type CommandResult, declined, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import { deriveDeviceKey, deriveKeyCheck } from '../algopin/derive-device-key.ts';
import type { EpochMilliseconds } from '../clock.ts';
import type { Keys } from '../keys.ts';
import type { Device } from '../store/records.ts';
import type { AuditEntry, Store } from '../store/store.ts';
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
  addCommand(device, 'key <id>', 'show the key that a lock is provisioned with, once per pairing generation; audited')
    .option('--again', 'show it although it was shown before; audited too')
    .addHelpText(
      'after',
      '\nPrints what a lock needs to judge codes offline: key (64 hexadecimal digits), pairing generation and timezone. Who has the key\n' +
        'can make every code of that lock. Once shown, it is refused with exit code 1, so that a second showing is a decision; it is no\n' +
        'boundary, since whoever runs this has the key file. Each showing stands in the audit table as read_device_key.',
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
  addCommand(device, 're-pair <id>', 'end all codes of a device by a new pairing generation; audited')
    .requiredOption('--generation <number>', 'the present one, which ends; run again, nothing changes', readGeneration)
    .addHelpText(
      'after',
      '\nFor a stolen permanent code or a new owner. Codes are judged offline: the lock goes by its old key until it is provisioned with\n' +
        'the new one (device key), and codes created from now on open it only then.',
    )
    .action(
      shell.runOnStore((store, id: string, { generation }: { readonly generation: number }) =>
        rePair(store, id, { generation, now: Date.now() }),
      ),
    );
  addListCommand(device, 'devices by account and name').action(shell.runOnStore(listDevices));
}

type DeviceStores = Pick<Store, 'accounts' | 'audit' | 'devices'>;

const keyRead = 'read_device_key';
const rePaired = 're_pair_device';

/**
 * `device key`: what a lock is provisioned with. Once per pairing generation, unless asked for again; each time is audited, before the
 * key is handed out. The once is for the trail and against slips: whoever runs this has the key file and could derive the key as well.
 *
 * @returns `declined` where the key was shown already; the check value is told then too, since an installer compares it without the key
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
    return refused(`${deviceId} is in no property, so its lock has no clock to go by. Import it with one first.`);
  if (timezone === null)
    return refused(`The property of ${deviceId} has no timezone, and a lock needs one to judge codes.`, {}, [
      { message: 'Set it first', command: ['lockstep-server', 'property', 'set-timezone', propertyId, 'TIMEZONE'] },
    ]);

  const tzdata = process.versions.tz ?? null;
  const deviceKey = deriveDeviceKey(keys.deviceKey, deviceId, generation);
  const keyCheck = deriveKeyCheck(deviceKey);
  const about = { device: deviceId, account: accountId, generation, timezone, tzdata, keyCheck };
  // Before the answer: a key that was read without a trace is worse than a trace of a key that never arrived. Of several who ask at once
  // the entry decides who is first; none is added once the device has gone on to another generation.
  const entry = makeEntry(device, keyRead, now);
  if (!(await store.audit.addAtGeneration(entry, generation, again ? undefined : rePaired))) {
    const shown = findShowing(await store.audit.list(accountId), deviceId);
    if (shown === undefined)
      return declined(`${deviceId} was paired anew at this moment; its key was not shown. Run it again.`, about);
    const shownAt = new Date(shown.at).toISOString();
    return declined(
      [
        `The key of ${deviceId}, generation ${generation}, was shown at ${shownAt}; it is not shown twice by accident.`,
        `Its check value is ${keyCheck}. A lock that tells the same one has this key.`,
      ].join('\n'),
      { ...about, shownAt },
      [
        { message: 'Again, and audited', command: [...showing(deviceId), '--again'] },
        {
          message: 'If it may be in wrong hands',
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
    'Give key, generation and timezone to the lock and keep no copy: who has the key can make every code of this lock.',
    'A lock that tells the same check value has this key. The value is no secret.',
  ];
  return done(lines.join('\n'), { ...about, key });
}

/**
 * `device re-pair`: a new pairing generation, and with it a new key. Naming the present generation makes a second run change nothing.
 *
 * @param generation the one that is to end
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
    await store.devices.raisePairingGeneration(device.accountId, deviceId, generation, makeEntry(device, rePaired, now))
  ) {
    return done(
      `${deviceId}: generation ${generation + 1}. No code issued before opens a lock that has the new key; until it has it, the lock goes by the old one.`,
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

/** `device list`: by account, and by name in each. */
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

/** The device, whichever account has it, if it is one that takes codes. */
async function findLock({ accounts, devices }: DeviceStores, deviceId: string): Promise<Found<Device>> {
  const device = await devices.findAnywhere(deviceId);
  if (device === undefined) {
    const ids = (await accounts.list()).map(({ id }) => id);
    const known = await listIds({ devices }, ids, { algoPinOnly: true });
    return refused(`There is no device ${deviceId}${nearestOf(deviceId, known)}`);
  }
  return device.supportsAlgoPin
    ? { kind: 'found', item: device }
    : refused(`${deviceId} is a ${device.type} that takes no algoPIN codes: it has no key.`);
}

/** The latest time at which the key of the present generation was shown. */
function findShowing(entries: readonly AuditEntry[], deviceId: string): AuditEntry | undefined {
  const own = entries.filter((entry) => entry.deviceId === deviceId);
  const start = own.findLastIndex(({ action }) => action === rePaired) + 1;
  return own.slice(start).findLast(({ action }) => action === keyRead);
}

function makeEntry({ accountId, deviceId }: Device, action: string, at: EpochMilliseconds): AuditEntry {
  return { at, accountId, clientId: 'operator', action, deviceId, requestId: null };
}
