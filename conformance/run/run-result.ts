import type { Finding } from '../failures/finding.ts';
import type { Obligation } from '../plan/obligations.ts';
import type { Coverage } from './coverage.ts';
import type { Judgement, Verdict } from './judge-verdict.ts';
import type { Warning } from './warnings.ts';

export interface RunResult extends Judgement {
  readonly title: string;
  readonly contractFile: string;
  readonly baseUrl: string;
  readonly authUrl: string | undefined;
  readonly seed: number;
  readonly now: string;
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
  'wrong-address': 2,
  unreachable: 2,
  interrupted: 130,
};
