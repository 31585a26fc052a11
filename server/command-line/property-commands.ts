import type { Command } from 'commander';
import type { ListOptions } from '../commands/listing.ts';
import { addCommand, addListCommand } from './add-command.ts';
import type { Shell } from './shell.ts';

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
