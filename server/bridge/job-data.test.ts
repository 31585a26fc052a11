import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createJobDataSeal } from './job-data.ts';

const key = Buffer.alloc(32, 7);
const data = { accessName: 'Cleaner', pin: '739154', pinType: 2 } as const;

test('the data of a job opens for that job alone', () => {
  const { seal, open } = createJobDataSeal(key, randomBytes);
  const sealed = seal('one', data);
  expect(Buffer.from(sealed).toString('latin1')).not.toMatch(/739154|Cleaner/);
  expect(open('one', sealed)).toEqual(data);
  expect(() => open('another', sealed)).toThrow("the data of job another can't be opened");
});

test('sealed under another key it does not open', () => {
  const sealed = createJobDataSeal(Buffer.alloc(32, 8), randomBytes).seal('one', data);
  expect(() => createJobDataSeal(key, randomBytes).open('one', sealed)).toThrow("can't be opened");
});
