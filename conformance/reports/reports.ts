import type { RunResult } from '../run/run-conformance.ts';
import { formatConsole } from './console.ts';
import { formatJunit } from './junit.ts';

/** A report: a file name and a pure function of the result. */
interface Report {
  readonly file: string;
  readonly format: (result: RunResult) => string;
}

/** Reports by the name that `--report` takes. */
export const reports = {
  console: { file: 'report.txt', format: formatConsole },
  /** For programs: the whole result. */
  json: { file: 'report.json', format: (result) => `${JSON.stringify(result, undefined, 2)}\n` },
  junit: { file: 'junit.xml', format: formatJunit },
} as const satisfies Record<string, Report>;

export type ReportName = keyof typeof reports;
