import type { Clock } from '../clock.ts';
import type { Device } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { Temporal } from '../temporal.ts';
import type { Habits } from './habits.ts';
import type { BridgeJob, BridgeLink, BridgeReport } from './link.ts';
import type { OpenLocks } from './open-locks.ts';

export interface SimulationNeeds {
  readonly store: Pick<Store, 'devices'>;
  readonly locks: OpenLocks;
  readonly clock: Clock;
  /** By deviceId; none for a device that works as it should. */
  readonly habits?: Readonly<Record<string, Habits>>;
}

/** A bridge takes a job so long after its creation, and is done with it after so long. People should see each state once. */
const takenAfterMs = 1000;
const doneAfterMs = 3000;
/** A bridge that went offline is looked for so often while jobs wait for it. */
const lookAgainMs = 5000;

const firmware = '1.8.2';

/**
 * Bridges within this process, each before the virtual locks that it links. What happens when follows from the job's creation alone, and
 * what a lock did stands in its memory: a restart changes nothing of either.
 */
export function createSimulatedBridges({ store, locks, clock, habits = {} }: SimulationNeeds): BridgeLink {
  async function run(job: BridgeJob, device: Device | undefined): Promise<BridgeReport> {
    if (device === undefined) return { result: 1, output: {}, items: [], batteryLevel: null };
    if (device.type === 'Bridge') return runOnBridge(device);
    const { jobId, jobType, data } = job;
    const { result, output, items } = await locks.use(device, (lock) => lock.run({ jobId, jobType, jobData: data }));
    return { result, output: { ...output }, items, batteryLevel: output.batteryLevel ?? null };
  }

  function runOnBridge({ timezone }: Device): BridgeReport {
    const deviceTime = Temporal.Instant.fromEpochMilliseconds(clock.now()).toString({
      smallestUnit: 'second',
      roundingMode: 'floor',
      timeZone: timezone ?? 'UTC',
    });
    return { result: 0, output: { deviceTime, firmware }, items: [], batteryLevel: null };
  }

  return {
    isOnline: (bridge) => bridge.online === true,
    async deliver(job) {
      const { accountId, bridgeId, deviceId } = job;
      const now = clock.now();
      // A clock that went back says nothing of a job's age. It is done at once, before any job that is created from now on.
      const createdAt = job.createdAt > now ? now - doneAfterMs : job.createdAt;
      if (now < createdAt + takenAfterMs)
        return { kind: 'under_way', isTaken: false, askAgainAt: createdAt + takenAfterMs };
      const bridge = await store.devices.find(accountId, bridgeId);
      if (bridge?.online !== true) return { kind: 'under_way', isTaken: false, askAgainAt: now + lookAgainMs };
      if (habits[deviceId]?.isSilent === true) return { kind: 'under_way', isTaken: true, askAgainAt: null };
      if (now < createdAt + doneAfterMs)
        return { kind: 'under_way', isTaken: true, askAgainAt: createdAt + doneAfterMs };
      const isReachable = deviceId === bridgeId || bridge.linked.some((linked) => linked.deviceId === deviceId);
      const device = isReachable ? await store.devices.find(accountId, deviceId) : undefined;
      return { kind: 'done', report: await run(job, device) };
    },
  };
}
