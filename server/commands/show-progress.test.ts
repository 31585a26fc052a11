import { expect, test } from 'vitest';
import { createCopyProgress, createProgress } from './show-progress.ts';

const step = (devices: number) => ({
  properties: { done: 2, total: 2 },
  devices: { done: devices, total: 900 },
  links: { done: 0, total: 0 },
});

function show(isTTY: boolean, times: readonly number[]): string {
  const written: string[] = [];
  let at = 0;
  const progress = createProgress({ isTTY, write: (text) => written.push(text) }, () => at);
  for (const time of times) {
    at = time;
    progress.show('importing', step(time / 10));
  }
  progress.end();
  return written.join('');
}

const clear = '\r\u001b[K';

test.each([
  { name: 'a run of under two seconds prints nothing', isTTY: true, times: [10, 1990], want: '' },
  {
    name: 'a terminal has one line, written anew ten times a second at most, and gone at the end',
    isTTY: true,
    times: [100, 2000, 2050, 2100],
    want: `${clear}importing: properties 2 of 2, devices 200 of 900${clear}importing: properties 2 of 2, devices 210 of 900${clear}`,
  },
  {
    name: 'a file has a line each two seconds',
    isTTY: false,
    times: [100, 2000, 3000, 4500],
    want: 'importing: properties 2 of 2, devices 200 of 900\nimporting: properties 2 of 2, devices 450 of 900\n',
  },
])('$name', ({ isTTY, times, want }) => {
  expect(show(isTTY, times)).toBe(want);
});

test('a long run prints its progress every two seconds, a short one nothing', () => {
  let now = 7;
  const lines: string[] = [];
  const onProgress = createCopyProgress('backing up', { time: () => now, write: (line) => lines.push(line) });
  for (let page = 0; page < 40; page += 1) {
    onProgress(page, 40);
    if (page === 15) expect(lines).toEqual([]);
    now += 125;
  }
  expect(lines).toEqual(['backing up: 40 % of 40 pages\n', 'backing up: 80 % of 40 pages\n']);
});
