import type { Tables } from '../schema.ts';
import type { Activity } from './activity-store.ts';

export type ActivityRow = Tables['activity'];

export const activityColumns = [
  'device_id',
  'at',
  'id',
  'received_at',
  'type',
  'method',
  'raw_type',
  'first_use',
  'pin_id',
  'access_name',
  'details',
] as const satisfies readonly (keyof ActivityRow)[];

export function readActivity(row: ActivityRow): Activity {
  return {
    id: row.id,
    deviceId: row.device_id,
    at: row.at,
    receivedAt: row.received_at,
    type: row.type,
    method: row.method,
    rawType: row.raw_type,
    firstUse: row.first_use === null ? null : row.first_use === 1,
    pinId: row.pin_id,
    accessName: row.access_name,
    details: row.details,
  };
}

export function toActivityRow(entry: Activity): ActivityRow {
  return {
    device_id: entry.deviceId,
    at: entry.at,
    id: entry.id,
    received_at: entry.receivedAt,
    type: entry.type,
    method: entry.method,
    raw_type: entry.rawType,
    first_use: entry.firstUse === null ? null : entry.firstUse ? 1 : 0,
    pin_id: entry.pinId,
    access_name: entry.accessName,
    details: entry.details,
  };
}
