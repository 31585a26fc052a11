import { expect, test } from 'vitest';
import { Rejection } from './rejection.ts';

// If this fails, a rejection of a project's handler becomes a 500: the project and the serving command have separate copies of the runtime.
test('a rejection of another copy of this module is one', async () => {
  const copy: typeof import('./rejection.ts') = await import(`${'./rejection.ts'}?copy`);
  const refused = new copy.Rejection('form', { text: 'No' });
  expect(copy.Rejection).not.toBe(Rejection);
  expect([refused instanceof Rejection, refused.kind]).toEqual([true, 'form']);
  expect(() => copy.notImplemented()).toThrow(Rejection);
});

test.each([new Error('No'), { kind: 'form' }, null, 'form'])('anything else is none: %s', (value) => {
  expect((value as unknown) instanceof Rejection).toBe(false);
});
