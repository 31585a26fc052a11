import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';
import { prepareServer } from './start-server.ts';

const rounds = 5;
const secondsPerRound = 4;
const devices = 1000;
const page = '/devices?limit=50';

/** Ours verifies a token, checks the request, seals a cursor and logs; the peer does none of it. */
export const requests: Question = {
  asks: `How many requests a second does a page of 50 of ${devices} devices take beside bare Express doing the same query?`,
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-requests-'));
    const ends: (() => Promise<unknown>)[] = [];
    try {
      const deviceIds = Array.from({ length: devices }, (_, index) => `LK${String(index).padStart(8, '0')}`);
      const { database, start } = await prepareServer(folder, deviceIds);
      const ours = await start();
      ends.push(ours.close);
      const bare = await startBare(database);
      ends.push(bare.close);
      const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
      // One round more than counted warms both up.
      for (let round = 0; round <= rounds; round += 1) {
        for (const [name, { base }] of [
          ['ours', ours],
          ['bare', bare],
        ] as const) {
          progress(`round ${round} of ${rounds}: ${name}`);
          const time = await load(`${base}${page}`, ours.token);
          if (round > 0) times[name].push(time);
        }
      }
      return {
        rows: [
          { name: `ours, ms for 1000 requests (${perSecond(times.ours)}/s)`, milliseconds: times.ours },
          { name: `bare Express, ms for 1000 requests (${perSecond(times.bare)}/s)`, milliseconds: times.bare },
        ],
        ratios: [
          {
            name: 'ours over bare Express',
            ratio: median(times.ours.map((time, index) => time / (times.bare[index] ?? Number.NaN))),
          },
        ],
        versions: {
          ...(await versionsOf(['express', 'better-sqlite3'], 'server')),
          ...(await versionsOf(['autocannon'])),
        },
      };
    } finally {
      for (const end of ends) await end();
      await rm(folder, { recursive: true });
    }
  },
};

async function startBare(database: string): Promise<{ readonly base: string; readonly close: () => Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-express.ts'), database, 'bench'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { base: `http://127.0.0.1:${port}/v1`, close: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** @returns milliseconds for 1000 requests over ten connections; anything but 200 ends the bench */
async function load(url: string, token: string): Promise<number> {
  const result = await autocannon({
    url,
    connections: 10,
    duration: secondsPerRound,
    headers: { authorization: `Bearer ${token}` },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`);
  return (result.duration * 1e6) / result['2xx'];
}

function perSecond(times: readonly number[]): string {
  return Math.round(1e6 / median(times)).toLocaleString('en');
}
