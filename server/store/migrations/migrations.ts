import { start } from './0001-start.ts';
import { accessCodes } from './0002-access-codes.ts';
import { jobsAndActivity } from './0003-jobs-and-activity.ts';
import { keyCheck } from './0004-key-check.ts';
import { activityByArrival } from './0005-activity-by-arrival.ts';
import { programMark } from './0006-program-mark.ts';
import { owners } from './0007-owners.ts';
import { knownBrowsers } from './0008-known-browsers.ts';
import { useCounts } from './0009-use-counts.ts';
import { jobLeases } from './0010-job-leases.ts';
import { largeTables } from './0011-large-tables.ts';
import type { Migration } from './migration.ts';

/** Every step in order; the version of the last one is the schema that this code reads and writes. */
export const migrations: readonly Migration[] = [
  start,
  accessCodes,
  jobsAndActivity,
  keyCheck,
  activityByArrival,
  programMark,
  owners,
  knownBrowsers,
  useCounts,
  jobLeases,
  largeTables,
];
