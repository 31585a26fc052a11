import type { EpochMilliseconds } from '../clock.ts';

/** What simulated locks remember, so that a code spent before a restart is spent after it. Opaque and sealed: digits are in it. */
export interface LockMemoryStore {
  load(deviceId: string): Promise<Uint8Array | undefined>;
  save(deviceId: string, sealed: Uint8Array, at: EpochMilliseconds): Promise<void>;
}
