import type { components } from '@lockstep/contract/types';
import type { JobData } from '../../bridge/job-data.ts';
import { Temporal } from '../../temporal.ts';

type Schemas = components['schemas'];

/** The data of any job, as requests write it. */
export type SentJobData = Partial<
  Schemas['CreatePinJobData'] & Schemas['DeletePinJobData'] & Schemas['GetActivityLogsJobData']
>;

/**
 * Parses `jobData`, JSON text or an object. Omitted data, empty text and `{}` are the same. The data has been validated against the schema
 * of its `jobType`.
 */
export function parseJobData(sent: Schemas['CreateProxiedJobRequest']['jobData']): SentJobData {
  if (sent === undefined || sent === '') return {};
  return typeof sent === 'string' ? (JSON.parse(sent) as SentJobData) : sent;
}

/**
 * Normalises the data: times in UTC, and the name without surrounding blanks.
 *
 * @throws RangeError for a time that validation rejects, such as 30 February or 24:59
 */
export function readJobData({ accessName, startDate, endDate, lockTime, ...rest }: SentJobData): JobData {
  return {
    ...rest,
    ...(accessName === undefined ? {} : { accessName: accessName.trim() }),
    ...(startDate === undefined ? {} : { startDate: writeUtc(startDate) }),
    ...(endDate === undefined ? {} : { endDate: writeUtc(endDate) }),
    ...(lockTime === undefined ? {} : { lockTime: writeUtc(lockTime) }),
  };
}

/** RFC 3339 allows any number of fraction digits, Temporal accepts nine, and the store keeps milliseconds. */
function writeUtc(text: string): string {
  return Temporal.Instant.from(text.replace(/(\.\d{3})\d+/, '$1')).toString();
}
