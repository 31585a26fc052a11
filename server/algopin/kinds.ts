import { localDaysLater } from './local-clock/local-days-later.ts';

export type CodeKind = 'hourly' | 'daily' | 'onetime' | 'permanent' | 'passage';

/** The properties of one kind of code. */
export interface KindOfCode {
  /** Number of codes of this kind for one window. */
  readonly variances: number;
  /** Bounds of `Code.duration`, both included; 0 and 0 if the kind has a fixed duration. */
  readonly shortest: number;
  readonly longest: number;
  /** The member of a request that gives the duration. When it is omitted, the duration is the shortest. */
  readonly durationFrom: 'endDate' | 'durationHours' | null;
  /** End of a window, not included; null when only a person at the lock can end it. */
  readonly end: (start: Temporal.ZonedDateTime, duration: number) => Temporal.ZonedDateTime | null;
  /** An entry keeps the lock open for the code's duration, in hours. */
  readonly keepsOpen: boolean;
  /** The lock refuses a second entry. */
  readonly isSpentByUse: boolean;
}

/** The first use must come sooner than this after the start. The bound keeps the number of codes that a guess can hit small. */
export const firstUseWithinHours = 24;

/**
 * The five kinds. Their order is the order of codes within an hour. Order and bounds determine every digit: a change here needs a new
 * version of the scheme. A test compares the bounds with those of the contract.
 */
export const codeKinds = {
  hourly: {
    variances: 3,
    shortest: 1,
    longest: 672,
    durationFrom: 'endDate',
    end: (start, hours) => start.add({ hours }),
    keepsOpen: false,
    isSpentByUse: false,
  },
  daily: {
    variances: 3,
    shortest: 29,
    longest: 367,
    durationFrom: 'endDate',
    end: localDaysLater,
    keepsOpen: false,
    isSpentByUse: false,
  },
  onetime: {
    variances: 5,
    shortest: 0,
    longest: 0,
    durationFrom: null,
    end: (start) => start.add({ hours: firstUseWithinHours }),
    keepsOpen: false,
    isSpentByUse: true,
  },
  permanent: {
    variances: 5,
    shortest: 0,
    longest: 0,
    durationFrom: null,
    end: () => null,
    keepsOpen: false,
    isSpentByUse: false,
  },
  passage: {
    variances: 3,
    shortest: 1,
    longest: 24,
    durationFrom: 'durationHours',
    end: (start) => start.add({ hours: firstUseWithinHours }),
    keepsOpen: true,
    isSpentByUse: false,
  },
} as const satisfies Record<CodeKind, KindOfCode>;
