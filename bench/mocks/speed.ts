// Requests a second for one item, of this project's mock and of others, in one run:
//
//   node bench/mocks/speed.ts --contract FILE --mocks lockstep,prism,mockoon --peers FOLDER [--lockstep DIR] [--json]
//
// Each mock gets the same GET of an item, the first whose collection has no parent, over ten connections that stay open. The mocks take turns. A mock
// that has a create gets the item by it. Every answer has to be a success.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import type { Contract } from '../../conformance/contract/contract.ts';
import { readContractFile } from '../../conformance/contract/read-contract.ts';
import type { OutgoingRequest } from '../../conformance/execute/exchange.ts';
import { createJudge } from '../../conformance/schema/create-judge.ts';
import { median } from '../question.ts';
import { findPairs } from './find-pairs.ts';
import { createMaker } from './make-values.ts';
import { createClient } from './send-requests.ts';
import { type Mock, type MockName, startMock } from './start-mocks.ts';
import { Walk } from './walk.ts';

const rounds = 5;
const secondsPerTurn = 2;
const connections = 10;

const { values } = parseArgs({
  options: {
    contract: { type: 'string', default: 'openapi/service.yaml' },
    mocks: { type: 'string', default: 'lockstep,prism,mockoon' },
    lockstep: { type: 'string', default: join(import.meta.dirname, '../..') },
    peers: { type: 'string', default: import.meta.dirname },
    json: { type: 'boolean', default: false },
  },
});
const file = resolve(values.contract);
const contract = await readContractFile(file);
const running: { readonly name: string; readonly mock: Mock; readonly request: OutgoingRequest }[] = [];
try {
  for (const name of values.mocks.split(',') as MockName[]) {
    const given = { contract, file, lockstep: resolve(values.lockstep), peers: resolve(values.peers) };
    const mock = await startMock(name, given);
    running.push({ name, mock, request: await findItem(contract, mock) });
  }
  const perSecond = new Map(running.map(({ name }): [string, number[]] => [name, []]));
  // One round more than counted warms all up.
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, request } of running) {
      const rate = await load(request);
      if (round > 0) perSecond.get(name)?.push(rate);
    }
  const [ours] = [...perSecond.values()];
  const rows = [...perSecond].map(([name, rates]) => ({
    ...{ name, requestsPerSecond: Math.round(median(rates)) },
    // Round by round: other work of the machine in one falls on both sides of it.
    ratio: median(rates.map((rate, index) => (ours?.[index] ?? Number.NaN) / rate)),
  }));
  const lines = rows.map(
    ({ name, requestsPerSecond, ratio }) => `| ${name} | ${requestsPerSecond} | ${ratio.toFixed(2)} |`,
  );
  const table = ['| mock | requests/s | ours divided by it |', '| --- | --- | --- |', ...lines].join('\n');
  process.stdout.write(`${values.json ? JSON.stringify({ file, path: running[0]?.request.path, rows }) : table}\n`);
} finally {
  for (const { mock } of running) await mock.close();
}

/** The request for an item that the mock knows. */
async function findItem(given: Contract, { addressOf }: Mock): Promise<OutgoingRequest> {
  const judge = createJudge(given);
  const maker = createMaker(given, judge);
  const client = createClient(given, judge, maker, addressOf);
  const walk = new Walk(judge, maker, client);
  const pairs = findPairs(given).filter(
    ({ slots, read, create }) => slots === 0 && read !== undefined && create !== undefined,
  );
  const [pair] = pairs;
  if (pair?.read === undefined)
    throw new Error(`${given.file} has no item without a parent that can be created and read`);
  const { values: slots } = await walk.parentItem(pair, 0);
  return client.write(pair.read, { slots });
}

/** Requests a second. @throws Error if an answer is no success */
async function load({ base, path, headers }: OutgoingRequest): Promise<number> {
  const { origin, pathname } = new URL(base);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const began = performance.now();
  const until = began + secondsPerTurn * 1000;
  let count = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      const answer = await pool.request({
        ...{ path: `${pathname.replace(/\/$/, '')}${path}`, method: 'GET' },
        headers: Object.fromEntries(headers),
      });
      await answer.body.dump();
      if (answer.statusCode >= 300) throw new Error(`${base}${path} is answered ${answer.statusCode}`);
      count += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, work));
    return (1000 * count) / (performance.now() - began);
  } finally {
    await pool.close();
  }
}
