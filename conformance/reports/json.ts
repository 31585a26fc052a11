import type { Report } from './report.ts';

/** For programs: the whole result. */
export const jsonReport: Report = {
  file: 'report.json',
  format: (result) => `${JSON.stringify(result, undefined, 2)}\n`,
};
