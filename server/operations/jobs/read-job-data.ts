import type { components } from '@lockstep/contract/types';
import type { JobData } from '../../bridge/job-data.ts';
import { Temporal } from '../../temporal.ts';

type Schemas = components['schemas'];

/** The data of any job, as requests write it. */
export type SentJobData = Partial<
  Schemas['CreatePinJobData'] & Schemas['DeletePinJobData'] & Schemas['GetActivityLogsJobData']
>;

/**
 * Takes `jobData` as it was sent, JSON text or the object itself. Left out, empty text and `{}` are the same. The form check has held it
 * against the schema of its `jobType`.
 */
export function parseJobData(sent: Schemas['CreateProxiedJobRequest']['jobData']): SentJobData {
  if (sent === undefined || sent === '') return {};
  return typeof sent === 'string' ? (JSON.parse(sent) as SentJobData) : sent;
}

/**
 * Reads what was sent into what it means: times in UTC, whatever their offset, and the name without blanks around it.
 *
 * @throws RangeError for a time that the form check refuses, such as 30 February or 24:59
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

/** RFC 3339 has no bound on the digits of a second's fraction, Temporal takes nine, and milliseconds are what is kept. */
function writeUtc(text: string): string {
  return Temporal.Instant.from(text.replace(/(\.\d{3})\d+/, '$1')).toString();
}
