import type { Instant } from '@lockstep/values/instant';
import type { RunContext } from '../checks/check.ts';
import type { Credentials } from '../execute/authorize.ts';
import type { Clock } from '../execute/clock.ts';
import type { NumberedExchange, PhaseName, Trace } from '../execute/exchange.ts';
import type { Budget } from '../execute/limits.ts';
import type { FoundFailures } from '../failures/failure-file.ts';
import type { Finding, KnownFailure } from '../failures/finding.ts';
import type { KnownFinding, Unmatched } from '../failures/known.ts';
import type { Redactor } from '../failures/redact.ts';
import type { LeftGroup } from '../ledger/clean-up.ts';
import type { Permissions } from '../plan/permissions.ts';
import type { Obligation, Selection } from '../plan/plan.ts';
import type { ContractCoverage } from './contract-coverage.ts';
import type { Judgement, RunnerFailure } from './verdict.ts';
import type { Warning } from './warnings.ts';

/** All inputs of a run other than the contract and the answers. */
export interface RunOptions {
  /** Without a trailing slash; replaces the servers of the contract. */
  readonly baseUrl: string;
  readonly authUrl: string | undefined;
  readonly credentials: Credentials;
  readonly second?: Credentials | undefined;
  /** Client certificate and private key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly passphrase?: string } | undefined;
  /** Address of a proxy for all requests, with its name and password. */
  readonly proxy?: string | undefined;
  readonly permissions: Permissions;
  readonly selection: Selection;
  /** Names of checks; empty: all. */
  readonly checks: readonly string[];
  /** The baseline runs whether or not it is listed. */
  readonly phases: readonly PhaseName[];
  readonly budget: Budget;
  readonly seed: number;
  readonly now: Instant;
  /** By which the run waits; the system's by default. */
  readonly clock?: Clock | undefined;
  readonly workers: number;
  readonly ratePerSecond: number | undefined;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  readonly slowMs: number | undefined;
  readonly known?: readonly KnownFailure[] | undefined;
  /** For every request; those that carry a credential are sent by the run's own account alone. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** File of the ledger, which must not exist; without one, the run keeps its ledger in memory. */
  readonly ledger?: string | undefined;
}

/** Progress of a run, reported after each turn. */
export interface Progress {
  readonly phase: string;
  readonly requests: number;
  readonly met: number;
  readonly obligations: number;
  readonly findings: number;
  readonly elapsedMs: number;
}

/** A finding before and after the attempts to shrink it: the same one if it is as small as it can be. */
export interface Shrunk {
  readonly before: Finding;
  readonly after: Finding;
  /** Number of requests sent, with deletions and repeats. */
  readonly requests: number;
}

export interface RunEvents {
  readonly onProgress?: (progress: Progress) => void;
  readonly onFinding?: (finding: Finding) => void;
  /**
   * One line for each request, in the order of the plan, without secrets. The lines are the same for the same contract, seed, clock
   * and server, whatever the number of workers.
   *
   * @param exchange undefined for a request that looks for the right address; it contains secrets
   */
  readonly onRequest?: (line: string, exchange?: NumberedExchange) => void;
  /** Each exchange in the order of the plan, also those that only delayed a case. It contains secrets: an output redacts them. */
  readonly onExchange?: (exchange: NumberedExchange, redactor: Redactor) => void;
  /** The exchanges of each turn without controls, after the checks have judged them. They contain secrets. */
  readonly onTrace?: (trace: Trace, context: RunContext) => void;
  /** Called once at the end of a run with findings, with the requests that show them and without secrets. */
  readonly onFailures?: (findings: readonly FoundFailures[]) => void;
  /** Called after the attempts to shrink a finding. */
  readonly onShrink?: (shrunk: Shrunk) => void;
  /** Called before the clean-up undoes each write. */
  readonly onCleanUp?: (done: number, all: number) => void;
}

export interface RunResult extends Judgement {
  readonly title: string;
  readonly contractFile: string;
  readonly baseUrl: string;
  readonly authUrl: string | undefined;
  readonly seed: number;
  readonly now: string;
  readonly phases: readonly PhaseName[];
  readonly findings: readonly Finding[];
  /** Accepted findings, outside of the verdict. */
  readonly known: readonly KnownFinding[];
  /** Accepted failures that a complete run did not find. */
  readonly gone: readonly Unmatched[];
  readonly warnings: readonly Warning[];
  readonly obligations: readonly Obligation[];
  /** The parts that were not tested, one line each with the reason. */
  readonly notTested: readonly string[];
  readonly coverage: ContractCoverage;
  /** Effects of the run that its clean-up did not undo. */
  readonly leftBehind: readonly LeftGroup[];
  /** The ledger, if a later clean-up may undo more. */
  readonly ledger: string | undefined;
  /** Requests of the run without its clean-up. */
  readonly requests: number;
  /** Those of them that shrank findings, beyond the budget. */
  readonly shrinkRequests: number;
  readonly durationMs: number;
  /** Set if the runner itself failed. */
  readonly failure?: RunnerFailure | undefined;
}
