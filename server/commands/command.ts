import { nearestNames } from '@lockstep/runtime/validation/nearest-name';
import type { CommandResult, Refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { Store } from '../store/store.ts';
import type { Shell } from './shell.ts';

/** @param signature name and arguments, as `disable <id>` */
export function addCommand(parent: Command, signature: string, description: string): Command {
  return parent.command(signature).description(description).option('--json', 'print one JSON value instead of text');
}

/**
 * Adds commands that turn one thing on or off.
 *
 * @param verbs name and description of each command
 * @param argument placeholder of the id
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

/** The item of a look-up, or a refusal of an unknown name. */
export type Found<Item> = { readonly kind: 'found'; readonly item: Item } | Refused;

/** The end of a message about an unknown name: the nearest known name, or a note that none exists yet; empty if no name is near. */
export function nearestOf(name: string, known: readonly string[]): string {
  if (known.length === 0) return '; there is none yet';
  const [nearest] = nearestNames(name, known);
  return nearest === undefined ? '' : `; nearest: ${nearest}`;
}
