// `clean` undoes the writes of a ledger: after the runner was killed at any moment, the server is as the run found it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRandom } from '@lockstep/values/random';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conformHere, type Ended } from '../fixtures/conform-here.ts';
import { apis } from '../seeded/apis.ts';
import { libraryKey } from '../seeded/library.ts';
import { type Served, serve } from '../seeded/serve.ts';
import { weatherClient } from '../seeded/weather.ts';
import { createShops, shopsDocument } from './shops.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

let folder: string;
let served: Served | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  await writeFile(join(folder, 'shops.json'), JSON.stringify(shopsDocument));
});

afterEach(async () => {
  await served?.close();
  await rm(folder, { recursive: true });
});

/** The options of `clean` for each API, and the state that it has to restore. */
const targets = {
  shops: () => {
    const { handle, dump } = createShops();
    return { handle, dump, base: '', file: join(folder, 'shops.json'), args: [] };
  },
  library: () => {
    const handle = apis.library.create();
    const headers = { 'x-library-key': libraryKey };
    const query = new URLSearchParams();
    const dump = async () => (await handle({ method: 'GET', path: '/v2/books', query, headers, body: '' })).body;
    return { handle, dump, base: '/v2', file: apis.library.file, args: ['--token', libraryKey] };
  },
  weather: () => {
    const client = ['--client-id', weatherClient.id, '--client-secret', weatherClient.secret];
    const args = [...client, '--allow-effects', 'remote', '--auth-url', `${served?.origin}/oauth`];
    // This server has no state: its only write is an action.
    return { handle: apis.weather.create(), dump: () => 0, base: '/alps/api', file: apis.weather.file, args };
  },
} as const;

interface Kill {
  readonly api: keyof typeof targets;
  /** The request at whose arrival the runner is killed: a number, or its method and path. */
  readonly at: number | string;
  /** Whether the server still executes it. */
  readonly isExecuted: boolean;
  readonly seed: number;
}

const random = createRandom(Number(process.env.FC_SEED));
const kills = Array.from({ length: 50 }, (_, index): Kill => {
  const api = (['shops', 'library', 'shops', 'weather'] as const)[index % 4] ?? 'shops';
  const most = { shops: 70, library: 60, weather: 24 }[api];
  return { api, at: 1 + random(most), isExecuted: random(4) > 0, seed: 1 + random(100) };
});

/** One of each kind. */
const chosen: readonly Kill[] = [
  { api: 'library', at: 'POST /v2/books', isExecuted: true, seed: 1 },
  { api: 'library', at: 'POST /v2/books', isExecuted: false, seed: 1 },
  { api: 'shops', at: 'POST /shops', isExecuted: true, seed: 1 },
  { api: 'shops', at: 'POST /shops/nameconform1/items', isExecuted: true, seed: 1 },
  { api: 'shops', at: 'PUT /labels/conform-1', isExecuted: true, seed: 1 },
  { api: 'shops', at: 'DELETE /labels/conform-1', isExecuted: true, seed: 1 },
  { api: 'weather', at: 'POST /alps/api/stations/12/reset', isExecuted: true, seed: 1 },
];

/** Runs the command in a process, and kills it when a request arrives. */
async function kill({ api, at, isExecuted, seed }: Kill): Promise<void> {
  let count = 0;
  let onRequest = (): void => undefined;
  let target: ReturnType<(typeof targets)[typeof api]>;
  served = await serve((request) => {
    count += 1;
    const isIt = at === count || at === `${request.method} ${request.path}`;
    if (isIt) onRequest();
    return isIt && !isExecuted ? { status: 0, instead: 'hang' } : target.handle(request);
  });
  target = targets[api]();
  const { dump, base, file, args } = target;
  const before = structuredClone(await dump());
  const ledger = join(folder, 'ledger.ndjson');
  const options = ['--contract', file, '--base-url', `${served.origin}${base}`, ...args];
  const child = spawn(process.execPath, [main, ...options, '--ledger', ledger, '--seed', String(seed)], {
    cwd: folder,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onRequest = () => child.kill('SIGKILL');
  await ended;
  if (typeof at === 'string') expect([child.signalCode, existsSync(ledger)]).toEqual(['SIGKILL', true]);
  const clean = (): Promise<Ended> => conformHere(['clean', ledger, ...options]);
  if (existsSync(ledger)) {
    const text = await readFile(ledger, 'utf8');
    expect([libraryKey, weatherClient.secret].filter((secret) => text.includes(secret))).toEqual([]);
    const first = await clean();
    // Nothing can undo an action, the enrolment of a reader, or a method that no path declares.
    const cannotUndo = /^ {2}(enrolReader|resetStation):|: an action, if |the contract has no path of it/;
    const left = first.out.split('\n').filter((line) => line.startsWith('  ') && !cannotUndo.test(line));
    expect([first.error, left]).toEqual(['', []]);
    const sent = served.requests.length;
    expect(await clean()).toEqual({ ...first, out: first.out.replace(/^\d+ writes? undone/, '0 writes undone') });
    expect(served.requests.slice(sent)).toEqual([]);
  }
  expect(await dump()).toEqual(before);
}

describe('after a kill, clean leaves the server as it was, and then has nothing to do', () => {
  const name = '$api, request $at, executed: $isExecuted, seed $seed';
  test.each(chosen)(name, kill);
  test.each(kills)(name, { tags: ['full'] }, kill);
});

const stopsRun = (signal: NodeJS.Signals): void => {
  /** Runs the command, and sends the signal when a request arrives. */
  async function interrupt(isIt: (line: string) => boolean): Promise<{ code: unknown; by: unknown; ledger: string }> {
    const { handle } = createShops();
    let child: ReturnType<typeof spawn> | undefined;
    served = await serve((request) => {
      const isHeld = isIt(`${request.method} ${request.path}`);
      if (isHeld) child?.kill(signal);
      return isHeld ? { status: 0, instead: 'hang' } : handle(request);
    });
    const ledger = join(folder, 'ledger.ndjson');
    const options = ['--contract', join(folder, 'shops.json'), '--base-url', served.origin, '--ledger', ledger];
    child = spawn(process.execPath, [main, ...options], { cwd: folder });
    const [code, by] = await once(child, 'exit');
    return { code, by, ledger };
  }

  test('stops the run, which undoes its writes and leaves no ledger', async () => {
    const { code, ledger } = await interrupt((line) => line === 'PUT /labels/conform-1');
    expect([code, existsSync(ledger)]).toEqual([130, false]);
    expect(served?.requests.slice(-3)).toEqual([
      'DELETE /labels/conform-1',
      'DELETE /shops/nameconform1/items/2',
      'DELETE /shops/nameconform1',
    ]);
  });

  test('leaves at once if it comes again, and the ledger stays', async () => {
    const held = new Set(['PUT /labels/conform-1', 'DELETE /labels/conform-1']);
    const { code, by, ledger } = await interrupt((line) => held.has(line));
    expect([code, by, existsSync(ledger)]).toEqual([null, signal, true]);
  });
};
describe.each(['SIGINT'] as const)('%s', stopsRun);
describe.each(['SIGTERM'] as const)('%s', { tags: ['full'] }, stopsRun);

/** A run of the library whose reader stays, and whose book too, unless its DELETE is allowed. */
async function leaveBook(...more: readonly string[]): Promise<{ options: readonly string[]; ended: Ended }> {
  served = await serve(apis.library.create());
  const options = ['--contract', apis.library.file, '--base-url', `${served.origin}/v2`, '--token', libraryKey];
  const run = ['--phase', 'baseline', '--operation', 'addBook', '--exclude', 'removeBook', ...more];
  return { options, ended: await conformHere([...options, ...run]) };
}

test('a run names its ledger if a later clean-up may undo more, and clean undoes it', async () => {
  const { options, ended } = await leaveBook('--out', folder);
  const [, file = ''] = /^ {2}Try again with the options of this run: clean (\S+)$/m.exec(ended.out) ?? [];
  expect(ended.code).toBe(0);
  expect(ended.out).toContain(
    'Left behind: addBook: created, and its DELETE was not sent: it is excluded (/books/b3).',
  );
  expect(dirname(file)).toBe(folder);
  expect(await conformHere(['clean', file, ...options])).toMatchObject({
    code: 0,
    out: '1 write undone, 0 left behind.\n',
  });
  expect(served?.requests.at(-1)).toBe('DELETE /v2/books/b3');
});

test('clean exits with 1 and lists the rest, also as JSON', async () => {
  const ledger = join(folder, 'ledger.ndjson');
  const { options } = await leaveBook('--ledger', ledger);
  const excluded = ['clean', ledger, ...options, '--exclude', 'removeBook'];
  const { code, out } = await conformHere(excluded);
  const left = 'addBook: created, and its DELETE was not sent: it is excluded (/books/b3)';
  expect([code, out]).toEqual([1, `0 writes undone, 1 left behind:\n  ${left}\n`]);
  const json = await conformHere([...excluded, '--json']);
  const one = { operation: 'addBook', request: 'POST /books', object: '/books/b3', isOpen: true };
  expect(JSON.parse(json.out)).toMatchObject({ undone: 0, left: [one] });
});

test('a second ledger never replaces the first', async () => {
  const ledger = join(folder, 'ledger.ndjson');
  const { options } = await leaveBook('--ledger', ledger);
  const { code, error } = await conformHere([...options, '--ledger', ledger]);
  expect([code, error]).toEqual([
    2,
    `--ledger ${ledger} exists: undo its writes with clean ${ledger} and delete it, or name another file.\n`,
  ]);
});

test.each([
  {
    name: 'another deployment',
    args: ['--base-url', 'http://localhost:1/v2'],
    message: /is of a run at .+\/v2, but --base-url is /,
  },
  {
    name: 'another contract',
    args: ['--contract', apis.weather.file],
    message: /with the contract Lending library, but /,
  },
  { name: '--read-only', args: ['--read-only'], message: /^--read-only: a clean-up deletes objects/ },
])('clean refuses a ledger for $name', async ({ args, message }) => {
  const ledger = join(folder, 'ledger.ndjson');
  const { options } = await leaveBook('--ledger', ledger);
  const sent = served?.requests.length;
  const { code, error } = await conformHere(['clean', ledger, ...options, ...args]);
  expect([code, served?.requests.length]).toEqual([2, sent]);
  expect(error).toMatch(message);
});

test('clean refuses a file that is no ledger', async () => {
  const { options } = await leaveBook('--out', folder);
  const { code, error } = await conformHere(['clean', apis.library.file, ...options]);
  expect(code).toBe(2);
  expect(error).toContain('library.yaml is no ledger: expected the file that a run names');
});

test('a run is not started if its ledger cannot be written', async () => {
  const file = join(folder, 'shops.json', 'ledger.ndjson');
  const { ended } = await leaveBook('--ledger', file);
  expect([ended.code, served?.requests]).toEqual([2, []]);
  expect(ended.error).toMatch(
    /^--ledger .+ cannot be written: .+shops\.json is no folder\. Name another file, or add --read-only\.$/m,
  );
});
