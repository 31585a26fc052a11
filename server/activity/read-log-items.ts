import type { AccessCodeStore } from '../store/access-codes/access-code-store.ts';
import type { NewActivity } from '../store/activity/activity-store.ts';
import { nameCodes } from './name-codes.ts';
import { type LogReader, readLogItem } from './read-log-item.ts';

export interface ReadLogItems {
  /** In the order sent, with the names of their codes: ready to be stored. An item sent twice gives two entries with one id. */
  readonly entries: readonly NewActivity[];
  readonly rejected: readonly { readonly index: number; readonly error: string }[];
}

/** Reads items one by one: a rejected item does not affect the others. Stores nothing. */
export async function readLogItems(
  accessCodes: Pick<AccessCodeStore, 'findAll'>,
  sent: readonly unknown[],
  reader: LogReader,
): Promise<ReadLogItems> {
  const entries: NewActivity[] = [];
  const rejected: { index: number; error: string }[] = [];
  for (const [index, item] of sent.entries()) {
    const read = readLogItem(item, reader);
    if (read.kind === 'entry') entries.push(read.entry);
    else rejected.push({ index, error: read.rejection });
  }
  return { entries: await nameCodes(accessCodes, entries), rejected };
}
