// Measures how many of the faults of three servers an API testing tool reports, how early, and how often it reports a correct server.
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { peerProgram } from '../foreign/run-tools.ts';
import { startChild } from '../start-child.ts';
import { formatTable, type ServerResult, summarise } from './format-table.ts';
import {
  falsePositives,
  faultClasses,
  firstDetection,
  firstTrigger,
  judge,
  type LogLine,
  listMissed,
  type RunRecord,
  type SeededFault,
} from './score.ts';
import { readOperations, type Subject, serverOf, subjects } from './subjects.ts';
import { type Budget, type Profile, profiles, runTool, type Tool } from './tools.ts';

interface Options {
  readonly tool: Tool;
  readonly chosen: readonly Subject[];
  readonly seeds: readonly number[];
  readonly budget: Budget;
  readonly budgetName: string;
  readonly profile: Profile;
  readonly out: string;
  readonly isJson: boolean;
}

const tools = Object.keys(runTool) as Tool[];
const profileNames = Object.keys(profiles) as Profile[];
const budgets: Readonly<Record<string, Budget>> = {
  '100req': { requests: 100 },
  '300req': { requests: 300 },
  '1000req': { requests: 1000 },
  '5s': { seconds: 5 },
};

const help = `Usage: node bench/detect/main.ts --tool lockstep|schemathesis [--server library|meters|roster|all] [--seed 1] [--seeds 1]
    [--class A,B,C,D,E,F] [--budget 100req|300req|1000req|5s] [--profile default|guide|guide-auto] [--out FOLDER] [--json]

Each run has a fresh server, and one tool runs at a time. bench/foreign/install.sh schemathesis installs the peer, and --profile has its options.
A second start with the same --out continues the first. The folder then has runs.ndjson, with a line for each run, and missed-SERVER.json, with
the names of the faults that no run detected: authors of checks read the table alone.
Exit codes: 0 all ran, 2 wrong usage or not installed, 130 interrupted.
`;

/** One live line on a terminal. */
const lineEnd = process.stderr.isTTY ? '    \r' : '\n';
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

const options = readOptions();
if (options !== undefined) {
  try {
    await run(options);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exitCode = 130;
  }
}

async function run(given: Options): Promise<void> {
  const { chosen, seeds, budget, out, isJson } = given;
  mkdirSync(out, { recursive: true });
  process.stderr.write(`${out}\n`);
  const runs = await runAll(given);
  const results = chosen.map((subject): ServerResult => {
    const ids = [undefined, ...subject.faults.map(({ id }) => id)];
    const own = runs.filter(({ server, fault }) => server === subject.name && ids.includes(fault));
    const clean = falsePositives(own);
    const { declared } = readOperations(subject);
    const outcomes = own.flatMap((record) => {
      const fault = subject.faults.find(({ id }) => id === record.fault);
      return fault === undefined ? [] : [judge(fault, record, clean, declared)];
    });
    writeFileSync(join(out, `missed-${subject.name}.json`), `${JSON.stringify(listMissed(outcomes), null, 1)}\n`);
    return summarise(subject.name, own, outcomes, budget);
  });
  const title = `${settingOf(given)}, ${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}`;
  writeFileSync(join(out, 'results.json'), `${JSON.stringify({ title, results }, null, 1)}\n`);
  process.stdout.write(isJson ? `${JSON.stringify({ title, results })}\n` : formatTable(title, results));
}

function settingOf({ tool, profile, budgetName }: Options): string {
  return `${tool}${tool === 'lockstep' ? '' : `, profile ${profile}`}, at most ${budgetName} a run`;
}

/**
 * The servers without a fault come first, since a run may stop once it has a report that they lack. All faults with one seed come
 * before the next seed, so that a bench that is interrupted has a table with fewer seeds.
 */
async function runAll(given: Options): Promise<readonly RunRecord[]> {
  const { chosen, seeds, out } = given;
  const file = join(out, 'runs.ndjson');
  const known = existsSync(file) ? readLines<RunRecord>(file) : [];
  const runs = known.filter(
    ({ setting, fault, seed }) => setting === settingOf(given) && (fault === undefined || seeds.includes(seed)),
  );
  const planned = [
    ...seeds.flatMap((seed) => chosen.map((subject) => ({ subject, seed, fault: undefined }))),
    ...seeds.flatMap((seed) => chosen.flatMap((subject) => subject.faults.map((fault) => ({ subject, seed, fault })))),
  ];
  const began = performance.now();
  for (const [index, { subject, seed, fault }] of planned.entries()) {
    const own = runs.filter(({ server }) => server === subject.name);
    if (own.some((record) => record.fault === fault?.id && record.seed === seed)) continue;
    const record = await runOnce(subject, fault, seed, falsePositives(own), given);
    runs.push(record);
    appendFileSync(file, `${JSON.stringify(record)}\n`);
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    process.stderr.write(`${subject.name}, seed ${seed}: run ${index + 1}/${planned.length}, ${minutes} min${lineEnd}`);
  }
  return runs;
}

async function runOnce(
  subject: Subject,
  fault: SeededFault | undefined,
  seed: number,
  clean: ReadonlyMap<string, unknown>,
  given: Options,
): Promise<RunRecord> {
  const { tool, budget, profile, out } = given;
  // The folder above is the home of the tool, so that no run finds a cache of another.
  const home = join(out, `run-${subject.name}`);
  rmSync(home, { recursive: true, force: true });
  const folder = join(home, 'reports');
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'server.log');
  const operations = readOperations(subject);
  const faultOption = fault === undefined ? [] : ['--fault', fault.id];
  const server = await startChild([serverOf(subject), '--port', '0', '--log', log, ...faultOption]);
  try {
    const { exitCode, seconds, detections } = await runTool[tool]({
      ...{ subject, operations, seed, budget, profile, folder, signal: stop.signal },
      baseUrl: `${server.firstLine.replace(/^.* /, '')}${subject.basePath}`,
      isEnough: (found) =>
        fault !== undefined &&
        firstDetection(fault, { detections: found }, 'defect', clean, operations.declared) !== undefined,
    });
    const lines = existsSync(log) ? readLines<LogLine>(log) : [];
    const triggered = firstTrigger(lines);
    return {
      ...{ server: subject.name, setting: settingOf(given), seed },
      ...{ exitCode, requests: lines.length, seconds, detections },
      ...(fault !== undefined && { fault: fault.id }),
      ...(triggered !== undefined && { triggered }),
    };
  } finally {
    await server.close();
  }
}

/** Lines of JSON. A program may still be writing what follows the last line break. */
function readLines<T>(file: string): readonly T[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}

/** @returns undefined after the help or wrong usage, which is printed */
function readOptions(): Options | undefined {
  const refuse = (message: string): undefined => {
    process.stderr.write(`${message}\n`);
    process.exitCode = 2;
    return undefined;
  };
  let values: ReturnType<typeof parse>['values'];
  try {
    ({ values } = parse());
  } catch (error) {
    return refuse((error as Error).message);
  }
  if (values.help) {
    process.stdout.write(help);
    return undefined;
  }
  const { tool, server, profile } = values;
  if (!isOneOf(tool, tools)) return refuse(`--tool is one of ${tools.join(', ')}, not ${tool}`);
  if (!isOneOf(profile, profileNames)) return refuse(`--profile is one of ${profileNames.join(', ')}, not ${profile}`);
  const budget = budgets[values.budget];
  if (budget === undefined)
    return refuse(`--budget is one of ${Object.keys(budgets).join(', ')}, not ${values.budget}`);
  const classes = values.class.split(',');
  const unknown = classes.find((name) => !isOneOf(name, faultClasses));
  if (unknown !== undefined) return refuse(`--class lists some of ${faultClasses.join(', ')}, not ${unknown}`);
  const chosen = subjects
    .filter(({ name }) => server === 'all' || server === name)
    .map((subject) => ({ ...subject, faults: subject.faults.filter((fault) => classes.includes(fault.class)) }));
  const names = ['all', ...subjects.map(({ name }) => name)];
  if (chosen.length === 0) return refuse(`--server is one of ${names.join(', ')}, not ${server}`);
  const [first, count] = [Number(values.seed), Number(values.seeds)];
  if (!Number.isSafeInteger(first) || first < 0) return refuse(`--seed is a whole number, not ${values.seed}`);
  if (!Number.isSafeInteger(count) || count < 1)
    return refuse(`--seeds is a whole number of 1 or more, not ${values.seeds}`);
  if (tool === 'schemathesis' && !existsSync(peerProgram))
    return refuse(`Not installed: ${tool}. Run bench/foreign/install.sh schemathesis`);
  const seeds = Array.from({ length: count }, (_, index) => first + index);
  const out = resolve(values.out ?? mkdtempSync(join(tmpdir(), 'detect-')));
  return { tool, chosen, seeds, budget, budgetName: values.budget, profile, out, isJson: values.json };
}

function parse() {
  return parseArgs({
    options: {
      tool: { type: 'string', default: '' },
      server: { type: 'string', default: 'all' },
      class: { type: 'string', default: faultClasses.join(',') },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      budget: { type: 'string', default: '1000req' },
      profile: { type: 'string', default: 'guide' },
      out: { type: 'string' },
      ...{ json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
    },
  });
}

function isOneOf<T extends string>(text: string, all: readonly T[]): text is T {
  return (all as readonly string[]).includes(text);
}
