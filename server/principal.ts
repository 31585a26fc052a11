import type { EpochMilliseconds } from './clock.ts';

/** Who a request acts for, as its verified access token says. */
export interface Principal {
  /** The account whose objects are visible: of the own-account client, or of the owner who logged in. */
  readonly accountId: string;
  readonly clientId: string;
  /** End of the account's trial; null for a subscribed account. */
  readonly trialEndsAt: EpochMilliseconds | null;
}
