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
  /** By deviceId; none for a device without faults. */
  readonly habits?: Readonly<Record<string, Habits>>;
}

/** A job is delivered and done this long after its creation, so that users can see each state. */
const deliveredAfterMs = 1000;
const doneAfterMs = 3000;
/** The pause between two looks at an offline bridge while jobs wait for it. */
const lookAgainMs = 5000;

const firmware = '1.8.2';

/**
 * Bridges within this process, each with the virtual locks that it links. The times follow from the job's creation alone, and the effects
 * are in the locks' memory: a restart changes neither.
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
      // After a clock went back, a job's age is unknown. The job is done at once, before any job that is created from now on.
      const createdAt = job.createdAt > now ? now - doneAfterMs : job.createdAt;
      if (now < createdAt + deliveredAfterMs)
        return { kind: 'under_way', isDelivered: false, askAgainAt: createdAt + deliveredAfterMs };
      const bridge = await store.devices.find(accountId, bridgeId);
      if (bridge?.online !== true) return { kind: 'under_way', isDelivered: false, askAgainAt: now + lookAgainMs };
      if (habits[deviceId]?.isSilent === true) return { kind: 'under_way', isDelivered: true, askAgainAt: null };
      if (now < createdAt + doneAfterMs)
        return { kind: 'under_way', isDelivered: true, askAgainAt: createdAt + doneAfterMs };
      const isReachable = deviceId === bridgeId || bridge.linked.some((linked) => linked.deviceId === deviceId);
      const device = isReachable ? await store.devices.find(accountId, deviceId) : undefined;
      return { kind: 'done', report: await run(job, device) };
    },
  };
}
