import { expect, test } from 'vitest';
import { tellProgress } from './backup-commands.ts';

test('what takes long says how far it is, every two seconds, and what does not says nothing', () => {
  let now = 7;
  const lines: string[] = [];
  const onProgress = tellProgress('backing up', { time: () => now, write: (line) => lines.push(line) });
  for (let page = 0; page < 40; page += 1) {
    onProgress(page, 40);
    if (page === 15) expect(lines).toEqual([]);
    now += 125;
  }
  expect(lines).toEqual(['backing up: 40 % of 40 pages\n', 'backing up: 80 % of 40 pages\n']);
});
