import { hasBolt } from '../capabilities.ts';
import { isOpen, lockedDoor, openDoor } from '../door.ts';
import { endPassage } from '../end-passage.ts';
import { describeLogEntry, logTypes } from '../lock-log.ts';
import { type LockContext, type LockMemory, localTime, logNow } from '../memory.ts';
import { createCustomPin, deleteCustomPin, readInstant } from './custom-pin-jobs.ts';
import {
  type JobAnswer,
  type JobOutput,
  type JobType,
  jobResults,
  type LockJob,
  type RememberedJob,
  rememberedJobs,
} from './job.ts';
import type { JobEffect } from './job-effect.ts';

interface JobKind {
  readonly needsBolt: boolean;
  readonly run: (memory: LockMemory, job: LockJob, context: LockContext) => JobEffect;
}

const jobKinds: Readonly<Record<JobType, JobKind>> = {
  LOCK: {
    needsBolt: true,
    run: (memory) =>
      done(logNow({ ...endPassage(memory), door: lockedDoor }, { logType: logTypes.lockedByBridge }), {
        lockState: 'locked',
      }),
  },
  UNLOCK: {
    needsBolt: true,
    run: (memory) => {
      const door = openDoor(memory.door, memory.time.running);
      return done(logNow({ ...memory, door }, { logType: logTypes.unlockedByBridge }), { lockState: 'unlocked' });
    },
  },
  CREATE_PIN: { needsBolt: false, run: createCustomPin },
  DELETE_PIN: { needsBolt: false, run: deleteCustomPin },
  GET_BATTERY_LEVEL: {
    needsBolt: false,
    run: (memory) => done(memory, { batteryLevel: memory.batteryLevel }),
  },
  GET_DEVICE_STATUS: {
    needsBolt: false,
    run: (memory, _, context) =>
      done(memory, {
        lockState: lockStateOf(memory, context),
        deviceTime: localTime(memory, context).toString({
          smallestUnit: 'second',
          timeZoneName: 'never',
        }),
        firmware: context.capabilities.firmware,
        batteryLevel: memory.batteryLevel,
      }),
  },
  GET_ACTIVITY_LOGS: { needsBolt: false, run: readLog },
};

/**
 * Runs a job that a bridge delivers, once: a second delivery gets the first answer and changes nothing.
 *
 * @param memory brought up to the clock
 */
export function runJob(
  memory: LockMemory,
  job: LockJob,
  context: LockContext,
): { readonly answer: JobAnswer; readonly memory: LockMemory } {
  const earlier = memory.jobs.find(({ jobId }) => jobId === job.jobId);
  if (earlier !== undefined) return { answer: answerOf(earlier, memory), memory };
  const effect = attempt(memory, job, context);
  const after = effect.result === 0 ? effect.memory : memory;
  const asked = effect.result === 0 ? effect.logsFrom : undefined;
  const remembered: RememberedJob = {
    jobId: job.jobId,
    result: effect.result,
    output: effect.result === 0 ? effect.output : {},
    logged: { first: asked === undefined ? memory.log.next : 1, end: after.log.next, from: asked ?? null },
  };
  const next = { ...after, jobs: [...after.jobs, remembered].slice(-rememberedJobs) };
  return { answer: answerOf(remembered, next), memory: next };
}

function attempt(memory: LockMemory, job: LockJob, context: LockContext): JobEffect {
  // A service may be newer than this lock and send jobs that the lock does not know.
  if (!Object.hasOwn(jobKinds, job.jobType)) return { result: jobResults.refused };
  const kind = jobKinds[job.jobType];
  if (kind.needsBolt && !hasBolt(context.capabilities)) return { result: jobResults.refused };
  const fault = context.capabilities.faults?.[job.jobType];
  return fault === undefined ? kind.run(memory, job, context) : { result: fault };
}

function answerOf({ result, output, logged }: RememberedJob, { deviceId, log }: LockMemory): JobAnswer {
  const isMeant = (number: number, at: number) =>
    number >= logged.first && number < logged.end && at >= (logged.from ?? Number.NEGATIVE_INFINITY);
  const entries = log.entries.filter(({ number, at }) => isMeant(number, at));
  return { result, output, items: entries.map((entry) => describeLogEntry(deviceId, entry)) };
}

export function lockStateOf(
  { door, time }: LockMemory,
  { capabilities }: LockContext,
): 'locked' | 'unlocked' | 'unknown' {
  if (!hasBolt(capabilities)) return 'unknown';
  return isOpen(door, time.running) ? 'unlocked' : 'locked';
}

function readLog(memory: LockMemory, { jobData }: LockJob): JobEffect {
  const lockTime = (jobData as { lockTime?: unknown } | undefined)?.lockTime;
  if (lockTime === undefined) return { ...done(memory, {}), logsFrom: null };
  const from = readInstant(lockTime);
  return from === undefined ? { result: jobResults.refused } : { ...done(memory, {}), logsFrom: from };
}

function done(memory: LockMemory, output: JobOutput) {
  return { result: 0, output, memory } as const;
}
