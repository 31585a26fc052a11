import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import type { TimezoneFolder } from '../timezone-data.ts';
import { addCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { describeTimezone, isTimezone } from './timezone-changes.ts';

export function addTimezoneCommand(program: Command, shell: Shell): void {
  addCommand(program, 'timezone [name]', 'print the edition of the timezone rules, and the clock changes of a zone')
    .addHelpText(
      'after',
      '\nThe rules are from Node, or from a folder with newer ones (TIMEZONE_DATA). The locks of a zone need the same clock changes: compare them.',
    )
    .action(
      shell.run(async ({ timezoneFolder }, name: string | undefined) =>
        showTimezoneRules(name, {
          folder: timezoneFolder,
          now: Date.now(),
        }),
      ),
    );
}

/** A start may be 367 days ahead, and a daily code lasts 367 days: no code issued now lasts longer. */
const aheadDays = 2 * 367;

/**
 * `timezone`: the timezone rules of the service, and the clock changes of one zone as long as a code that is issued now can last. Operators
 * compare them with the rules of their locks.
 *
 * @param name IANA name; undefined for edition and source of the rules only
 */
export async function showTimezoneRules(
  name: string | undefined,
  { folder, now }: { readonly folder: TimezoneFolder | undefined; readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const { Temporal } = await import('../temporal.ts');
  const tzdata = process.versions.tz ?? null;
  const source = folder?.path ?? `Node ${process.versions.node}`;
  const about = { tzdata, folder: folder?.path ?? null };
  const lines = [`Timezone rules ${tzdata ?? 'of an unknown edition'}, of ${source}`];
  if (name === undefined) return done(lines.join('\n'), about);
  if (!isTimezone(name)) return refused(describeTimezone(name), about);
  const start = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(name);
  const changes = listChanges(start, start.add({ days: aheadDays }));
  const isAt = `${name} is at ${start.offset} now`;
  return done(
    [
      ...lines,
      changes.length === 0
        ? `${isAt}, without a change in ${aheadDays} days`
        : `${isAt}, with changes in ${aheadDays} days:`,
      ...changes.map(({ at, offset }) => `${at}  ${offset}`),
    ].join('\n'),
    { ...about, timezone: name, offset: start.offset, changes },
  );
}

function listChanges(from: Temporal.ZonedDateTime, to: Temporal.ZonedDateTime): { at: string; offset: string }[] {
  const change = from.getTimeZoneTransition('next');
  if (change === null || change.epochMilliseconds > to.epochMilliseconds) return [];
  return [{ at: change.toInstant().toString(), offset: change.offset }, ...listChanges(change, to)];
}
