import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median, type Question } from './question.ts';

const rounds = 7;
const further = 5;
const root = join(import.meta.dirname, '..');

/** Seconds that each may take on a quiet machine of two cores. */
const wanted = { first: 1, further: 0.1 } as const;

/** Starts a sandbox as a test does, in its own process: from the call to the first answer. */
const script = `
const { startMock } = await import('./mock/index.ts');
const times = [];
for (let index = 0; index <= ${further}; index += 1) {
  const began = performance.now();
  const mock = await startMock();
  await fetch(mock.origin + '/healthz');
  times.push(performance.now() - began);
}
process.stdout.write(JSON.stringify(times));
process.exit();
`;

export const sandbox: Question = {
  asks: 'How long does `startMock` take, the first of a process and each further one? The second process.',
  needsPeers: false,
  async run(progress) {
    const times: Record<keyof typeof wanted, number[]> = { first: [], further: [] };
    // One round more than counted: the first fills the compile cache.
    for (let round = 0; round <= rounds; round += 1) {
      progress(`round ${round} of ${rounds}`);
      const line = ['--input-type=module', '-e', script];
      const { stdout } = await promisify(execFile)(process.execPath, line, { cwd: root });
      const [first = Number.NaN, ...others] = JSON.parse(stdout) as number[];
      if (round === 0) continue;
      times.first.push(first);
      times.further.push(median(others));
    }
    return {
      rows: [
        { name: 'the first of a process', milliseconds: times.first },
        { name: 'each further one', milliseconds: times.further },
      ],
      ratios: (['first', 'further'] as const).map((name) => ({
        name: `${name}: time over ${wanted[name]} s`,
        ratio: median(times[name]) / (wanted[name] * 1000),
        target: 1,
      })),
      versions: {},
    };
  },
};
