// Speed of this project's mock and of others, in one run:
//
//   node bench/mocks/speed.ts --contract FILE --mocks lockstep,prism,mockoon --peers FOLDER [--lockstep DIR] [--asks item,list,create,documented,start]
//   [--warm-up ROUNDS] [--json]
//
// Each mock gets the same requests over ten connections that stay open, and the mocks take turns of two seconds: the rounds of the warm-up, 1 by default,
// then five that count. `item`, `list` and `create` are about the first pair
// whose collection has no parent; a mock that has a create gets the item by it. `documented` is an operation of no pair. `start` is from the start of
// the process to the first answer. Every answer has to be a success. Processor time is that of the mock's process, on Linux.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { readContractFile } from '../../conformance/contract/read-contract.ts';
import type { OutgoingRequest } from '../../conformance/execute/exchange.ts';
import { createJudge } from '../../conformance/schema/create-judge.ts';
import { untilAnswered } from '../first-answer.ts';
import { median } from '../question.ts';
import { findPairs, type Pair, slotsOf } from './find-pairs.ts';
import { createMaker } from './make-values.ts';
import { type Client, createClient } from './send-requests.ts';
import { type Mock, type MockName, startMock } from './start-mocks.ts';
import { fixedValues, Walk } from './walk.ts';

const rounds = 5;
const secondsPerTurn = 2;
const connections = 10;

type Ask = 'item' | 'list' | 'create' | 'documented';

interface Measured {
  readonly perSecond: number;
  /** Microseconds of the mock's processor for a request; NaN where they cannot be read. */
  readonly cpu: number;
}

/** Milliseconds to the first answer, and of the processor until then. */
interface Start {
  readonly wall: number;
  readonly cpu: number;
}

interface Side {
  readonly name: MockName;
  readonly mock: Mock;
  readonly walk: Walk;
  readonly client: Client;
}

const { values } = parseArgs({
  options: {
    contract: { type: 'string', default: 'openapi/service.yaml' },
    mocks: { type: 'string', default: 'lockstep,prism,mockoon' },
    asks: { type: 'string', default: 'item,list,create,documented,start' },
    'warm-up': { type: 'string', default: '1' },
    lockstep: { type: 'string', default: join(import.meta.dirname, '../..') },
    peers: { type: 'string', default: import.meta.dirname },
    json: { type: 'boolean', default: false },
  },
});
const file = resolve(values.contract);
const contract = await readContractFile(file);
const judge = createJudge(contract);
const maker = createMaker(contract, judge);
const names = values.mocks.split(',') as readonly MockName[];
const asks = values.asks.split(',');
const warmUp = Number(values['warm-up']);
if (!Number.isInteger(warmUp) || warmUp < 0) throw new Error('--warm-up is a number of rounds, such as 10');
const rows: Readonly<Record<string, string | number>>[] = [];
if (asks.includes('start')) rows.push(...(await measureStarts()));
const kinds = asks.filter((ask): ask is Ask => ask !== 'start');
if (kinds.length > 0) rows.push(...(await measureRequests(kinds)));
const table = [
  '| asked | mock | median | processor | ours is so many times as fast | so many times less processor |',
  '| --- | --- | --- | --- | --- | --- |',
  ...rows.map((row) => `| ${Object.values(row).join(' | ')} |`),
].join('\n');
process.stdout.write(`${values.json ? JSON.stringify({ file, rows }) : table}\n`);

function start(name: MockName): Promise<Mock> {
  return startMock(name, { contract, file, lockstep: resolve(values.lockstep), peers: resolve(values.peers) });
}

async function measureStarts() {
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error(`${contract.file} has no operation`);
  const found = new Map(names.map((name): [MockName, Start[]] => [name, []]));
  // The first round fills caches.
  for (let round = 0; round <= rounds; round += 1)
    for (const name of names) {
      const began = performance.now();
      const mock = await start(name);
      await untilAnswered(mock.addressOf(operation));
      const wall = performance.now() - began;
      if (round > 0) found.get(name)?.push({ wall, cpu: processorTime(mock.pid) });
      await mock.close();
    }
  return compare('start', found, {
    ratio: (ours, other) => [other.wall / ours.wall, other.cpu / ours.cpu],
    show: (all) => [
      `${Math.round(median(all.map(({ wall }) => wall)))} ms`,
      `${Math.round(median(all.map(({ cpu }) => cpu)))} ms`,
    ],
  });
}

async function measureRequests(given: readonly Ask[]) {
  const running: Side[] = [];
  try {
    for (const name of names) {
      const mock = await start(name);
      const client = createClient(contract, judge, maker, mock.addressOf);
      running.push({ name, mock, client, walk: new Walk(judge, maker, client) });
    }
    const rows = [];
    for (const ask of given) {
      const found = new Map(names.map((name): [MockName, Measured[]] => [name, []]));
      const prepared = await Promise.all(running.map((side) => prepare(ask, side)));
      if (prepared.includes(undefined)) continue;
      for (let round = 0; round < warmUp + rounds; round += 1)
        for (const [index, { name, mock }] of running.entries()) {
          const measured = await load(prepared[index] as OutgoingRequest, mock);
          if (round >= warmUp) found.get(name)?.push(measured);
        }
      rows.push(
        ...compare(ask, found, {
          ratio: (ours, other) => [ours.perSecond / other.perSecond, other.cpu / ours.cpu],
          show: (all) => [
            `${Math.round(median(all.map(({ perSecond }) => perSecond)))} requests/s`,
            `${Math.round(median(all.map(({ cpu }) => cpu)))} µs a request`,
          ],
        }),
      );
    }
    return rows;
  } finally {
    for (const { mock } of running) await mock.close();
  }
}

/** Rows of one question. Round by round: other work of the machine in one falls on both sides of a ratio. */
function compare<Each>(
  ask: string,
  found: ReadonlyMap<MockName, readonly Each[]>,
  by: {
    readonly ratio: (ours: Each, other: Each) => readonly number[];
    readonly show: (all: readonly Each[]) => readonly string[];
  },
) {
  const [ours = []] = [...found.values()];
  return [...found].map(([name, all]) => {
    const ratios = all.map((one, index) => by.ratio(ours[index] as Each, one));
    const of = (place: number): string => median(ratios.map((one) => one[place] ?? Number.NaN)).toFixed(2);
    const [shown = '', cpu = ''] = by.show(all);
    return { ask, name, shown, cpu, times: of(0), timesCpu: of(1) };
  });
}

/** The request of a question to a mock. @returns undefined if the contract has no such operation */
async function prepare(ask: Ask, { walk, client }: Side): Promise<OutgoingRequest | undefined> {
  const roots = findPairs(contract).filter(({ slots }) => slots === 0);
  if (ask === 'documented') return documented(client);
  const isFit = ({ read, list, create }: Pair): boolean =>
    ask === 'item' ? read !== undefined && create !== undefined : (ask === 'list' ? list : create) !== undefined;
  const pair = roots.find(isFit);
  if (pair === undefined) return undefined;
  const { read, list, create } = pair;
  if (ask === 'list') return list && client.write(list, { slots: [] });
  if (ask === 'item') return read && client.write(read, { slots: (await walk.parentItem(pair, 0)).values });
  const body = create && maker.body(create, 1, fixedValues(create.path, []));
  if (create === undefined || body === undefined) return undefined;
  const slots = pair.isCreatedByPut ? [(await walk.parentItem(pair, 0)).values[0]] : [];
  return client.write(create, { slots, body });
}

/** An operation that is about no item: a read before others. */
function documented(client: Client): OutgoingRequest | undefined {
  const ofPairs = new Set(
    findPairs(contract).flatMap(({ name }) => [withoutNames(name), withoutNames(name).replace(/\/\{\}$/, '')]),
  );
  const others = contract.operations.filter(
    ({ path }) => slotsOf(path).length === 0 && ![...ofPairs].some((one) => withoutNames(path).startsWith(one)),
  );
  const [first] = others.toSorted((a, b) => Number(b.method === 'get') - Number(a.method === 'get'));
  const body = first && maker.body(first, 1, new Map());
  return first === undefined || body === undefined ? undefined : client.write(first, { slots: [], body });
}

function withoutNames(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

/** @throws Error if an answer is no success */
async function load({ base, path, method, headers, body }: OutgoingRequest, mock: Mock): Promise<Measured> {
  const { origin, pathname } = new URL(base);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const [began, spent] = [performance.now(), processorTime(mock.pid)];
  const until = began + secondsPerTurn * 1000;
  const request = {
    path: `${pathname.replace(/\/$/, '')}${path}`,
    method: method as 'GET',
    headers: Object.fromEntries(headers),
    body: body ?? null,
  };
  let count = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      const answer = await pool.request(request);
      await answer.body.dump();
      if (answer.statusCode >= 300) throw new Error(`${method} ${base}${path} is answered ${answer.statusCode}`);
      count += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, work));
    const cpu = (1000 * (processorTime(mock.pid) - spent)) / count;
    return { perSecond: (1000 * count) / (performance.now() - began), cpu };
  } finally {
    await pool.close();
    // Creates fill a store.
    if (method === 'POST') await mock.reset?.();
  }
}

/** Milliseconds of the processor that a process has used, to 10 ms; NaN where there is no `/proc` (proc_pid_stat(5)). */
function processorTime(pid: number): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ', 2)[1]?.split(' ').slice(11, 13) ?? [];
    return 10 * (Number(user) + Number(system));
  } catch {
    return Number.NaN;
  }
}
