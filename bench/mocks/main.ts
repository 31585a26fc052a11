// Walks through the collections of a contract on a mock, and judges each step by the contract.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Contract } from '../../conformance/contract/contract.ts';
import { readContractFile } from '../../conformance/contract/read-contract.ts';
import { findPairs } from './find-pairs.ts';
import { formatLaws, formatSet, type SetRow } from './format-walk.ts';
import { usualPatienceMs } from './send-requests.ts';
import { type MockName, mocks, startMock } from './start-mocks.ts';
import { listFailures, type WalkResult, walkContract } from './walk-contract.ts';

interface Listed {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly path: string;
  readonly sha256: string;
  readonly isHeldOut: boolean;
}

interface Options {
  readonly contract: string | undefined;
  readonly set: 'corpus' | 'held-out' | undefined;
  readonly only: string | undefined;
  readonly mock: MockName;
  readonly lockstep: string;
  readonly peers: string;
  readonly packages: string;
  readonly most: number;
  readonly patienceMs: number;
  readonly isJson: boolean;
}

const help = `Usage: node bench/mocks/main.ts --contract FILE --mock lockstep|prism|mockoon|json-server [--json]
       node bench/mocks/main.ts --set corpus|held-out --packages FOLDER --mock NAME [--json]

  --pairs N           walks at most so many pairs of a contract, spread evenly
  --patience SECONDS  the time for one answer, 10 by default: a busy machine needs more
  --only NAME         walks one contract of the set
  --lockstep DIR      runs the command of another checkout
  --peers DIR         has the other mocks
  --packages DIR      has the packages of contracts.json, each in its node_modules

Failed laws are listed for a single contract and for the set corpus. Of the set held-out only their number is printed, so that nothing is changed
for one of its contracts. Exit codes: 0 walked, whatever held; 2 wrong usage or not installed.
`;

/** One live line on a terminal. */
const lineEnd = process.stderr.isTTY ? '    \r' : '\n';

const options = readOptions();
if (options !== undefined) await run(options).catch(refuse);

async function run({ contract, set, only, mock, isJson, ...folders }: Options): Promise<void> {
  if (contract !== undefined) {
    const { result, seconds } = await walkFile(contract, mock, folders);
    if (isJson) print(JSON.stringify({ contract, mock, seconds, ...result }));
    else print(`${formatLaws(result)}\n${listFailures(result.pairs).join('\n')}`);
    return;
  }
  const listed = JSON.parse(readFileSync(join(import.meta.dirname, 'contracts.json'), 'utf8')) as readonly Listed[];
  const rows: SetRow[] = [];
  for (const entry of listed) {
    if (entry.isHeldOut !== (set === 'held-out') || (only !== undefined && only !== entry.name)) continue;
    const file = locate(entry, folders.packages);
    try {
      const { result } = await walkFile(file, mock, folders);
      rows.push({ name: entry.name, result, pairs: result.pairs.length });
    } catch (error) {
      // A contract that a mock does not serve has failed in all its pairs.
      const pairs = findPairs(await readContractFile(file)).length;
      const reason = set === 'corpus' ? (error as Error).message : 'counted as failed';
      rows.push({ name: entry.name, result: undefined, pairs, reason });
    }
  }
  const isOpen = set === 'corpus';
  if (isJson) {
    const open = rows.map(({ result, ...row }) => ({
      ...row,
      ...(result !== undefined && { failures: listFailures(result.pairs) }),
    }));
    print(JSON.stringify(isOpen ? open : rows.map(({ name, pairs }) => ({ name, pairs }))));
    return;
  }
  print(formatSet(rows));
  if (isOpen)
    for (const { name, result } of rows) for (const line of listFailures(result?.pairs ?? [])) print(`${name} ${line}`);
}

async function walkFile(
  file: string,
  mock: MockName,
  { lockstep, peers, most, patienceMs }: Pick<Options, 'lockstep' | 'peers' | 'most' | 'patienceMs'>,
): Promise<{ readonly result: WalkResult; readonly contract: Contract; readonly seconds: number }> {
  const contract = await readContractFile(file);
  const running = await startMock(mock, { contract, file, lockstep, peers });
  const began = performance.now();
  try {
    const result = await walkContract(
      contract,
      running.addressOf,
      (line) => process.stderr.write(`${file}: ${line}${lineEnd}`),
      most,
      patienceMs,
    );
    return { result, contract, seconds: (performance.now() - began) / 1000 };
  } finally {
    await running.close();
  }
}

/** @throws Error if the document is another one than that of the list */
function locate({ package: name, version, path, sha256 }: Listed, packages: string): string {
  const file = join(packages, 'node_modules', name, path);
  const found = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (found !== sha256) throw new Error(`${file} is not the document of ${name} ${version}: its SHA-256 is ${found}`);
  return file;
}

/** @returns undefined after the help or wrong usage, which is printed */
function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        contract: { type: 'string' },
        set: { type: 'string' },
        only: { type: 'string' },
        mock: { type: 'string', default: 'lockstep' },
        lockstep: { type: 'string', default: join(import.meta.dirname, '../..') },
        peers: { type: 'string', default: import.meta.dirname },
        packages: { type: 'string', default: import.meta.dirname },
        pairs: { type: 'string', default: 'Infinity' },
        patience: { type: 'string', default: String(usualPatienceMs / 1000) },
        ...{ json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
      },
    });
    if (values.help) {
      process.stdout.write(help);
      return undefined;
    }
    const { contract, set, only, mock, json: isJson } = values;
    if (!isMock(mock)) throw new Error(`--mock is one of ${Object.keys(mocks).join(', ')}, not ${mock}`);
    if (set !== undefined && set !== 'corpus' && set !== 'held-out')
      throw new Error(`--set is corpus or held-out, not ${set}`);
    if ((contract === undefined) === (set === undefined))
      throw new Error('give either --contract FILE or --set corpus|held-out');
    const [lockstep, peers, packages] = [resolve(values.lockstep), resolve(values.peers), resolve(values.packages)];
    const most = Number(values.pairs);
    if (!(most >= 1)) throw new Error(`--pairs is a number of 1 or more, not ${values.pairs}`);
    const patienceMs = Number(values.patience) * 1000;
    if (!(patienceMs > 0)) throw new Error(`--patience is a number of seconds above 0, not ${values.patience}`);
    return {
      contract: contract && resolve(contract),
      set,
      only,
      mock,
      lockstep,
      peers,
      packages,
      most,
      patienceMs,
      isJson,
    };
  } catch (error) {
    refuse(error);
    return undefined;
  }
}

function isMock(name: string): name is MockName {
  return Object.hasOwn(mocks, name);
}

function refuse(error: unknown): void {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
