import type { Exchange } from '@lockstep/runtime/exchange';
import type { Principal } from '../principal.ts';
import type { Quota } from './account-quota.ts';

/** One request to the service. What is known of it goes into its log line. */
export interface ServiceExchange extends Exchange<Principal> {
  /** Of its account and client, once the request has been counted. */
  quota?: Quota | undefined;
  /** What answers where no operation does: `auth`, `docs`. */
  mount?: string;
  /** `code` of the error that was answered. */
  code?: string;
}
