import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProgress } from './progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch() {
  const lines: string[] = [];
  return { lines, progress: createProgress({ write: (text) => lines.push(text) }, () => Date.now()) };
}

test('prints nothing for work of less than two seconds', () => {
  const { lines, progress } = watch();
  progress.step('Reading');
  vi.advanceTimersByTime(1900);
  progress.step('Preparing');
  vi.advanceTimersByTime(50);
  progress.end();
  vi.advanceTimersByTime(5000);
  expect(lines).toEqual([]);
});

test('prints the step under way after two seconds, and all later steps', () => {
  const { lines, progress } = watch();
  progress.step('Reading');
  vi.advanceTimersByTime(2000);
  expect(lines).toEqual(['Reading\n']);
  progress.step('Preparing');
  expect(lines).toEqual(['Reading\n', 'Preparing\n']);
});
