import type { EpochMilliseconds } from '../../clock.ts';

/** An entry of a device's log as it is kept: what happened, never the digits that were typed. */
export interface Activity {
  /** 24 hexadecimal digits, from the device and the item's own id: one item is one entry, however often it comes. */
  readonly id: string;
  readonly deviceId: string;
  readonly at: EpochMilliseconds;
  readonly receivedAt: EpochMilliseconds;
  /** `UNLOCK` and the like; the catalogue of activities is the operations'. */
  readonly type: string;
  readonly method: string;
  /** The lock's own number for it; null when its text was not readable. */
  readonly rawType: number | null;
  readonly firstUse: boolean | null;
  readonly pinId: string | null;
  readonly accessName: string | null;
  /** JSON object with what the description needs besides; `{}` for nothing. */
  readonly details: string;
}

export type NewActivity = Activity;

export interface ActivityQuery {
  readonly deviceId: string;
  /** Inclusive. */
  readonly from: EpochMilliseconds | null;
  /** Exclusive. */
  readonly before: EpochMilliseconds | null;
  /** Ties go by `id` in the same direction. */
  readonly descending: boolean;
  readonly after: { readonly at: EpochMilliseconds; readonly id: string } | null;
  readonly limit: number;
}

export interface ActivityStore {
  /** All in one transaction; an entry that is there stays as it is. @returns how many were new */
  add(entries: readonly NewActivity[]): Promise<number>;
  list(query: ActivityQuery): Promise<readonly Activity[]>;
  /** Removes entries that arrived before that, whenever they happened; a bounded number. @returns how many */
  purge(arrivedBefore: EpochMilliseconds, atMost: number): Promise<number>;
}
