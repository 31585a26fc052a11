import type { EpochMilliseconds } from '../../clock.ts';

/** An offline code as it is stored: its meaning, never its digits. */
export interface AccessCode {
  /** 24 hexadecimal digits, derived from device and digits: the same code has the same id. */
  readonly pinId: string;
  readonly deviceId: string;
  /** Pairing generation of the device at the first issue; codes of an earlier generation are not valid. */
  readonly generation: number;
  readonly kind: 'hourly' | 'daily' | 'onetime' | 'permanent' | 'passage';
  readonly startsAt: EpochMilliseconds;
  /** Null: permanent. */
  readonly endsAt: EpochMilliseconds | null;
  /** The first use must come before this time. */
  readonly activateBy: EpochMilliseconds;
  readonly variance: number;
  /** Passage codes only; null otherwise. */
  readonly durationHours: number | null;
  /** The name from the latest call. */
  readonly accessName: string;
  /** First issue. */
  readonly issuedAt: EpochMilliseconds;
}

/** The number of a device's codes that have not ended. */
export interface OpenCodes {
  readonly deviceId: string;
  /** The zone of its first property, by which its codes are judged. Null if that property has none. */
  readonly timezone: string | null;
  readonly codes: number;
}

/** Issued codes, by `pinId`. */
export interface AccessCodeStore {
  /**
   * Stores the code. An existing code keeps its `issuedAt`, and everything else is replaced: the `accessName`, and the window if the property
   * has changed its timezone since, as the same digits then open in the new window alone. A code of an earlier generation with the same
   * digits is replaced.
   *
   * @returns the code as it is stored now
   */
  issue(code: AccessCode): Promise<AccessCode>;
  /** By pinId, in no order; unknown ids are omitted. */
  findAll(pinIds: readonly string[]): Promise<readonly AccessCode[]>;
  /** Counts of codes of the current pairing that have not ended, by deviceId; devices without such codes are omitted. */
  countOpen(accountId: string, at: EpochMilliseconds): Promise<readonly OpenCodes[]>;
  /** Removes at most `atMost` codes that ended before the time; permanent codes stay. @returns the number of removed codes */
  purge(endedBefore: EpochMilliseconds, atMost: number): Promise<number>;
}
