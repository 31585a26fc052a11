import type { EpochMilliseconds } from '../clock.ts';
import type { Property } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type CommandResult, done, refused } from './command.ts';
import { describeTimezone, isTimezone } from './timezone.ts';
import { countAffected, describeTimezoneChange } from './timezone-change.ts';

type PropertyStores = Pick<Store, 'accessCodes' | 'accounts' | 'properties'>;

/** `property set-timezone`: from now on windows and times of its devices are read on this clock, those of codes issued before too. */
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
  const result = { property: id, timezone, before: before.timezone, affectedCodes: 0 };
  if (before.timezone === null || before.timezone === timezone) return done(`${id}: ${timezone}`, result);
  const change = await countAffected(store.accessCodes, { ...result, before: before.timezone }, now);
  return done(describeTimezoneChange(change).join('\n'), change);
}

async function findProperty({ accounts, properties }: PropertyStores, id: string): Promise<Property | undefined> {
  const found = (await accounts.list()).map((account) => properties.findAll(account.id, [id]));
  return (await Promise.all(found)).flat()[0];
}
