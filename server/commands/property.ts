import type { EpochMilliseconds } from '../clock.ts';
import type { Property } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type CommandResult, done, refused } from './command.ts';
import { describeTimezone, isTimezone } from './timezone.ts';

type PropertyStores = Pick<Store, 'accessCodes' | 'accounts' | 'properties'>;

/**
 * `property set-timezone`: from now on windows and times of its devices are read on this clock, those of codes issued before too. Their
 * digits fix an hour of UTC and a length; what these are on a clock, the clock says. Hence the warning.
 */
export async function setTimezone(
  store: PropertyStores,
  id: string,
  timezone: string,
  now: EpochMilliseconds,
): Promise<CommandResult> {
  if (!isTimezone(timezone)) return refused(describeTimezone(timezone));
  const before = await findProperty(store, id);
  if (before === undefined || !(await store.properties.setTimezone(id, timezone)))
    return refused(`There is no property ${id}`);
  const changes = before.timezone !== null && before.timezone !== timezone;
  const affectedCodes = changes ? await store.accessCodes.countOpen(id, now) : 0;
  const result = { property: id, timezone, before: before.timezone, affectedCodes };
  if (!changes) return done(`${id}: ${timezone}`, result);
  const codes =
    affectedCodes === 1
      ? '1 code issued before is not over. It'
      : `${affectedCodes} codes issued before are not over. They`;
  const lines = [
    `${id}: ${timezone}, until now ${before.timezone}`,
    ...(affectedCodes === 0
      ? []
      : [
          `Warning: ${codes} will not open at the times that guests were told, if these clocks differ in more than whole hours,`,
          'or a code is a daily one: a start stays in its hour of UTC and moves by up to 59 minutes, a daily end goes by the changes of the new clock.',
          'Issue such codes again, or end them all (device re-pair).',
        ]),
    `Its locks go by ${before.timezone} until they are given the new timezone. From now on codes are made for the new one.`,
  ];
  return done(lines.join('\n'), result);
}

async function findProperty({ accounts, properties }: PropertyStores, id: string): Promise<Property | undefined> {
  const found = (await accounts.list()).map((account) => properties.findAll(account.id, [id]));
  return (await Promise.all(found)).flat()[0];
}
