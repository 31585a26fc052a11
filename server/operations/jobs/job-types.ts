import type { JobType } from '../../store/jobs/job-store.ts';
import type { DeviceType } from '../../store/records.ts';

/** A kind of job. The contract defines its `opResult` and its scope. */
export interface JobKind {
  /** The number that requests may use instead of the name. */
  readonly code: number;
  /** Devices that can run it. A bridge is listed for jobs that it runs on itself. */
  readonly devices: readonly DeviceType[];
  /** Whether the job changes something at the device, or only reads. */
  readonly effect: 'physical' | 'remote';
}

/** Every kind of job by its name. A test compares names and codes with the contract. */
export const jobTypes = {
  LOCK: { code: 1, devices: ['Lock'], effect: 'physical' },
  UNLOCK: { code: 2, devices: ['Lock'], effect: 'physical' },
  CREATE_PIN: { code: 4, devices: ['Lock', 'Keypad'], effect: 'physical' },
  DELETE_PIN: { code: 5, devices: ['Lock', 'Keypad'], effect: 'physical' },
  GET_BATTERY_LEVEL: { code: 9, devices: ['Lock', 'Keypad'], effect: 'remote' },
  GET_DEVICE_STATUS: { code: 10, devices: ['Lock', 'Keypad', 'Bridge'], effect: 'remote' },
  GET_ACTIVITY_LOGS: { code: 15, devices: ['Lock', 'Keypad'], effect: 'remote' },
} as const satisfies Readonly<Record<JobType, JobKind>>;

const names = Object.keys(jobTypes) as JobType[];
const byText = new Map(
  names.flatMap((name) => [name, String(jobTypes[name].code)].map((text) => [text, name] as const)),
);

/**
 * Reads a `jobType` as requests write it: the name, or the code as text or as a number.
 *
 * @throws RangeError for anything else, which validation rejects before
 */
export function readJobType(sent: string | number): JobType {
  const name = byText.get(String(sent));
  if (name === undefined) throw new RangeError('a jobType that the contract does not have');
  return name;
}

/** The jobs that a device of that type can do, in the order of their codes. */
export function listJobTypes(type: DeviceType): readonly JobType[] {
  return names.filter((name) => (jobTypes[name].devices as readonly DeviceType[]).includes(type));
}
