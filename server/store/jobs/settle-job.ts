import { prepareAddActivity } from '../activity/add-activity.ts';
import type { Database } from '../database.ts';
import { prepareLastSync } from '../devices/last-sync.ts';
import { prepareQuery, prepareWrite } from '../prepared-query.ts';
import { transact } from '../transact.ts';
import type { JobStatus, JobStore } from './job-store.ts';

/** The result of a device that did not answer; any other result comes from the device. */
const outOfReach = 1;

interface End {
  readonly jobId: string;
  readonly status: JobStatus;
  readonly result: number;
  readonly output: string;
  readonly at: number;
}

interface Place {
  readonly bridgeId: string;
  readonly deviceId: string;
}

/** Settles a job and stores log entries, battery level and last-sync times, in one transaction. */
export function prepareSettlement(database: Database): JobStore['settle'] {
  const end = prepareEnd(database);
  const findPlace = prepareQuery<{ jobId: string }, Place>(database, ({ jobId }) =>
    database.selectFrom('job').select(['bridge_id as bridgeId', 'device_id as deviceId']).where('job_id', '=', jobId),
  );
  const addActivity = prepareAddActivity(database);
  const setBattery = prepareWrite<{ deviceId: string; batteryLevel: number }>(database, ({ deviceId, batteryLevel }) =>
    database.updateTable('device').set({ battery_level: batteryLevel }).where('device_id', '=', deviceId),
  );
  const raiseLastSync = prepareLastSync(database);
  return ({ jobId, at, result, output, activities, batteryLevel }) =>
    transact(database, async (transaction) => {
      const status = result === 0 ? 'succeeded' : 'failed';
      const hasEnded = (await end({ jobId, status, result, output, at }, transaction)) === 1;
      await addActivity(activities, transaction);
      const [place] = await findPlace({ jobId }, transaction);
      if (place === undefined) return false;
      const { bridgeId, deviceId } = place;
      // In a fixed order, since a concurrent settlement may lock the same two rows.
      for (const id of [...new Set([bridgeId, deviceId])].sort()) {
        if (id === deviceId && batteryLevel !== null) await setBattery({ deviceId, batteryLevel }, transaction);
        if (id === bridgeId || result !== outOfReach) await raiseLastSync({ deviceId: id, at }, transaction);
      }
      return hasEnded;
    });
}

function prepareEnd(database: Database) {
  return prepareWrite<End>(database, ({ jobId, status, result, output, at }) =>
    database
      .updateTable('job')
      .set({ status, result, output, ends_at: at, sealed_data: null })
      .where('job_id', '=', jobId)
      .where('sealed_data', 'is not', null)
      .where('expires_at', '>', at),
  );
}
