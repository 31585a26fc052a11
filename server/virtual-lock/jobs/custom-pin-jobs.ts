import { createHash } from 'node:crypto';
import type { EpochMilliseconds } from '../../clock.ts';
import { Temporal } from '../../temporal.ts';
import { type CustomPin, customPinTypes, findCustomPin, removeCustomPin, storeCustomPin } from '../custom-pins.ts';
import { logTypes } from '../lock-log.ts';
import { type LockMemory, logNow } from '../memory.ts';
import { jobResults, type LockJob } from './job.ts';
import type { JobEffect } from './job-effect.ts';

const refused = { exists: jobResults.pinExists, full: jobResults.storageFull } as const;

/** CREATE_PIN. `accessId` follows from device and job: a lock that lost its memory between two deliveries gives the same id. */
export function createCustomPin(memory: LockMemory, { jobId, jobData }: LockJob): JobEffect {
  const accessId = createHash('sha256').update(`${memory.deviceId}\0${jobId}`).digest('hex').slice(0, 24);
  const pin = readCustomPin(jobData, accessId, memory.time.clock);
  if (pin === undefined) return { result: jobResults.refused };
  // The service has checked that the end is in the future. If it is not by this clock, the clock is wrong.
  if (pin.endsAt !== null && pin.endsAt <= memory.time.clock) return { result: jobResults.clockWrong };
  const stored = storeCustomPin(memory.customPins, pin);
  if (stored.kind !== 'stored') return { result: refused[stored.kind] };
  const event = { logType: logTypes.pinCreated, keyId: accessId, accessName: pin.accessName };
  return { result: 0, output: { accessId }, memory: logNow({ ...memory, customPins: stored.pins }, event) };
}

/** DELETE_PIN, by `pin` or `accessId`. */
export function deleteCustomPin(memory: LockMemory, { jobData }: LockJob): JobEffect {
  const { pin, accessId } = membersOf(jobData);
  const by = typeof pin === 'string' ? { pin } : typeof accessId === 'string' ? { accessId } : undefined;
  if (by === undefined) return { result: jobResults.refused };
  const found = findCustomPin(memory.customPins, by);
  if (found === undefined) return { result: jobResults.pinNotFound };
  const customPins = removeCustomPin(memory.customPins, found);
  const event = { logType: logTypes.pinDeleted, keyId: found.accessId, accessName: found.accessName };
  return { result: 0, output: {}, memory: logNow({ ...memory, customPins }, event) };
}

/** @returns undefined unless `text` is an RFC 3339 time with an offset */
export function readInstant(text: unknown): EpochMilliseconds | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return undefined;
  }
}

/** Reads the contract's CreatePinJobData. The service has validated it, but the lock does not rely on that. */
function readCustomPin(data: unknown, accessId: string, now: EpochMilliseconds): CustomPin | undefined {
  const { accessName, pin, pinType, startDate, endDate } = membersOf(data);
  if (typeof accessName !== 'string' || typeof pin !== 'string' || !/^\d{4,6}$/.test(pin)) return undefined;
  if (!isPinType(pinType)) return undefined;
  const startsAt = startDate === undefined ? now : readInstant(startDate);
  const endsAt = endDate === undefined ? null : readInstant(endDate);
  if (startsAt === undefined || endsAt === undefined) return undefined;
  if (customPinTypes[pinType].hasEnd !== (endsAt !== null)) return undefined;
  if (endsAt !== null && endsAt <= startsAt) return undefined;
  return { accessId, accessName, pin, pinType, startsAt, endsAt };
}

function isPinType(value: unknown): value is keyof typeof customPinTypes {
  return typeof value === 'number' && Object.hasOwn(customPinTypes, value);
}

function membersOf(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
}
