import type { EpochMilliseconds } from '../../clock.ts';

/**
 * A new job's id in the form of a database object id: 24 hexadecimal digits, 4 bytes of time in seconds, 8 of chance. Ids sort by the
 * second of their creation; within a second, and beyond the year 2106, when the seconds begin anew, they don't.
 *
 * @param randomBytes `randomBytes` of node:crypto
 */
export function makeJobId(now: EpochMilliseconds, randomBytes: (size: number) => Uint8Array): string {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(Math.floor(now / 1000) % 2 ** 32);
  bytes.set(randomBytes(8), 4);
  return bytes.toString('hex');
}
