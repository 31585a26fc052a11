import { describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { addAccount, makeDevice } from './records.ts';

export function describeLockMemories(get: () => Store): void {
  describe('lock memories', () => {
    test('read back byte for byte; a later one replaces the earlier; each device has its own', async () => {
      const accountId = await addAccount(get());
      const [one, other] = [`${accountId}-1`, `${accountId}-2`];
      await get().imports.write({ properties: [], devices: [one, other].map((id) => makeDevice(accountId, id)) });
      const { lockMemories } = get();
      expect(await lockMemories.load(one)).toBeUndefined();
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      expect(await lockMemories.save(one, bytes, 1, undefined)).toBe(true);
      expect(await lockMemories.load(one)).toEqual(bytes);
      expect(await lockMemories.load(other)).toBeUndefined();
      expect(await lockMemories.save(one, new Uint8Array(), 2, bytes)).toBe(true);
      expect(await lockMemories.load(one)).toEqual(new Uint8Array());
      expect(await lockMemories.save(one, bytes, 3, bytes)).toBe(false);
      expect(await lockMemories.save(one, bytes, 3, undefined)).toBe(false);
      expect(await lockMemories.load(one)).toEqual(new Uint8Array());
      await lockMemories.save(other, new Uint8Array(100_000).fill(7), 3, undefined);
      expect(await lockMemories.load(other)).toEqual(new Uint8Array(100_000).fill(7));
    });
  });
}
