import type { Command } from 'commander';
import type { ListOptions } from '../commands/listing.ts';
import { addCommand, addListCommand, addSwitchCommands } from './add-command.ts';
import { readGeneration } from './read-option.ts';
import { type Shell, withStore } from './shell.ts';

// What an account has: properties and their clocks, devices in them, the bridges among these and their jobs.

export function addPropertyCommands(program: Command, shell: Shell): void {
  const property = program.command('property').description('places that devices belong to');
  addCommand(property, 'set-timezone <id> <timezone>', 'read its times on this clock (IANA name)')
    .addHelpText('after', '\nCodes issued before follow the new clock; how many of them are not over is told.')
    .action(
      shell.runOnStore(async (store, id: string, timezone: string) =>
        (await import('../commands/property.ts')).setTimezone(store, id, timezone, Date.now()),
      ),
    );
  addListCommand(property, 'properties by account and name: timezone, devices').action(
    shell.runOnStore(async (store, options: ListOptions) =>
      (await import('../commands/property.ts')).listProperties(store, options),
    ),
  );
}

export function addTimezoneCommand(program: Command, shell: Shell): void {
  addCommand(program, 'timezone [name]', 'edition of the timezone rules in use, and when a zone changes its clock')
    .addHelpText(
      'after',
      '\nThe rules are those of Node, or of a folder of newer ones (TIMEZONE_DATA). Compare the changes of a zone with what its locks go by.',
    )
    .action(
      shell.run(async ({ timezoneFolder }, name: string | undefined) =>
        (await import('../commands/timezone-rules.ts')).showTimezoneRules(name, {
          folder: timezoneFolder,
          now: Date.now(),
        }),
      ),
    );
}

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
          return (await import('../commands/device.ts')).showDeviceKey(store, keys, id, { again, now: Date.now() });
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
      shell.runOnStore(async (store, id: string, { generation }: { readonly generation: number }) =>
        (await import('../commands/device.ts')).rePair(store, id, { generation, now: Date.now() }),
      ),
    );
  addListCommand(device, 'devices by account and name').action(
    shell.runOnStore(async (store, options: ListOptions) =>
      (await import('../commands/device.ts')).listDevices(store, options),
    ),
  );
}

export function addBridgeCommands(program: Command, shell: Shell): void {
  const bridge = program.command('bridge').description('gateways of locks and keypads');
  addSwitchCommands(
    bridge,
    shell,
    [
      ['online', 'let it take jobs'],
      ['offline', 'refuse jobs for it (406), and leave waiting ones until they end'],
    ],
    async (store, id, verb) => (await import('../commands/bridge.ts')).switchBridge(store, id, verb),
  );
  addListCommand(bridge, 'bridges: online, jobs that wait, links').action(
    shell.runOnStore(async (store, options: ListOptions) =>
      (await import('../commands/bridge.ts')).listBridges(store, { ...options, now: Date.now() }),
    ),
  );
}

export function addJobsCommands(program: Command, shell: Shell): void {
  const jobs = program.command('jobs').description('what bridges were asked to do');
  addListCommand(jobs, 'jobs, newest first')
    .option('--bridge <id>', 'of this bridge alone')
    .action(
      shell.runOnStore(async (store, options: ListOptions & { readonly bridge?: string }) =>
        (await import('../commands/bridge.ts')).listJobs(store, { ...options, now: Date.now() }),
      ),
    );
}
