import type { AccessCodeStore } from '../store/access-codes/access-code-store.ts';
import type { NewActivity } from '../store/activity/activity-store.ts';
import type { ActivityDetails } from './describe-activity.ts';

/**
 * Gives entries the current name of their code, and a passage its hours, by one look-up for all. A `pinId` that belongs to no code of the
 * device is removed, so that no trace of unknown digits is stored.
 */
export async function nameCodes(
  accessCodes: Pick<AccessCodeStore, 'findAll'>,
  entries: readonly NewActivity[],
): Promise<readonly NewActivity[]> {
  const pinIds = new Set(entries.flatMap(({ pinId }) => pinId ?? []));
  if (pinIds.size === 0) return entries;
  const codes = new Map((await accessCodes.findAll([...pinIds])).map((code) => [code.pinId, code]));
  return entries.map((entry) => {
    const code = codes.get(entry.pinId ?? '');
    if (code === undefined || code.deviceId !== entry.deviceId) return { ...entry, pinId: null };
    const { accessName, durationHours } = code;
    const isPassage = entry.type === 'PASSAGE_STARTED' && durationHours !== null;
    const details: ActivityDetails = isPassage ? { hours: durationHours } : {};
    return { ...entry, accessName, details: JSON.stringify(details) };
  });
}
