import { createHash } from 'node:crypto';
import type { LockMemory } from './memory.ts';

/** A change of `LockMemory` needs the next number and a migration from the previous one. */
export const memoryVersion = 1;

/** The reason why a lock can't use this memory. The message never quotes the memory. */
export class MemoryFault extends Error {
  override readonly name = 'MemoryFault';
}

interface MemoryText {
  readonly version: number;
  /** SHA-256 of the JSON text of `memory`: one changed digit would open a spent code again, and no schema would detect it. */
  readonly checksum: string;
  readonly memory: LockMemory;
}

export function writeMemory(memory: LockMemory): string {
  return JSON.stringify({ version: memoryVersion, checksum: checksumOf(memory), memory } satisfies MemoryText);
}

/**
 * Reads what `writeMemory` wrote.
 *
 * @throws MemoryFault when the text is damaged, of a newer version, or another lock's. A lock with part of its memory would be worse
 *   than none: the caller decides what to do.
 */
export function readMemory(text: string, deviceId: string): LockMemory {
  const { version, checksum, memory } = parse(text);
  if (!Number.isInteger(version)) throw damaged(deviceId, 'it has no version');
  if (version !== memoryVersion) {
    throw new MemoryFault(
      `The memory of lock ${deviceId} has version ${version}; this program reads version ${memoryVersion}`,
    );
  }
  if (typeof memory !== 'object' || checksum !== checksumOf(memory))
    throw damaged(deviceId, 'its checksum does not fit');
  if (memory.deviceId !== deviceId) {
    throw new MemoryFault(`The memory is that of lock ${memory.deviceId}, not of ${deviceId}`);
  }
  return memory;

  function parse(json: string): Partial<MemoryText> {
    try {
      const value: unknown = JSON.parse(json);
      return typeof value === 'object' && value !== null ? value : {};
    } catch {
      // No cause is passed on: the parser's message quotes the text that it could not read, which may be digits of a code.
      throw damaged(deviceId, 'it is not JSON');
    }
  }
}

function damaged(deviceId: string, reason: string): MemoryFault {
  return new MemoryFault(`The memory of lock ${deviceId} is damaged: ${reason}`);
}

function checksumOf(memory: LockMemory): string {
  return createHash('sha256').update(JSON.stringify(memory)).digest('hex');
}
