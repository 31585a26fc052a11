import type { Instant } from '../data/time.ts';
import type { Credentials } from '../execute/authorize.ts';
import type { PhaseName } from '../execute/exchange.ts';
import type { Budget } from '../execute/limits.ts';
import type { Permissions } from '../plan/permissions.ts';
import type { Selection } from '../plan/plan.ts';

/** Everything that a run depends on besides the contract and the answers. */
export interface RunOptions {
  /** Without a trailing slash; replaces the servers of the contract. */
  readonly baseUrl: string;
  readonly authUrl: string | undefined;
  readonly credentials: Credentials;
  /** The second account; undefined: none was given. */
  readonly second?: Credentials | undefined;
  /** Certificate and key that connections show, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly passphrase?: string } | undefined;
  readonly permissions: Permissions;
  readonly selection: Selection;
  /** Names of checks; empty: all. */
  readonly checks: readonly string[];
  readonly phases: readonly PhaseName[];
  readonly budget: Budget;
  readonly seed: number;
  readonly now: Instant;
  readonly workers: number;
  readonly ratePerSecond: number | undefined;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  readonly slowMs: number | undefined;
  /** For every request; those that carry a credential are sent by the run's own account alone. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}
