import type { EpochMilliseconds } from '../../clock.ts';

/**
 * Creates a job id in the format of a database object id: 24 hexadecimal digits, of 4 bytes of time in seconds and 8 random bytes. Ids sort
 * by the second of their creation, until the seconds overflow in 2106.
 *
 * @param randomBytes `randomBytes` of node:crypto
 */
export function makeJobId(now: EpochMilliseconds, randomBytes: (size: number) => Uint8Array): string {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(Math.floor(now / 1000) % 2 ** 32);
  bytes.set(randomBytes(8), 4);
  return bytes.toString('hex');
}
