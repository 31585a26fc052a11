import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatSlowest, listTimes } from './print-slowest.ts';

const many = Array.from({ length: 25 }, (_, index) => ({ ms: (index + 1) * 1000, name: `test ${index + 1}` }));

test.each([
  { name: 'nothing where nothing ran', times: [], want: '' },
  { name: 'nothing of what took no time', times: [{ ms: 0, name: 'a' }], want: '' },
  {
    name: 'by falling time, in tenths of a second',
    times: [
      { ms: 149, name: 'a.test.ts > is fast' },
      { ms: 61_960, name: 'b.test.ts (hooks)' },
      { ms: 0, name: 'c.test.ts > was left out' },
      { ms: 1500, name: 'b.test.ts > is slow' },
    ],
    want: `
The slowest 3:
  62.0 s  b.test.ts (hooks)
   1.5 s  b.test.ts > is slow
   0.1 s  a.test.ts > is fast
`,
  },
])('prints $name', ({ times, want }) => {
  expect(formatSlowest(times)).toBe(want);
});

test('prints twenty, the slowest', () => {
  const lines = formatSlowest(many).trim().split('\n');
  expect(lines).toHaveLength(21);
  expect([lines[0], lines[1], lines.at(-1)]).toEqual(['The slowest 20:', '  25.0 s  test 25', '   6.0 s  test 6']);
});

test('lists the tests of a file, one that was left out among them, and its hooks as the rest of its time', () => {
  const tests = [
    { fullName: 'group > is slow', diagnostic: () => ({ duration: 300 }) },
    { fullName: 'was left out', diagnostic: () => undefined },
  ];
  const children = { allTests: () => tests };
  const moduleId = join(process.cwd(), 'cli/a.test.ts');
  expect(listTimes({ moduleId, children, diagnostic: () => ({ duration: 1000 }) })).toEqual([
    { ms: 300, name: 'cli/a.test.ts > group > is slow' },
    { ms: 0, name: 'cli/a.test.ts > was left out' },
    { ms: 700, name: 'cli/a.test.ts (hooks)' },
  ]);
});
