import { describe, expect, test } from 'vitest';
import { readBudget, readRate } from './limits.ts';

describe('budgets', () => {
  test.each([
    ['300req', { requests: 300, milliseconds: undefined }],
    ['30s', { requests: undefined, milliseconds: 30_000 }],
    ['2m,10req', { requests: 10, milliseconds: 120_000 }],
  ])('%s', (text, want) => {
    expect(readBudget(text)).toEqual(want);
  });
  test.each(['', '30', 'req', '-1s', '1h'])('refuses %j', (text) => {
    expect(() => readBudget(text)).toThrow(RangeError);
  });
});

test('rates are per second', () => {
  expect([readRate('5/s'), readRate('300/m')]).toEqual([5, 5]);
  expect(() => readRate('0/s')).toThrow(RangeError);
  expect(() => readRate('fast')).toThrow(RangeError);
});
