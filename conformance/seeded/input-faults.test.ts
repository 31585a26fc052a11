import { describe, expect, test } from 'vitest';
import { apis } from './apis.ts';
import { injectFault } from './faults.ts';
import { examples, inputFaults, requestOf } from './input-faults.ts';
import type { Handler } from './serve.ts';

// If these fail, a server does not have the fault of its row, and the test of the runner means nothing.

const operations = Object.keys(examples) as (keyof typeof examples)[];

test.each(operations)('the correct server accepts the valid request of %s', async (operation) => {
  const handle = apis[examples[operation].api].create();
  if (operation === 'readLabel') await handle(requestOf('putLabel'));
  expect((await handle(requestOf(operation))).status).toBeLessThan(300);
});

describe.each(inputFaults)('$api: $name', (fault) => {
  test('answers its request otherwise than the correct server', async () => {
    const isStrict = fault.caughtBy.check === 'valid-refused';
    const status = async (handle: Handler): Promise<number> => {
      if (fault.caughtBy.operation === 'readLabel') await handle(requestOf('putLabel'));
      return (await handle(fault.sent)).status;
    };
    const { create } = apis[fault.api];
    const [correct, faulty] = [await status(create()), await status(injectFault(fault, create(fault.edits)))];
    expect([correct < 300, faulty < 300]).toEqual(isStrict ? [true, false] : [false, true]);
    expect([400, 404, 415, 422]).toContain(isStrict ? faulty : correct);
  });
});

test('each rule has a fault in two APIs', () => {
  const apisOf = Map.groupBy(inputFaults, ({ caughtBy: { check, keyword } }) => `${check} ${keyword}`);
  const single = [...apisOf].filter(([, faults]) => new Set(faults.map(({ api }) => api)).size < 2);
  expect(single.map(([rule]) => rule)).toEqual([]);
});
