import type { EpochMilliseconds } from '../../clock.ts';

/** An entry of a device's log as it is stored, without the digits that were typed. */
export interface Activity {
  /** 24 hexadecimal digits, derived from the device and the item's own id: an item that comes again is the same entry. */
  readonly id: string;
  readonly deviceId: string;
  readonly at: EpochMilliseconds;
  readonly receivedAt: EpochMilliseconds;
  /** `UNLOCK` for example; `server/activity` has the list. */
  readonly type: string;
  readonly method: string;
  /** The lock's own number for the event; null when its text was not readable. */
  readonly rawType: number | null;
  readonly firstUse: boolean | null;
  readonly pinId: string | null;
  readonly accessName: string | null;
  /** JSON object with further data for the description. */
  readonly details: string;
}

export type NewActivity = Activity;

export interface ActivityQuery {
  readonly deviceId: string;
  /** Inclusive. */
  readonly from: EpochMilliseconds | null;
  /** Exclusive. */
  readonly before: EpochMilliseconds | null;
  /** Ties are sorted by `id` in the same direction. */
  readonly descending: boolean;
  readonly after: { readonly at: EpochMilliseconds; readonly id: string } | null;
  readonly limit: number;
}

export interface ActivityStore {
  /** Adds all entries in one transaction; existing entries stay as they are. @returns the number of new entries */
  add(entries: readonly NewActivity[]): Promise<number>;
  list(query: ActivityQuery): Promise<readonly Activity[]>;
  /** Removes at most `atMost` entries that arrived before the time, whatever their `at`. @returns the number of removed entries */
  purge(arrivedBefore: EpochMilliseconds, atMost: number): Promise<number>;
}
