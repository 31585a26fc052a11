import type { EpochMilliseconds } from './clock.ts';

/** The principal of a request, from its verified access token. */
export interface Principal {
  /** The account whose objects are visible: that of the own-account client, or of the owner who logged in. */
  readonly accountId: string;
  readonly clientId: string;
  /** End of the account's trial; null for a subscribed account. */
  readonly trialEndsAt: EpochMilliseconds | null;
}
