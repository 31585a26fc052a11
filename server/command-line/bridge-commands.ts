import type { Command } from 'commander';
import type { ListOptions } from '../commands/listing.ts';
import { addListCommand, addSwitchCommands } from './add-command.ts';
import type { Shell } from './shell.ts';

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
