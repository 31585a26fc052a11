import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';
import { startChild } from './start-child.ts';

const sender = join(import.meta.dirname, 'send-requests.ts');

const rounds = 5;
const sides = ['undici', 'runner', 'first sight'] as const;

/** Requests a second that a quiet machine of two cores has to reach. */
const leastPerSecond = { runner: 2_400, 'first sight': 1_500 } as const;
const leastOfUndici = 0.35;
const mostGrowth = 1.05;

/**
 * Against a bare server in a process of its own, which answers everything with one small valid body; each side in a process of its own too,
 * 16 requests in flight, the sides in turn.
 *
 * `runner` is a whole run with all checks on 20 operations: the baseline, and then case after case of each operation. For each the values
 * are made anew and judged, the request is written and sent, and the answer is checked. The first second, and the baseline with it, is
 * left out. `first sight` is a whole run on 3,000 operations with no two schemas alike, from its first line to its last. `undici` is
 * `Pool.request`, with the JSON of each answer parsed. The heap is measured by `--large`.
 */
export const conformSpeed: Question = {
  asks: 'How many requests a second does the conformance runner send and judge, compared with undici alone, and how many for operations that it has not called before?',
  async run(progress, { large } = {}) {
    const server = await startChild([sender, 'server']);
    try {
      const times = { undici: [] as number[], runner: [] as number[], 'first sight': [] as number[] };
      for (let round = 1; round <= rounds; round += 1)
        for (const side of sides) {
          progress(`round ${round} of ${rounds}: ${side}`);
          times[side].push((await send(side, server.firstLine)) as number);
        }
      const [early = 0, late = 0] = large ? ((await send('heap', server.firstLine)) as number[]) : [];
      return {
        rows: sides.map((side) => ({
          name: `${side}: ms for 1,000 requests (${perSecond(times[side])}/s)`,
          milliseconds: times[side],
        })),
        ratios: [
          {
            name: 'time of the runner over undici',
            ratio: median(times.runner.map((time, round) => time / (times.undici[round] ?? Number.NaN))),
            target: 1 / leastOfUndici,
          },
          ...(['runner', 'first sight'] as const).map((side) => ({
            name: `${side}: time over that of ${leastPerSecond[side].toLocaleString('en')} requests a second`,
            ratio: (median(times[side]) / 1e6) * leastPerSecond[side],
            target: 1,
          })),
          ...(early === 0 ? [] : [{ name: heapName(early), ratio: late / early, target: mostGrowth }]),
        ],
        versions: await versionsOf(['undici', 'ajv'], 'conformance'),
      };
    } finally {
      await server.close();
    }
  },
};

async function send(side: (typeof sides)[number] | 'heap', base: string): Promise<unknown> {
  const args = ['--expose-gc', sender, side, base];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

function perSecond(times: readonly number[]): string {
  return Math.round(1e6 / median(times)).toLocaleString('en');
}

function heapName(early: number): string {
  return `heap after 100,000 requests over that after 10,000 (${(early / 2 ** 20).toFixed(0)} MiB)`;
}
