import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCopy } from './make-copy.ts';
import { isUnit, nearestTests, readImports } from './nearest-tests.ts';
import { plant } from './plant.ts';

const help = `Usage: npm run mutants -- [NAME...] [--lane test|full] [--jobs 2] [--seconds 180] [--save] [--json]

Plants each mutant of patches/ in a copy of the last commit, and runs the tests that can notice it, nearest first, until one fails.
  NAME       only mutants whose file name holds it
  --lane     tests of \`npm test\` alone, or those of \`npm run test:full\` too
  --seconds  for one mutant; what is undecided by then is listed apart
  --save     write results.json next to this file, and keep its results of other mutants
  --json     print the results instead of a table
A failure counts when the same file passes without the mutant. Exit codes: 0 none survived that is not listed as equivalent, 1 some did.
`;

interface Outcome {
  readonly outcome: 'killed' | 'survived' | 'undecided' | 'gone' | 'equivalent';
  /** The test that failed, or the reason. */
  readonly by?: string;
  readonly seconds?: number;
}

/** A test file without output for so long, which passes in a third of it without the mutant, is a kill: an endless loop. */
const silenceSeconds = 60;
const here = import.meta.dirname;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lane: { type: 'string', default: 'test' },
    jobs: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '180' },
    ...{ save: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  },
});
const resultsPath = join(here, 'results.json');
/** Results of all saved runs, read again each time, since two may run at once. */
const readKnown = (): Record<string, Outcome> =>
  JSON.parse(readFileSync(resultsPath, { encoding: 'utf8', flag: 'a+' }) || '{}');

/** Of test files without a mutant. */
const passes = new Map<string, Promise<boolean>>();

if (values.help) process.stdout.write(help);
else await main();

async function main(): Promise<void> {
  const names = readdirSync(join(here, 'patches')).filter(
    (name) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
  );
  const results = new Map<string, Outcome>();
  const waiting = [...names];
  const work = async (): Promise<void> => {
    const { path: copy, remove } = makeCopy();
    try {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const begun = performance.now();
        const found = await judge(copy, readFileSync(join(here, 'patches', name), 'utf8'));
        const seconds = Math.round((performance.now() - begun) / 1000);
        const known = readKnown();
        const isEquivalent = found.outcome !== 'killed' && known[name]?.outcome === 'equivalent';
        const result = isEquivalent ? (known[name] as Outcome) : { ...found, seconds };
        results.set(name, result);
        process.stderr.write(
          `${results.size}/${names.length} ${name}: ${result.outcome} ${result.by ?? ''} (${seconds} s)\n`,
        );
        if (values.save)
          writeFileSync(resultsPath, `${JSON.stringify(sorted({ ...known, [name]: result }), null, 2)}\n`);
      }
    } finally {
      remove();
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  process.stdout.write(
    values.json ? `${JSON.stringify(sorted(Object.fromEntries(results)), null, 2)}\n` : formatTable(results),
  );
  if ([...results.values()].some(({ outcome }) => outcome === 'survived')) process.exitCode = 1;
}

async function judge(copy: string, patch: string): Promise<Outcome> {
  const until = performance.now() + Number(values.seconds) * 1000;
  const restore = (): unknown => execFileSync('git', ['checkout', '-q', '--', '.'], { cwd: copy });
  try {
    const applied = plant(copy, patch);
    if ('gone' in applied) return { outcome: 'gone', by: applied.gone };
    const tests = nearestTests(copy, readImports(copy), applied.file);
    const fails = new Set<string>();
    for (;;) {
      const found = await runTests(
        copy,
        tests.filter((test) => !fails.has(test)),
        until,
      );
      if (found === 'passed') return { outcome: 'survived', by: `${tests.length} test files pass` };
      if (found === 'out of time') return { outcome: 'undecided', by: `${tests.length} test files, not all in time` };
      restore();
      if (await passesAlone(copy, found.file))
        return { outcome: 'killed', by: `${found.file}: ${found.test.replaceAll(/\s+/g, ' ')}` };
      fails.add(found.file);
      plant(copy, patch);
    }
  } finally {
    restore();
  }
}

function passesAlone(copy: string, test: string): Promise<boolean> {
  const again =
    passes.get(test) ??
    runTests(copy, [test], performance.now() + silenceSeconds * 2000).then((found) => found === 'passed');
  passes.set(test, again);
  return again;
}

type Found = 'passed' | 'out of time' | { readonly file: string; readonly test: string };

async function runTests(copy: string, tests: readonly string[], until: number): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'mutant-run-'));
  const order = join(folder, 'tests.json');
  const events = join(folder, 'events.jsonl');
  writeFileSync(order, JSON.stringify(tests));
  writeFileSync(events, '');
  const args = ['run', '--config', 'bench/mutants/vitest.config.ts', '--root', '.', '--bail', '1', '--maxWorkers', '1'];
  if (values.lane === 'test') args.push('--tags-filter=!full');
  args.push(...tests.map((test) => join(copy, test)));
  const bin = join(copy, 'node_modules/.bin');
  const child = spawn(join(bin, 'vitest'), args, {
    ...{ cwd: copy, stdio: 'ignore', detached: true },
    env: {
      FC_SEED: '20261121',
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      MUTANT_TESTS: order,
      MUTANT_EVENTS: events,
    },
  });
  const kill = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  let exit: number | null | undefined;
  child.on('exit', (code) => {
    exit = code;
  });
  let running = '';
  let told = 0;
  let lastAt = performance.now();
  try {
    for (;;) {
      const hasEnded = exit !== undefined;
      const lines = readFileSync(events, 'utf8').split('\n').slice(0, -1);
      for (const line of lines.slice(told)) {
        const { begun, ended, failed } = JSON.parse(line) as { begun?: string; ended?: string; failed?: string };
        if (ended !== undefined && failed !== undefined) return { file: ended, test: failed };
        running = begun ?? '';
        lastAt = performance.now();
      }
      told = lines.length;
      if (hasEnded) return exit === 0 ? 'passed' : { file: running || (tests[0] ?? ''), test: 'ended before its time' };
      if (performance.now() > until) return 'out of time';
      const isSilent = performance.now() - lastAt > silenceSeconds * 1000;
      if (isSilent && running !== '' && isUnit(running)) return { file: running, test: 'did not end' };
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    try {
      kill();
    } catch {
      // It has ended with all its children.
    }
    rmSync(folder, { recursive: true });
  }
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function formatTable(results: ReadonlyMap<string, Outcome>): string {
  const outcomes = ['killed', 'survived', 'undecided', 'gone', 'equivalent'] as const;
  const folderOf = (name: string): string => name.split('-')[1] ?? '';
  const count = (folder: string | undefined, wanted: string): number =>
    [...results].filter(([name, { outcome }]) => outcome === wanted && (folder ?? folderOf(name)) === folderOf(name))
      .length;
  const row = (title: string, folder?: string): string =>
    `${title.padEnd(14)}${outcomes.map((outcome) => String(count(folder, outcome)).padStart(11)).join('')}\n`;
  const unkilled = [...results]
    .filter(([, { outcome }]) => outcome !== 'killed')
    .map(([name, { outcome, by = '' }]) => `${outcome} ${name}: ${by}\n`);
  const folders = new Set([...results.keys()].map(folderOf));
  return [
    `${''.padEnd(14)}${outcomes.map((outcome) => outcome.padStart(11)).join('')}\n`,
    ...[...folders].map((folder) => row(folder, folder)),
    row('all'),
    ...unkilled,
  ].join('');
}
