// Runs the conformance runner and its peer on API servers of others, each on a fresh one, and counts both the same way.
//
//   bench/foreign/install.sh
//   node bench/foreign/main.ts [--set read|held-out|unseen|all] [--server NAME]… [--tool lockstep|schemathesis|both] [--seconds 60] [--seed 1]
//       [--out FOLDER] [--json] [--runner FILE, of another version of ours]
//   node bench/foreign/main.ts --again FOLDER [--set …] [--server NAME]…
//
// They are let loose: servers may call out, write files and stop. A network namespace keeps them in:
//   unshare --net sh -c 'ip link set lo up && node bench/foreign/main.ts'
//
// The table goes to standard output, a line for each run to standard error; their reports are in FOLDER. Exit codes: 0 all ran, 1 one
// did not, 2 wrong usage or not installed, 130 interrupted.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Counted, type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import { heldOutServers } from './held-out.ts';
import { createMatch, listOperations, readContract } from './operations.ts';
import { readFindings, runTool, type Task, type Tool, type ToolRun } from './run-tools.ts';
import { describeFindings, sendAgain } from './send-again.ts';
import { describeLack, type ForeignServer, readServers } from './servers.ts';
import { startForeign } from './start-foreign.ts';
import { unseenServers } from './unseen.ts';

interface Row extends ToolRun {
  readonly server: string;
  readonly framework: string;
  readonly tool: Tool;
  readonly operations: number;
  /** Operations that answered 2xx at least once. */
  readonly reached: number;
  readonly requests: number;
  readonly elsewhere: number;
  readonly seconds: number;
  /** How often the server ended by itself. */
  readonly stops: number;
}

const servers: readonly ForeignServer[] = [...readServers, ...heldOutServers, ...unseenServers];
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

const options = readArguments();
if (options !== undefined) await run(options);

async function run({ chosen, tools, out, isJson, again, ...how }: Options): Promise<void> {
  const lacking = [...new Set(chosen.map(describeLack).filter((lack) => lack !== undefined))];
  if (lacking.length > 0) {
    process.stderr.write(`Not installed: ${lacking.join('; ')}\n`);
    process.exitCode = 2;
    return;
  }
  const folder = resolve(again ?? out ?? (await mkdtemp(join(tmpdir(), 'foreign-'))));
  await mkdir(folder, { recursive: true });
  process.stderr.write(`${folder}\n`);
  const rows: Row[] = [];
  for (const server of chosen) {
    for (const tool of again === undefined ? tools : (['lockstep'] as const)) {
      try {
        if (again !== undefined) await repeat(server, join(folder, server.name, tool));
        else {
          const row = await measure(server, tool, join(folder, server.name, tool), how);
          rows.push(row);
          process.stderr.write(`${formatRow(row)}\n`);
        }
      } catch (error) {
        if (stop.signal.aborted) {
          process.exitCode = 130;
          return;
        }
        process.stderr.write(`${server.name}, ${tool}: ${(error as Error).stack}\n`);
        process.exitCode = 1;
      }
    }
  }
  if (again !== undefined) return;
  await writeFile(join(folder, 'rows.json'), `${JSON.stringify(rows, null, 1)}\n`);
  process.stdout.write(isJson ? `${JSON.stringify(rows)}\n` : formatTable(rows));
}

async function measure(server: ForeignServer, tool: Tool, folder: string, how: How): Promise<Row> {
  await mkdir(folder, { recursive: true });
  const stops: unknown[] = [];
  let through: CountingProxy | undefined;
  const started = await startForeign(server, join(folder, 'server.log'), stop.signal, {
    onStop: async () => {
      stops.push(through?.underway());
      await through?.suspend();
    },
    onReturn: async () => through?.resume(),
  });
  try {
    const contract = readContract(started.contract);
    const proxy = await startCountingProxy(new URL(started.instance.origin), createMatch(contract, server.basePath));
    through = proxy;
    try {
      const file = join(folder, 'contract.yaml');
      await writeFile(file, started.contract.replaceAll(started.instance.origin, proxy.origin));
      const schemes = contract.components?.securitySchemes ?? {};
      const baseUrl = `${proxy.origin}${server.basePath}`;
      const began = performance.now();
      const task = { contract: file, schemes, baseUrl, login: started.login, folder, ...how };
      const report = await runTool[tool](task, stop.signal);
      const counted = proxy.counted();
      const took = (performance.now() - began) / 1000;
      await writeFile(join(folder, 'counted.json'), JSON.stringify({ ...counted, stops }, null, 1));
      const names = listOperations(contract);
      await writeFile(join(folder, 'unreached.md'), formatUnreached(names, counted));
      if (tool === 'lockstep')
        await writeFile(join(folder, 'findings.md'), describeFindings(await readFindings(folder)));
      const { name, framework } = server;
      const reached = names.filter((operation) => isReached(counted, operation)).length;
      const { requests, elsewhere } = counted;
      return {
        ...{ server: name, framework, tool, operations: names.length, reached, requests, elsewhere },
        ...{ seconds: took, stops: started.stops(), ...report },
      };
    } finally {
      through = undefined;
      await proxy.close();
    }
  } finally {
    await started.close();
  }
}

/** Sends what was reported once more, each request by itself, to a fresh server. */
async function repeat(server: ForeignServer, folder: string): Promise<void> {
  const findings = await readFindings(folder);
  const started = await startForeign(server, join(folder, 'again.log'), stop.signal);
  try {
    const baseUrl = `${started.instance.origin}${server.basePath}`;
    const lines = await sendAgain(findings, baseUrl, started.login, stop.signal);
    await writeFile(join(folder, 'again.json'), `${JSON.stringify(lines, null, 1)}\n`);
    const same = lines.filter(({ verdict }) => verdict === 'same').length;
    process.stdout.write(`${server.name}: ${same} of ${lines.length} answered the same\n`);
    for (const { id, verdict, message, answered } of lines) {
      if (verdict !== 'same')
        process.stdout.write(`  ${id} ${verdict}: ${message}\n    now ${answered.slice(0, 200)}\n`);
    }
  } finally {
    await started.close();
  }
}

function isReached({ operations }: Counted, operation: string): boolean {
  return Object.keys(operations[operation]?.statuses ?? {}).some((status) => status.startsWith('2'));
}

/** Each operation that never answered 2xx, with one example of each status. */
function formatUnreached(operations: readonly string[], counted: Counted): string {
  const lines = operations
    .filter((operation) => !isReached(counted, operation))
    .map((operation) => {
      const { statuses, examples } = counted.operations[operation] ?? { statuses: {}, examples: {} };
      const shown = Object.entries(examples).map(
        ([status, { sent, sentBody, answered }]) =>
          `- ${status} ×${statuses[Number(status)]}: ${sent}${sentBody && `\n  sent ${sentBody}`}\n  got ${answered}`,
      );
      return [`## ${operation}`, ...(shown.length > 0 ? shown : ['- never sent'])].join('\n');
    });
  return `${lines.join('\n\n')}\n`;
}

function formatTable(rows: readonly Row[]): string {
  const totals = [...Map.groupBy(rows, ({ tool }) => tool)].map(([tool, own]): Row => {
    const sum = (value: (row: Row) => number): number => own.reduce((total, row) => total + value(row), 0);
    return {
      ...{ server: 'all', framework: '', tool, exitCode: null, kinds: {} },
      operations: sum(({ operations }) => operations),
      reached: sum(({ reached }) => reached),
      requests: sum(({ requests }) => requests),
      elsewhere: sum(({ elsewhere }) => elsewhere),
      reports: sum(({ reports }) => reports),
      inconclusive: sum(({ inconclusive }) => inconclusive),
      folded: sum(({ folded }) => folded),
      seconds: sum(({ seconds }) => seconds),
      stops: sum(({ stops }) => stops),
    };
  });
  return `${[...rows, ...totals].map(formatRow).join('\n')}\n`;
}

function formatRow(row: Row): string {
  const { server, tool, operations, reached, requests, reports, inconclusive, folded, seconds, stops } = row;
  const counted = inconclusive > 0 ? `${reports} reports, ${inconclusive} inconclusive` : `${reports} reports`;
  const reach = `${reached} of ${operations} reached`.padStart(18);
  const ended = stops > 0 ? `, server ended ${stops} times` : '';
  return `${server.padEnd(16)}${tool.padEnd(13)}${reach}  ${String(requests).padStart(6)} requests  ${counted} of ${folded} kinds, ${seconds.toFixed(0)} s${ended}`;
}

type How = Pick<Task, 'seconds' | 'seed' | 'runner'>;

interface Options extends How {
  readonly chosen: readonly ForeignServer[];
  readonly tools: readonly Tool[];
  readonly out: string | undefined;
  readonly isJson: boolean;
  readonly again: string | undefined;
}

function readArguments(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        set: { type: 'string' },
        server: { type: 'string', multiple: true },
        tool: { type: 'string', default: 'both' },
        seconds: { type: 'string', default: '60' },
        seed: { type: 'string', default: '1' },
        out: { type: 'string' },
        again: { type: 'string' },
        runner: { type: 'string', default: join(import.meta.dirname, '../../conformance/main.ts') },
        json: { type: 'boolean', default: false },
      },
    });
    const { server: names, tool } = values;
    // A server by its name is of any set.
    const set = values.set ?? (names === undefined ? 'read' : 'all');
    if (!['read', 'held-out', 'unseen', 'all'].includes(set))
      throw new Error(`there is no set ${set}: there are read, held-out and unseen, and all of them together`);
    const unknown = (names ?? []).filter((name) => !servers.some((server) => server.name === name));
    if (unknown.length > 0) throw new Error(`there is no server ${unknown.join(', ')}`);
    if (!['lockstep', 'schemathesis', 'both'].includes(tool)) throw new Error(`there is no tool ${tool}`);
    const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
    if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error('--seconds and --seed take numbers');
    return {
      ...{ seconds, seed, runner: resolve(values.runner), out: values.out, isJson: values.json, again: values.again },
      chosen: servers.filter(
        (server) =>
          (set === 'all' || server.set === set.replace('-', ' ')) &&
          (names === undefined || names.includes(server.name)),
      ),
      tools: tool === 'both' ? ['lockstep', 'schemathesis'] : [tool as Tool],
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
    return undefined;
  }
}
