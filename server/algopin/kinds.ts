import { localDaysLater } from './local-clock/local-days-later.ts';

export type CodeKind = 'hourly' | 'daily' | 'onetime' | 'permanent' | 'passage';

/** What sets one kind of code apart from another. */
export interface KindOfCode {
  /** How many codes of this kind one window has. */
  readonly variances: number;
  /** Bounds of `Code.duration`, both included; 0 and 0 where there is nothing to choose. */
  readonly shortest: number;
  readonly longest: number;
  /** Which member of a request says the duration. Left out there, it is the shortest. */
  readonly durationFrom: 'endDate' | 'durationHours' | null;
  /** End of a window, not included; null when only a person at the lock ends it. */
  readonly end: (start: Temporal.ZonedDateTime, duration: number) => Temporal.ZonedDateTime | null;
  /** An entry keeps the lock open for so many hours as the code's duration says. */
  readonly keepsOpen: boolean;
  /** A second entry is refused. */
  readonly isSpentByUse: boolean;
}

/** Every first use comes sooner than this after the start: it keeps the codes that a guess can hit few. */
export const firstUseWithinHours = 24;

/**
 * The five kinds. Their order is the order of codes within an hour, and with the bounds it decides every digit: a change here is a
 * new version of the scheme. The bounds are those of the contract, which a test holds equal.
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
