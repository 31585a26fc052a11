import { consoleReport } from './console.ts';
import { jsonReport } from './json.ts';
import { junitReport } from './junit.ts';
import type { Report } from './report.ts';

/** Reports by the name that `--report` takes. */
export const reports = { console: consoleReport, json: jsonReport, junit: junitReport } as const satisfies Record<
  string,
  Report
>;

export type ReportName = keyof typeof reports;
