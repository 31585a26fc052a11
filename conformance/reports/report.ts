import type { RunResult } from '../run/run-conformance.ts';

/** A report: a file name and a pure function of the result. */
export interface Report {
  readonly file: string;
  readonly format: (result: RunResult) => string;
}
