import type { RunResult } from '../run/run-conformance.ts';
import { consoleReport } from './console.ts';
import { junitReport } from './junit.ts';

/** A report: a file name and a pure function of the result. */
export interface Report {
  readonly file: string;
  readonly format: (result: RunResult) => string;
}

/** For programs: the whole result. */
const jsonReport: Report = {
  file: 'report.json',
  format: (result) => `${JSON.stringify(result, undefined, 2)}\n`,
};

/** Reports by the name that `--report` takes. */
export const reports = { console: consoleReport, json: jsonReport, junit: junitReport } as const satisfies Record<
  string,
  Report
>;

export type ReportName = keyof typeof reports;
