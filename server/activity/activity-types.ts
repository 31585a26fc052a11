export type ActivityMethod =
  | 'pin'
  | 'bluetooth'
  | 'card'
  | 'button'
  | 'key'
  | 'fingerprint'
  | 'bridge'
  | 'auto'
  | 'unknown';

export type ActivityType =
  | 'UNLOCK'
  | 'LOCK'
  | 'AUTO_LOCK'
  | 'PASSAGE_STARTED'
  | 'PASSAGE_ENDED'
  | 'INCORRECT_PIN'
  | 'SECURITY_LOCKOUT'
  | 'BREAK_IN_ATTEMPT'
  | 'PIN_CREATED'
  | 'PIN_DELETED'
  | 'SETTINGS_CHANGED'
  | 'TIME_SYNCED'
  | 'LOW_BATTERY'
  | 'OTHER';

/** The meaning of one number in a lock's log. */
export interface ActivityKind {
  readonly type: ActivityType;
  readonly method: ActivityMethod;
  /** Null: the number does not distinguish first uses. */
  readonly firstUse: boolean | null;
}

interface Row extends Omit<ActivityKind, 'firstUse'> {
  /** Numbers of the lock's log, `logType`. */
  readonly raw: readonly number[];
  readonly firstUse?: true;
}

/** The known numbers, as the contract lists them at `LockLog`; a test compares the two. */
export const activityRows: readonly Row[] = [
  { raw: [18, 19, 20, 21, 23, 24, 25, 26], type: 'UNLOCK', method: 'pin' },
  { raw: [22], type: 'UNLOCK', method: 'pin', firstUse: true },
  { raw: [11], type: 'UNLOCK', method: 'bluetooth' },
  { raw: [43], type: 'UNLOCK', method: 'card' },
  { raw: [50], type: 'UNLOCK', method: 'button' },
  { raw: [52], type: 'UNLOCK', method: 'key' },
  { raw: [56], type: 'UNLOCK', method: 'fingerprint' },
  { raw: [208], type: 'UNLOCK', method: 'bridge' },
  { raw: [37], type: 'LOCK', method: 'bluetooth' },
  { raw: [49], type: 'LOCK', method: 'button' },
  { raw: [51], type: 'LOCK', method: 'key' },
  { raw: [209], type: 'LOCK', method: 'bridge' },
  { raw: [13], type: 'AUTO_LOCK', method: 'auto' },
  { raw: [200], type: 'PASSAGE_STARTED', method: 'pin' },
  { raw: [201], type: 'PASSAGE_ENDED', method: 'auto' },
  { raw: [16], type: 'INCORRECT_PIN', method: 'pin' },
  { raw: [202], type: 'SECURITY_LOCKOUT', method: 'pin' },
  { raw: [53], type: 'BREAK_IN_ATTEMPT', method: 'unknown' },
  { raw: [203], type: 'PIN_CREATED', method: 'bridge' },
  { raw: [204], type: 'PIN_DELETED', method: 'bridge' },
  { raw: [205], type: 'SETTINGS_CHANGED', method: 'unknown' },
  { raw: [206], type: 'TIME_SYNCED', method: 'unknown' },
  { raw: [207], type: 'LOW_BATTERY', method: 'unknown' },
];

const known = new Map(
  activityRows.flatMap(({ raw, type, method, firstUse = null }) =>
    raw.map((rawType): [number, ActivityKind] => [rawType, { type, method, firstUse }]),
  ),
);

const other: ActivityKind = { type: 'OTHER', method: 'unknown', firstUse: null };

/** @param rawType undefined if the lock's text had none */
export function readActivityKind(rawType: number | undefined): ActivityKind {
  return (rawType === undefined ? undefined : known.get(rawType)) ?? other;
}
