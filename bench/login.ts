import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';
import type { ServedLogin } from './serve-login.ts';

const rounds = 7;
/** Codes of a batch: what the peer's memory can hold of unspent ones is little, 1,000 entries of all kinds. */
const batch = 100;
const batchesPerRound = 5;
/** Clients at once. */
const connections = 10;
/** Ours is to be at least so many times as fast. */
const speedWanted = 0.6;

type Kind = 'exchange' | 'refresh';
type Side = 'ours' | 'bare';

/** Ours reads client, owner and account each time, keeps hashes, writes synced; the peer reads and writes a map. */
export const login: Question = {
  asks: 'How many codes and refresh tokens a second become tokens, on a synced SQLite file, compared with oidc-provider alone in memory?',
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-login-'));
    const children: ChildProcess[] = [];
    try {
      const servers = {} as Record<Side, Awaited<ReturnType<typeof start>>>;
      for (const side of ['ours', 'bare'] as const) {
        servers[side] = await start(side, folder);
        children.push(servers[side].child);
      }
      const times: Record<Kind, Record<Side, number[]>> = {
        exchange: { ours: [], bare: [] },
        refresh: { ours: [], bare: [] },
      };
      // One round more than counted warms both up; they take turns.
      for (let round = 0; round <= rounds; round += 1) {
        for (const [side, server] of Object.entries(servers) as [Side, typeof servers.ours][]) {
          progress(`round ${round} of ${rounds}: ${side}`);
          const { exchangeMs, refreshMs } = await server.run();
          if (round === 0) continue;
          times.exchange[side].push(exchangeMs);
          times.refresh[side].push(refreshMs);
        }
      }
      return {
        rows: (['exchange', 'refresh'] as const).flatMap((kind) =>
          (['ours', 'bare'] as const).map((side) => ({
            name: `${kind}, ${side === 'ours' ? 'ours' : 'oidc-provider alone'}: ms for 1000 (${perSecond(times[kind][side])}/s)`,
            milliseconds: times[kind][side],
          })),
        ),
        ratios: (['exchange', 'refresh'] as const).map((kind) => ({
          name: `${kind}: time of ours over oidc-provider alone, ${speedOf(times[kind])} of its speed`,
          ratio: ratioOf(times[kind]),
          target: 1 / speedWanted,
        })),
        versions: await versionsOf(['oidc-provider', 'better-sqlite3'], 'server'),
      };
    } finally {
      for (const child of children) await stop(child);
      await rm(folder, { recursive: true });
    }
  },
};

async function start(side: Side, folder: string) {
  const child = fork(join(import.meta.dirname, 'serve-login.ts'), [side, folder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [served] = (await once(child, 'message')) as [ServedLogin];
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = (fields: Record<string, string>) => post(served, agent, fields);
  return {
    child,
    /** @returns milliseconds for 1000 of each */
    run: async () => {
      const spent = { exchange: 0, refresh: 0 };
      for (let count = 0; count < batchesPerRound; count += 1) {
        child.send(batch);
        const [codes] = (await once(child, 'message')) as [string[]];
        const { redirectUri } = served;
        const [exchangeMs, tokens] = await time(codes, (code) =>
          ask({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }),
        );
        const [refreshMs] = await time(tokens, (token) => ask({ grant_type: 'refresh_token', refresh_token: token }));
        spent.exchange += exchangeMs;
        spent.refresh += refreshMs;
      }
      const perThousand = 1000 / (batch * batchesPerRound);
      return { exchangeMs: spent.exchange * perThousand, refreshMs: spent.refresh * perThousand };
    },
  };
}

/** Asks for all of them, some at once. @returns the time it took, and the refresh tokens */
async function time(given: readonly string[], ask: (one: string) => Promise<string>): Promise<[number, string[]]> {
  const answers: string[] = [];
  let next = 0;
  const began = performance.now();
  const work = async (): Promise<void> => {
    while (next < given.length) {
      const place = next;
      next += 1;
      answers.push(await ask(given[place] ?? ''));
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return [performance.now() - began, answers];
}

/** @returns the refresh token; anything but tokens stops the bench */
function post(
  { address, clientId, secret }: ServedLogin,
  agent: Agent,
  fields: Record<string, string>,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = {
    Authorization: `Basic ${btoa(`${clientId}:${secret}`)}`,
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  const asked = request(address, { method: 'POST', agent, headers }, async (answer) => {
    const text = Buffer.concat(await answer.toArray()).toString();
    const body = JSON.parse(text) as Record<string, string>;
    const isWhole = body.access_token?.split('.').length === 3 && body.id_token !== undefined;
    if (answer.statusCode === 200 && isWhole && body.refresh_token !== undefined) resolve(body.refresh_token);
    else reject(new Error(`${address} answered ${answer.statusCode}: ${text}`));
  });
  asked.on('error', reject).end(new URLSearchParams(fields).toString());
  return promise;
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

function perSecond(times: readonly number[]): string {
  return Math.round(1e6 / median(times)).toLocaleString('en');
}

/** Round by round: what else the machine does in one falls on both sides of it. */
function ratioOf({ ours, bare }: Record<Side, readonly number[]>): number {
  return median(ours.map((ms, index) => ms / (bare[index] ?? Number.NaN)));
}

function speedOf(times: Record<Side, readonly number[]>): string {
  return (1 / ratioOf(times)).toFixed(2);
}
