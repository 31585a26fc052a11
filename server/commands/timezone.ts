import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import type { TimezoneFolder } from '../timezone-data.ts';
import { addCommand } from './command.ts';
import type { Shell } from './shell.ts';
import { describeTimezone, isTimezone } from './timezone-changes.ts';

export function addTimezoneCommand(program: Command, shell: Shell): void {
  addCommand(program, 'timezone [name]', 'edition of the timezone rules in use, and when a zone changes its clock')
    .addHelpText(
      'after',
      '\nThe rules are those of Node, or of a folder of newer ones (TIMEZONE_DATA). Compare the changes of a zone with what its locks go by.',
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

/** A start may be 367 days ahead, and a daily code lasts 367 days: what is issued now can end no later. */
const aheadDays = 2 * 367;

/**
 * `timezone`: by which rules the service reads clocks, and of one zone when its clock changes while a code that is issued now can last. A
 * lock of that zone needs the same rules; this is what to compare them with.
 *
 * @param name IANA name; left out, the rules' edition and source alone
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
