import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { median, type Question } from './question.ts';

const run = promisify(execFile);
const main = join(import.meta.dirname, '../server/main.ts');
const rounds = 5;
const secondsPerRound = 4;
const devices = 1000;

/** Ours verifies a token, checks the request, seals a cursor and logs; the peer does none of it. */
export const requests: Question = {
  asks: `How many requests a second does a page of 50 of ${devices} devices take beside bare Express doing the same query?`,
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-requests-'));
    const env = {
      ...process.env,
      PORT: '0',
      LOCKSTEP_KEYS: join(folder, 'keys.json'),
      DATABASE_URL: `sqlite:${join(folder, 'bench.sqlite')}`,
    };
    const children: ChildProcess[] = [];
    try {
      const secret = await fill(folder, env);
      const ours = spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(ours);
      const { origin } = JSON.parse(await firstLine(ours));
      ours.stdout?.resume();
      const bare = spawn(
        process.execPath,
        [join(import.meta.dirname, 'bare-express.ts'), join(folder, 'bench.sqlite'), 'bench'],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      children.push(bare);
      const bareOrigin = `http://127.0.0.1:${await firstLine(bare)}`;
      const token = await getToken(origin, secret);
      const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
      // One round more than counted warms both up.
      for (let round = 0; round <= rounds; round += 1) {
        for (const [name, target] of [
          ['ours', origin],
          ['bare', bareOrigin],
        ] as const) {
          progress(`round ${round} of ${rounds}: ${name}`);
          const time = await load(`${target}/v1/devices?limit=50`, token);
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
          express: await versionOf('express'),
          'better-sqlite3': await versionOf('better-sqlite3'),
          autocannon: await versionOf('autocannon'),
        },
      };
    } finally {
      for (const child of children) {
        child.kill();
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
      await rm(folder, { recursive: true });
    }
  },
};

/** An account with its devices, and a client of its own. @returns the client's secret */
async function fill(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const property = { id: '65a000000000000000000001', name: 'House', timezone: 'Europe/Berlin' };
  const file = {
    account: { id: 'bench', name: 'Bench' },
    properties: [property],
    devices: Array.from({ length: devices }, (_, index) => ({
      deviceId: `LK${String(index).padStart(8, '0')}`,
      deviceName: `Door ${index}`,
      type: 'Lock',
      properties: [property.id],
      capabilities: { algoPin: true },
    })),
  };
  await writeFile(join(folder, 'bench.json'), JSON.stringify(file));
  await run(process.execPath, [main, 'keys', 'create'], { env });
  await run(process.execPath, [main, 'import', join(folder, 'bench.json')], { env });
  const { stdout } = await run(
    process.execPath,
    [main, 'client', 'create', 'bench-own', '--name', 'Bench', '--account', 'bench', '--json'],
    { env },
  );
  return JSON.parse(stdout).secret;
}

async function getToken(origin: string, secret: string): Promise<string> {
  const response = await fetch(`${origin}/auth/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`bench-own:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
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

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no output');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return line;
}

async function versionOf(name: string): Promise<string> {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(await readFile(file, 'utf8')).version;
}
