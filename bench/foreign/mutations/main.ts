// Changes the source of three foreign servers, one place at a time, and counts how many of the changes a tool notices.
//
//   bench/foreign/install.sh npm changedetection phoenix schemathesis
//   node bench/foreign/mutations/main.ts --check [--server NAME]…
//   node bench/foreign/mutations/main.ts --tool lockstep|schemathesis [--server NAME]… [--seed 1] [--budget 300req|60s] [--out FOLDER]
//       [--runner FILE, of another version of ours]
//
// --check proves each change: a request gets the expected answer from the clean server, and another one from the changed server.
// Exit codes: 0 all proved or all ran, 1 one did not, 2 wrong usage or not installed, 130 interrupted.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readContract } from '../operations.ts';
import { runTool, type Tool } from '../run-tools.ts';
import { describeLack, type ForeignServer } from '../servers.ts';
import { type Started, startForeign } from '../start-foreign.ts';
import { changedetection } from './changedetection.ts';
import { homebridgeUi } from './homebridge-ui.ts';
import { createSend, type Kind, type Mutation, mutate, observe, type Subject } from './mutation.ts';
import { phoenix } from './phoenix.ts';
import { findNew, type Reported, readReports } from './score.ts';

const subjects: readonly Subject[] = [changedetection, homebridgeUi, phoenix];
/** A budget of requests is cut off here: a server that answers slowly must not stop the bench. */
const mostSeconds = 60;

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

const options = await readOptions().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
if (options !== undefined) await run(options);

async function run({ chosen, tool, ...how }: Options): Promise<void> {
  const lacking = chosen.map(({ server }) => describeLack(server)).filter((lack) => lack !== undefined);
  if (lacking.length > 0) {
    process.stderr.write(`Not installed: ${[...new Set(lacking)].join('; ')}\n`);
    process.exitCode = 2;
    return;
  }
  await mkdir(how.out, { recursive: true });
  process.stderr.write(`${how.out}\n`);
  try {
    if (tool === undefined) for (const subject of chosen) await check(subject, how.out);
    else await score(chosen, tool, how);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exitCode = 130;
  }
}

/** Prints a line for each change that cannot be shown, and the number of those that can. */
async function check(subject: Subject, out: string): Promise<void> {
  const { server, mutations } = subject;
  const clean = new Map<Mutation, unknown>();
  await withServer(server, join(out, `${server.name}.log`), async ({ instance, login }) => {
    const send = createSend(subject, instance.origin, login.token ?? '');
    for (const mutation of mutations) clean.set(mutation, await observe(mutation, send).catch(String));
  });
  let proved = 0;
  for (const mutation of mutations) {
    const mutated = await withMutated(subject, mutation, out, ({ instance, login }) =>
      observe(mutation, createSend(subject, instance.origin, login.token ?? '')),
    ).catch((error: unknown) => {
      stop.signal.throwIfAborted();
      return String(error);
    });
    const { id, shows } = mutation;
    const isProved = clean.get(mutation) === shows[0] && mutated === shows[1] && shows[0] !== shows[1];
    if (isProved) proved += 1;
    else {
      process.stdout.write(
        `${id}: expected ${shows.join(', then ')}; was ${clean.get(mutation)}, then ${mutated}; see ${out}\n`,
      );
      process.exitCode = 1;
    }
  }
  process.stdout.write(`${server.name}: ${proved} of ${mutations.length} mutations shown by a request\n`);
}

/** Prints scores alone: an author of checks who reads which mutations are missed would write checks for them. */
async function score(chosen: readonly Subject[], tool: Tool, how: How): Promise<void> {
  const found: Found[] = [];
  for (const subject of chosen) {
    const { server, mutations } = subject;
    const runs = join(how.out, tool, server.name);
    const log = join(how.out, `${server.name}.log`);
    // A changed server may describe itself differently, so every run gets the contract of the clean one.
    const [contract, clean] = await withServer(server, log, async (started) => {
      const text = started.contract.replaceAll(started.instance.origin, 'ORIGIN');
      return [text, await runOn(started, server, tool, text, join(runs, 'clean'), how)] as const;
    });
    for (const mutation of mutations) {
      const { id, kind, at } = mutation;
      const reports = await withMutated(subject, mutation, how.out, (started) =>
        runOn(started, server, tool, contract, join(runs, id), how),
      ).catch((error: Error) => {
        stop.signal.throwIfAborted();
        process.stderr.write(`${id} did not run: ${error.message}\n`);
        process.exitCode = 1;
        return [];
      });
      found.push({ server: server.name, id, kind, news: findNew(reports, clean, at) });
      process.stderr.write(`${found.length} run\n`);
    }
  }
  await writeFile(join(how.out, `${tool}.json`), `${JSON.stringify(found, null, 1)}\n`);
  process.stdout.write(`${formatScores(found)}\n`);
}

async function runOn(
  { instance, login }: Started,
  { basePath }: ForeignServer,
  tool: Tool,
  contract: string,
  folder: string,
  { seed, runner, budget }: How,
): Promise<readonly Reported[]> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'contract.yaml');
  await writeFile(file, contract.replaceAll('ORIGIN', instance.origin));
  const parsed = readContract(contract);
  const schemes = parsed.components?.securitySchemes ?? {};
  const baseUrl = `${instance.origin}${basePath}`;
  await runTool[tool]({ contract: file, schemes, baseUrl, login, folder, seed, runner, ...budget }, stop.signal);
  return readReports[tool]({ folder, contract: parsed, ...budget });
}

interface Found {
  readonly server: string;
  readonly id: string;
  readonly kind: Kind;
  /** Reports about the changed operation that the clean server does not get. */
  readonly news: readonly string[];
}

function formatScores(found: readonly Found[]): string {
  const count = (title: string, some: readonly Found[]): string =>
    `${title.padEnd(26)}${some.filter(({ news }) => news.length > 0).length} of ${some.length}`;
  const groups = (key: 'server' | 'kind'): string[] =>
    [...Map.groupBy(found, (one) => one[key])].map(([title, some]) => count(title, some));
  return [...groups('server'), ...groups('kind'), count('all', found)].join('\n');
}

async function withMutated<T>(
  subject: Subject,
  mutation: Mutation,
  out: string,
  use: (started: Started) => Promise<T>,
): Promise<T> {
  const { server, remove } = await mutate(subject, mutation);
  try {
    return await withServer(server, join(out, `${mutation.id}.log`), use);
  } finally {
    await remove();
  }
}

async function withServer<T>(server: ForeignServer, log: string, use: (started: Started) => Promise<T>): Promise<T> {
  const started = await startForeign(server, log, stop.signal);
  try {
    return await use(started);
  } finally {
    await started.close();
  }
}

interface How {
  readonly seed: number;
  readonly budget: { readonly seconds: number; readonly requests?: number };
  readonly out: string;
  readonly runner: string;
}

interface Options extends How {
  readonly chosen: readonly Subject[];
  /** Undefined for `--check`. */
  readonly tool: Tool | undefined;
}

async function readOptions(): Promise<Options> {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      tool: { type: 'string' },
      server: { type: 'string', multiple: true },
      seed: { type: 'string', default: '1' },
      budget: { type: 'string', default: '300req' },
      out: { type: 'string' },
      runner: { type: 'string', default: join(import.meta.dirname, '../../../conformance/main.ts') },
    },
  });
  const names = subjects.map(({ server }) => server.name);
  const unknown = (values.server ?? []).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no server ${unknown}; expected ${names.join(', ')}`);
  if (values.check === (values.tool !== undefined)) throw new Error('expected either --check or --tool');
  if (values.tool !== undefined && !Object.hasOwn(runTool, values.tool))
    throw new Error(`there is no tool ${values.tool}; expected ${Object.keys(runTool).join(', ')}`);
  const [, amount = '', unit] = /^([1-9]\d*)(req|s)$/.exec(values.budget) ?? [];
  if (unit === undefined) throw new Error(`--budget ${values.budget}: expected 300req or 60s`);
  if (!/^\d+$/.test(values.seed)) throw new Error(`--seed ${values.seed}: expected a whole number`);
  return {
    chosen: subjects.filter(({ server }) => values.server?.includes(server.name) ?? true),
    tool: values.tool as Tool | undefined,
    seed: Number(values.seed),
    budget: unit === 's' ? { seconds: Number(amount) } : { seconds: mostSeconds, requests: Number(amount) },
    out: resolve(values.out ?? (await mkdtemp(join(tmpdir(), 'mutations-')))),
    runner: resolve(values.runner),
  };
}
