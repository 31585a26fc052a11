import type { Seal } from '../seal.ts';
import { createSeal } from '../seal.ts';

/** The data of a job for its bridge: the contract's object for its kind, with times in UTC. Omitted members are absent. */
export interface JobData {
  readonly accessName?: string;
  /** 4 to 6 digits: never in an answer, a log or in clear in the database. */
  readonly pin?: string;
  /** 1 one-time, 2 permanent, 4 from `startDate` to `endDate`. */
  readonly pinType?: 1 | 2 | 4;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly accessId?: string;
  readonly lockTime?: string;
}

/** Seals the data of a job while it waits, and opens it for the bridge. */
export interface JobDataSeal {
  seal(jobId: string, data: JobData): Uint8Array;
  /** @throws Error when the data was sealed under another key file */
  open(jobId: string, sealed: Uint8Array): JobData;
}

/**
 * @param deviceKey 32 bytes of the key file
 * @param randomBytes source of nonces, `randomBytes` of node:crypto
 */
export function createJobDataSeal(deviceKey: Uint8Array, randomBytes: (size: number) => Uint8Array): JobDataSeal {
  const seal: Seal = createSeal(deviceKey, 'lockstep/job-data/v1', randomBytes);
  return {
    seal: (jobId, data) => seal.seal(jobId, Buffer.from(JSON.stringify(data))),
    open(jobId, sealed) {
      const content = seal.open(jobId, sealed);
      if (content === undefined)
        throw new Error(`the data of job ${jobId} can't be opened: was it sealed under another key file?`);
      return JSON.parse(Buffer.from(content).toString()) as JobData;
    },
  };
}
