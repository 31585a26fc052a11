import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contract, Operation } from '../../conformance/contract/contract.ts';
import { isObject } from '../../conformance/contract/document.ts';
import { createJudge } from '../../conformance/schema/create-judge.ts';
import { findFreePort } from '../first-answer.ts';
import { startAnswering, startChild } from '../start-child.ts';
import { findList, itemsIn } from './find-items.ts';
import { findPairs } from './find-pairs.ts';

/** A running mock of one contract. */
export interface Mock {
  /** The address under which the paths of an operation are, without a trailing slash. */
  readonly addressOf: (operation: Operation) => string;
  readonly pid: number;
  /** Restores the first items; undefined if the mock keeps none. */
  readonly reset?: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Started {
  readonly contract: Contract;
  readonly file: string;
  /** The checkout whose `lockstep` runs. */
  readonly lockstep: string;
  /** The folder where the peers are installed. */
  readonly peers: string;
}

const noLog = { ...process.env, LOG_LEVEL: 'silent', NO_UPDATE_NOTIFIER: '1' };

/** A mock that cannot be installed has a reason in its place. */
export const mocks = {
  lockstep: startLockstep,
  prism: startPrism,
  mockoon: startMockoon,
  'json-server': startJsonServer,
  counterfact: 'the npm registry does not serve it',
  microcks: 'it is published as a container image, and Maven Central does not serve the application',
  mockd: 'the Go module proxy does not serve it, and it is in no other registry',
} as const satisfies Record<string, ((given: Started) => Promise<Mock>) | string>;

export type MockName = keyof typeof mocks;

/** @throws Error if it is not installed, or cannot serve the contract */
export function startMock(name: MockName, given: Started): Promise<Mock> {
  const start = mocks[name];
  if (typeof start === 'string') throw new Error(`${name} cannot be walked: ${start}`);
  return start(given);
}

interface Announced {
  readonly origin: string;
  readonly addresses: readonly { readonly url: string; readonly operations: number }[];
}

async function startLockstep({ contract, file, lockstep }: Started): Promise<Mock> {
  const args = [join(lockstep, 'cli/main.ts'), 'mock', '--contract', file, '--port', '0', '--json'];
  const { firstLine, pid, close } = await startChild(args, noLog);
  const { origin, addresses } = JSON.parse(firstLine) as Announced;
  if (addresses === undefined) {
    await close();
    throw new Error(`the contract was refused: ${firstLine.slice(0, 300)}`);
  }
  const [most] = addresses.toSorted((a, b) => b.operations - a.operations);
  const urls = addresses.map(({ url }) => url.replace(/\/$/, ''));
  const addressOf = ({ servers }: Operation): string => {
    const own = servers[0] ?? contract.servers[0];
    const path = own === undefined ? '' : pathOf(own);
    return urls.find((url) => pathOf(url) === path) ?? most?.url.replace(/\/$/, '') ?? origin;
  };
  const reset = async (): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const { ok, status } = await fetch(`${origin}/_sandbox/reset`, { method: 'POST', headers, body: '{}' });
    if (!ok) throw new Error(`the reset is answered ${status}`);
  };
  return { addressOf, pid, reset, close };
}

const pathOf = (address: string): string => new URL(address, 'http://localhost').pathname.replace(/\/$/, '');

/** Prism has no base path. */
async function startPrism({ file, peers }: Started): Promise<Mock> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const main = inPeers(peers, '@stoplight/prism-cli/dist/index.js');
  const args = [main, 'mock', '--verboseLevel', 'silent', '--host', '127.0.0.1', '--port', String(port), file];
  const { pid, close } = await startAnswering(args, [origin]);
  return { addressOf: () => origin, pid, close };
}

/** Mockoon serves at the base path of the first server. */
async function startMockoon({ contract, file, peers }: Started): Promise<Mock> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const main = inPeers(peers, '@mockoon/cli/bin/run.js');
  const args = [
    main,
    'start',
    '--data',
    file,
    '--port',
    String(port),
    '--hostname',
    '127.0.0.1',
    '--disable-log-to-file',
  ];
  const { pid, close } = await startAnswering(args, [origin], noLog);
  const base = `${origin}${contract.servers[0] === undefined ? '' : pathOf(contract.servers[0])}`;
  return { addressOf: () => base, pid, close };
}

/** json-server knows no contract: it gets the examples of the items, one list for each collection without a parent. */
async function startJsonServer({ contract, peers }: Started): Promise<Mock> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'walk-json-server-'));
  const file = join(folder, 'db.json');
  await writeFile(file, JSON.stringify(collectExamples(contract)));
  const args = [
    inPeers(peers, 'json-server/lib/cli/bin.js'),
    '--quiet',
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    file,
  ];
  const { pid, close } = await startAnswering(args, [origin]);
  return {
    addressOf: () => origin,
    pid,
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
}

function inPeers(peers: string, file: string): string {
  const path = join(peers, 'node_modules', file);
  if (!existsSync(path)) throw new Error(`not installed: ${path}. Run npm ci in bench/mocks, or give --peers FOLDER`);
  return path;
}

/** The documented examples of the lists of a contract, by the last segment of the collection's path, as json-server reads them. */
function collectExamples(contract: Contract): Readonly<Record<string, readonly unknown[]>> {
  const { forms } = createJudge(contract);
  const collected = findPairs(contract)
    .filter(({ slots }) => slots === 0)
    .map((pair) => {
      const place = findList(forms.response, pair);
      const examples = (pair.list?.responses ?? []).flatMap(({ contents }) =>
        contents.flatMap((content) => content.examples),
      );
      const items = place === undefined ? [] : examples.flatMap((example) => itemsIn(example, place) ?? []);
      // It finds items by `id` alone.
      const named = items.filter(isObject).map((item, index) => ({ id: index + 1, ...item }));
      return [pair.noun, named] as const;
    });
  return Object.fromEntries(collected);
}
