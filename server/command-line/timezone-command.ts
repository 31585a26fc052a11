import type { Command } from 'commander';
import { addCommand } from './add-command.ts';
import type { Shell } from './shell.ts';

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
