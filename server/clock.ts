/** Milliseconds since 1970, UTC. The one form in which points in time are stored and handed around. */
export type EpochMilliseconds = number;

/** Domain time: windows, jobs, trials. Tokens live on the system clock, since their issuer reads it itself. */
export interface Clock {
  now(): EpochMilliseconds;
}

export const systemClock: Clock = { now: () => Date.now() };
