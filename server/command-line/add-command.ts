import type { CommandResult } from '@lockstep/shell/command-result';
import { type Command, Option } from 'commander';
import type { Store } from '../store/store.ts';
import { readLimit } from './read-option.ts';
import type { Shell } from './shell.ts';

/** @param signature name and arguments, as `disable <id>` */
export function addCommand(parent: Command, signature: string, description: string): Command {
  return parent.command(signature).description(description).option('--json', 'print one JSON value instead of text');
}

/** A `list` command, whose options are those of `ListOptions`. */
export function addListCommand(parent: Command, description: string): Command {
  return addCommand(parent, 'list', description)
    .option('--account <id>', 'of this account alone')
    .addOption(new Option('--limit <number>', 'at most so many').default(100).argParser(readLimit));
}

/**
 * Commands that turn one thing on or off, by its id.
 *
 * @param verbs a row for each command: its name, and what it does
 * @param argument what the id is
 */
export function addSwitchCommands<Verb extends string>(
  parent: Command,
  shell: Shell,
  verbs: readonly (readonly [verb: Verb, description: string])[],
  turn: (store: Store, id: string, verb: Verb) => Promise<CommandResult>,
  argument = '<id>',
): void {
  for (const [verb, description] of verbs)
    addCommand(parent, `${verb} ${argument}`, description).action(
      shell.runOnStore((store, id: string) => turn(store, id, verb)),
    );
}
