import type { Store } from '../store/store.ts';
import { type CommandResult, done, refused } from './command.ts';
import { describeTimezone, isTimezone } from './timezone.ts';

/** `property set-timezone`: from now on windows and times of its devices are read on this clock. Codes issued before keep their instants. */
export async function setTimezone(store: Store, id: string, timezone: string): Promise<CommandResult> {
  if (!isTimezone(timezone)) return refused(describeTimezone(timezone));
  if (!(await store.properties.setTimezone(id, timezone))) return refused(`There is no property ${id}`);
  return done(`${id}: ${timezone}`, { property: id, timezone });
}
