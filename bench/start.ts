import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoAccess } from '../server/demo/access-file.ts';
import { findFreePort } from './first-answer.ts';
import { getToken } from './mock.ts';
import { versionsOf } from './package-folder.ts';
import { peerLine, prismLine } from './peers.ts';
import { median, type Question } from './question.ts';
import { startAnswering } from './start-child.ts';
import { prepareServer } from './start-server.ts';

const rounds = 5;
const root = join(import.meta.dirname, '..');

interface Start {
  readonly line: readonly string[];
  /** Asked one after the other: what answers last is what is waited for. */
  readonly urls: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Asked when they have answered, as part of the time. */
  readonly last?: () => Promise<unknown>;
}

/** Seconds that each may take on a quiet machine of two cores. */
const wanted: Readonly<Record<string, number>> = { serve: 0.8, mock: 1, 'npm start, all of it': 2 };

/** From the start of the process to its first answer, whatever the status: an answer of 401 has gone through all that was loaded. */
export const start: Question = {
  asks: "How long is it from `node` to the first answer of server, mock and `npm start`, compared with bare Express and Prism's own command? The second start.",
  needsPeers: true,
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-start-'));
    try {
      const starts = await planStarts(folder);
      const times = Object.fromEntries(Object.keys(starts).map((name) => [name, [] as number[]]));
      // One round more than counted: the first makes keys and demo data, and fills caches.
      for (let round = 0; round <= rounds; round += 1) {
        for (const [name, plan] of Object.entries(starts)) {
          progress(`round ${round} of ${rounds}: ${name}`);
          const { line, urls, env, last } = await plan();
          const began = performance.now();
          const child = await startAnswering(line, urls, env);
          try {
            await last?.();
            if (round > 0) times[name]?.push(performance.now() - began);
          } finally {
            await child.close();
          }
        }
      }
      const ratioOf = (over: string, under: string) =>
        median((times[over] ?? []).map((time, index) => time / (times[under]?.[index] ?? Number.NaN)));
      return {
        rows: Object.entries(times).map(([name, milliseconds]) => ({ name, milliseconds })),
        ratios: [
          ...Object.entries(wanted).map(([name, seconds]) => ({
            name: `${name}: time over ${seconds} s`,
            ratio: median(times[name] ?? []) / (seconds * 1000),
            target: 1,
          })),
          { name: 'serve over bare Express', ratio: ratioOf('serve', 'bare Express') },
          { name: "the mock over Prism's command", ratio: ratioOf('mock', "Prism's command") },
        ],
        versions: {
          ...(await versionsOf(['express', 'better-sqlite3'], 'server')),
          ...(await versionsOf(['@stoplight/prism-cli'], 'bench/peers')),
        },
      };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

/** Each on a fixed port, since none prints its port before it answers. */
async function planStarts(folder: string): Promise<Readonly<Record<string, () => Promise<Start>>>> {
  const { database, env } = await prepareServer(folder, ['LK2A00000001']);
  const at = (file: string) => join(root, file);
  const api = (port: number) => `http://127.0.0.1:${port}/v1/devices`;
  const demo = async (urls: (port: number, mockPort: number) => readonly string[]): Promise<Start> => {
    const [port, mockPort] = [await findFreePort(), await findFreePort()];
    const line = [at('start.ts'), '--port', String(port), '--mock-port', String(mockPort)];
    return { line, urls: urls(port, mockPort) };
  };
  const mock = (port: number): Start => {
    const line = [at('mock/main.ts'), '--port', String(port), '--key-file', join(folder, 'mock-keys.json')];
    return { line, urls: [api(port)] };
  };
  const keys = { issuer: '', audience: '', jwks: { keys: [] }, contract: '' };
  return {
    serve: async () => {
      const port = await findFreePort();
      return { line: [at('server/main.ts'), 'serve'], urls: [api(port)], env: { ...env, PORT: String(port) } };
    },
    'bare Express': async () => {
      const port = await findFreePort();
      const line = peerLine('serve-bare.ts', { database, accountId: 'bench', cursorLength: 0, ...keys, port });
      return { line, urls: [api(port)] };
    },
    mock: async () => mock(await findFreePort()),
    'mock, its first example': async () => {
      const port = await findFreePort();
      return { ...mock(port), last: () => askExample(port, join(folder, 'mock-access.json')) };
    },
    "Prism's command": async () => {
      const port = await findFreePort();
      return { line: prismLine(port), urls: [`http://127.0.0.1:${port}/devices`] };
    },
    'npm start, its API': () => demo((port) => [api(port)]),
    'npm start, all of it': () => demo((port, mockPort) => [api(port), api(mockPort), `http://127.0.0.1:${port}/docs`]),
  };
}

/** A token, and a device with it. The clients are those of the start before, which are the same at every start. */
async function askExample(port: number, accessFile: string): Promise<void> {
  const origin = `http://127.0.0.1:${port}`;
  const { clients } = JSON.parse(await readFile(accessFile, 'utf8')) as DemoAccess;
  const headers = { authorization: `Bearer ${await getToken(`${origin}/auth`, clients)}` };
  const response = await fetch(`${origin}/v1/devices/LK2A00000001`, { headers });
  if (response.status !== 200) throw new Error(`the mock answers with ${response.status}: ${await response.text()}`);
}
