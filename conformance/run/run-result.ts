import type { Finding } from '../failures/finding.ts';
import type { Obligation } from '../plan/obligations.ts';
import type { Coverage } from './coverage.ts';
import type { Warning } from './warnings.ts';

/** `nothing-tested` and `unreachable` must never look green. */
export type Verdict = 'passed' | 'defects' | 'nothing-tested' | 'unreachable' | 'interrupted';

export interface RunResult {
  readonly title: string;
  readonly contractFile: string;
  readonly baseUrl: string;
  readonly authUrl: string | undefined;
  readonly seed: number;
  readonly now: string;
  readonly verdict: Verdict;
  /** One sentence. */
  readonly says: string;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Warning[];
  readonly obligations: readonly Obligation[];
  readonly coverage: Coverage;
  readonly requests: number;
  readonly durationMs: number;
  /** What was sent, in the order of the plan, without secrets and without anything that two runs may differ in. */
  readonly requestLog: readonly string[];
}

export const exitCodes: Readonly<Record<Verdict, number>> = {
  passed: 0,
  defects: 1,
  'nothing-tested': 2,
  unreachable: 2,
  interrupted: 130,
};
