import type { EpochMilliseconds } from '../../clock.ts';

/** An offline code as it is kept: what it stands for, never its digits. */
export interface AccessCode {
  /** 24 hexadecimal digits, from device and digits: the same code has the same id. */
  readonly pinId: string;
  readonly deviceId: string;
  /** Pairing generation of the device at the time; a code of an earlier one opens nothing any more. */
  readonly generation: number;
  readonly kind: 'hourly' | 'daily' | 'onetime' | 'permanent' | 'passage';
  readonly startsAt: EpochMilliseconds;
  /** Null: permanent. */
  readonly endsAt: EpochMilliseconds | null;
  /** First use must come before it. */
  readonly activateBy: EpochMilliseconds;
  readonly variance: number;
  /** Passage codes only; null otherwise. */
  readonly durationHours: number | null;
  /** The name that the latest call gave it. */
  readonly accessName: string;
  /** First issue. */
  readonly issuedAt: EpochMilliseconds;
}

/** How many codes of a device are not over. */
export interface OpenCodes {
  readonly deviceId: string;
  /** Of its first property: the clock that the codes go by. Null where that has none. */
  readonly timezone: string | null;
  readonly codes: number;
}

/** Codes issued, by `pinId`. */
export interface AccessCodeStore {
  /**
   * Keeps the code; one that is there already keeps its `issuedAt` and takes the rest. That is a new `accessName`, or, where the
   * property has changed its timezone since, another window too: the same digits then open in that one, and no longer in the first.
   * One of an earlier generation that happens to have the same digits gives way.
   *
   * @returns the code as it is kept now
   */
  issue(code: AccessCode): Promise<AccessCode>;
  /** By pinId, in no order; unknown ones are left out. */
  findAll(pinIds: readonly string[]): Promise<readonly AccessCode[]>;
  /** What an account's devices have of codes that are not over, of their present pairing; by deviceId, those without any left out. */
  countOpen(accountId: string, at: EpochMilliseconds): Promise<readonly OpenCodes[]>;
  /** Removes codes that ended before, a bounded number; permanent ones stay. @returns how many */
  purge(endedBefore: EpochMilliseconds, atMost: number): Promise<number>;
}
