import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessCode } from '../server/store/access-codes/access-code-store.ts';
import { openSqliteStore } from '../server/store/sqlite/open-store.ts';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';
import { type BenchServer, prepareServer } from './start-server.ts';

const deviceId = 'LK2A00000001';
const rounds = 5;
const codesPerRound = 500;
/** Callers at once. */
const callers = 8;
const hour = 3_600_000;

/** The cost of a code without its rules and digits, which `algopin` measures: one synced row each. */
export const codes: Question = {
  asks: 'How many codes a second are kept by the store, and how many are issued through HTTP?',
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-codes-'));
    const { database, start } = await prepareServer(folder, [deviceId]);
    const times: Record<'store' | 'http', number[]> = { store: [], http: [] };
    const store = await openSqliteStore(database);
    try {
      for (let round = 0; round <= rounds; round += 1) {
        progress(`round ${round} of ${rounds}: store`);
        const started = performance.now();
        for (let index = 0; index < codesPerRound; index += 1) {
          await store.accessCodes.issue(makeCode(round * codesPerRound + index));
        }
        if (round > 0) times.store.push(performance.now() - started);
      }
    } finally {
      await store.close();
    }
    const server = await start();
    try {
      for (let round = 0; round <= rounds; round += 1) {
        progress(`round ${round} of ${rounds}: HTTP`);
        const time = await timeRequests(server, round);
        if (round > 0) times.http.push(time);
      }
    } finally {
      await server.close();
      await rm(folder, { recursive: true });
    }
    return {
      rows: [
        { name: `store: ${codesPerRound} codes (${perSecond(times.store)}/s)`, milliseconds: times.store },
        {
          name: `HTTP, ${callers} callers: ${codesPerRound} codes (${perSecond(times.http)}/s)`,
          milliseconds: times.http,
        },
      ],
      ratios: [
        {
          name: 'HTTP over store',
          ratio: median(times.http.map((time, index) => time / (times.store[index] ?? Number.NaN))),
        },
      ],
      versions: await versionsOf(['better-sqlite3', 'express', '@noble/ciphers'], 'server'),
    };
  },
};

function makeCode(number: number): AccessCode {
  const startsAt = number * hour;
  return {
    pinId: number.toString(16).padStart(24, '0'),
    deviceId,
    generation: 1,
    kind: 'hourly',
    startsAt,
    endsAt: startsAt + hour,
    activateBy: startsAt + hour,
    variance: 1,
    durationHours: null,
    accessName: 'Cleaner',
    issuedAt: 0,
  };
}

/** Every request is another code: hours of the next 300 days. @returns milliseconds for all of a round */
async function timeRequests({ base, token }: BenchServer, round: number): Promise<number> {
  const nextHour = Math.ceil(Date.now() / hour) * hour;
  const bodies = Array.from({ length: codesPerRound }, (_, index) => {
    const startsAt = nextHour + (round * codesPerRound + index) * hour;
    const [startDate, endDate] = [startsAt, startsAt + hour].map((at) => new Date(at).toISOString());
    return JSON.stringify({ accessName: 'Cleaner', startDate, endDate });
  });
  const started = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
        const response = await fetch(`${base}/devices/${deviceId}/algopin/hourly`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body,
        });
        const text = await response.text();
        if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
      }
    }),
  );
  return performance.now() - started;
}

function perSecond(times: readonly number[]): string {
  return Math.round((codesPerRound * 1000) / median(times)).toLocaleString('en');
}
