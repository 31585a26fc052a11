/** Milliseconds since 1970, UTC: the only representation of stored and passed points in time. */
export type EpochMilliseconds = number;

/** Domain time: windows, jobs, trials. Tokens use the system clock, since their issuer reads it itself. */
export interface Clock {
  now(): EpochMilliseconds;
}

export const systemClock: Clock = { now: () => Date.now() };
