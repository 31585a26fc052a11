import type { Command } from 'commander';
import type { ListOptions } from '../commands/listing.ts';
import { addCommand, addListCommand } from './add-command.ts';
import { readGeneration } from './read-option.ts';
import type { Shell } from './shell.ts';
import { withStore } from './with-store.ts';

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
      (await import('../commands/devices-list.ts')).listDevices(store, options),
    ),
  );
}
