import { expect, test } from 'vitest';
import { requireOwnKeys } from './require-own-keys.ts';
import { openMemoryStore } from './store/sqlite/fixtures/open-memory-store.ts';

test('a database accepts the key file of its first use alone', async () => {
  const store = await openMemoryStore();
  const [first, other] = [1, 2].map((byte) => ({ deviceKey: new Uint8Array(32).fill(byte) }));
  if (first === undefined || other === undefined) throw new Error('two keys');
  for (const keys of [first, first]) await requireOwnKeys(store, keys);
  for (const keys of [other, other])
    await expect(requireOwnKeys(store, keys)).rejects.toMatchObject({ name: 'StoreUnusable', reason: 'other_keys' });
  await requireOwnKeys(store, first);
  expect(Buffer.from(await store.keyCheck.keep('x'), 'base64url')).toHaveLength(16);
  await store.close();
});
