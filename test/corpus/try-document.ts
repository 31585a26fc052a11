import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../../bench/package-folder.ts';
import { type Run, run, serve } from './run-process.ts';

/** The result of each command for a document, in the order in which a stranger would try them. */
export const steps = ['lint', 'generate', 'types', 'serve', 'mock', 'requests', 'docs', 'conform'] as const;
export type Step = (typeof steps)[number];

export interface Outcome {
  /** `nothing`: there is nothing to do, as where a document describes webhooks alone. `skipped`: a step before, which this one needs, failed. */
  readonly kind: 'passed' | 'nothing' | 'failed' | 'skipped';
  readonly seconds: number;
  readonly megabytes: number;
  /** First lines of what it said, where it failed. */
  readonly cause?: string;
  /** It ended by a stack trace, by itself or because its time was over. */
  readonly isCrash?: true;
}

export type Outcomes = Readonly<Record<Step, Outcome>>;

const root = join(import.meta.dirname, '../..');
const lockstep = join(root, 'cli/main.ts');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const peers = {
  types: binOf('openapi-typescript', 'bin/cli.js'),
  bundle: binOf('@redocly/cli', 'bin/cli.js'),
};
/** A command that hangs is killed, and counts as failed. */
const limitSeconds = 180;
/** 300 requests on a machine with other work. */
const conformSeconds = 600;
const shownLines = 6;
const progress = /^(baseline: \d+ requests|Reading |Preparing |note: )/;

const strict = {
  compilerOptions: {
    target: 'es2025',
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    resolveJsonModule: true,
  },
  include: ['generated'],
};

/**
 * Takes one document through everything that is made of it.
 *
 * @param folder is made, and removed at the end
 * @param operations how many the document has
 * @param conformance options for the extent of the conformance run
 */
export async function tryDocument(
  contract: string,
  folder: string,
  operations: number,
  wanted: readonly Step[] = steps,
  conformance: readonly string[] = baseline,
): Promise<Partial<Outcomes>> {
  const outcomes: { -readonly [Name in Step]?: Outcome } = {};
  const wants = (step: Step): boolean => wanted.includes(step);
  await mkdir(folder, { recursive: true });
  try {
    if (wants('lint')) outcomes.lint = judgeLint(await run([lockstep, 'lint', '--contract', contract], limitSeconds));
    if (wants('generate') || wants('types')) {
      const generated = await run(
        [lockstep, 'generate', '--contract', contract, '--out', join(folder, 'generated')],
        limitSeconds,
      );
      outcomes.generate = judge(generated);
      if (wants('types')) outcomes.types = generated.exitCode === 0 ? judge(await checkTypes(folder)) : skipped;
    }
    if (wants('serve')) outcomes.serve = await tryServing('serve', contract, async () => undefined);
    if (wants('mock') || wants('requests') || wants('conform')) {
      outcomes.conform = skipped;
      outcomes.requests = skipped;
      outcomes.mock = await tryServing('mock', contract, async (told) => {
        if (wants('requests')) outcomes.requests = await requestEach(told, operations);
        if (wants('conform')) outcomes.conform = await conform(contract, told, operations, conformance);
      });
    }
    if (wants('docs'))
      outcomes.docs = judge(
        await run(
          [lockstep, 'docs', '--contract', contract, '--out', join(folder, 'docs'), '--build-only'],
          limitSeconds,
        ),
      );
    return outcomes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The time of the stock tools for types and bundle, one after the other. Lockstep derives the operation table and the handler interface too. */
export interface Peers {
  readonly seconds: number;
  readonly megabytes: number;
  /** Why there is nothing to compare with. */
  readonly cause?: string;
}

/** @param folder is made, and removed at the end */
export async function tryPeers(contract: string, folder: string): Promise<Peers> {
  await mkdir(folder, { recursive: true });
  try {
    const types = await run([peers.types, contract, '-o', join(folder, 'types.ts')], limitSeconds, folder);
    const bundle = await run(
      [peers.bundle, 'bundle', contract, '-o', join(folder, 'contract.json')],
      limitSeconds,
      folder,
    );
    const failed = [types, bundle].find(({ exitCode }) => exitCode !== 0);
    return {
      seconds: types.seconds + bundle.seconds,
      megabytes: Math.max(types.megabytes, bundle.megabytes),
      ...(failed && { cause: judge(failed).cause ?? '' }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const skipped: Outcome = { kind: 'skipped', seconds: 0, megabytes: 0 };
const nothing: Outcome = { kind: 'nothing', seconds: 0, megabytes: 0 };

/** The linter has passed a document if it could list its problems. */
function judgeLint(ended: Run): Outcome {
  return judge(ended.exitCode === 1 ? { ...ended, exitCode: 0 } : ended);
}

async function checkTypes(folder: string): Promise<Run> {
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(strict));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  return run([tsc, '-p', folder], limitSeconds);
}

/** It is ready, answers for its health, and ends in order. */
async function tryServing(
  command: 'serve' | 'mock',
  contract: string,
  meanwhile: (told: Told) => Promise<void>,
): Promise<Outcome> {
  const started = await serve([lockstep, command, '--contract', contract, '--port', '0', '--json'], limitSeconds);
  if (!('told' in started)) return judge(started, 'ended before it was ready');
  const told = started.told as Told;
  const health = await statusOf(`${told.origin}/healthz`);
  await meanwhile(told);
  const ended = await started.stop();
  const outcome = judge(ended);
  const took = { seconds: started.readyAfterSeconds };
  if (health !== 200) return { ...outcome, ...took, kind: 'failed', cause: `/healthz answers ${health}` };
  return { ...outcome, ...took };
}

/** The line that a server prints when it is ready. */
interface Told {
  readonly origin: string;
  readonly addresses: readonly { readonly url: string; readonly operations: number }[];
}

/** The extent of the run on the sixty documents: only valid requests. */
const baseline: readonly string[] = ['--phase', 'baseline'];

/** Sends the sample request of each operation that the start page of the mock lists. */
async function requestEach({ origin }: Told, operations: number): Promise<Outcome> {
  if (operations === 0) return nothing;
  const started = performance.now();
  const commands = [...(await readStartPage(origin)).matchAll(/<pre>(curl [^<]*)<\/pre>/g)].map(([, command = '']) =>
    unescapeHtml(command),
  );
  const failed: string[] = [];
  for (const command of commands) {
    const words = `${command} -s -o /dev/null -w '%{http_code}' --max-time 20`;
    const status = await new Promise<string>((resolve) => {
      execFile('sh', ['-c', words], (error, stdout) => resolve(error === null ? stdout : `${stdout} ${error.message}`));
    });
    if (!/^[234]\d\d$/.test(status.trim())) failed.push(`${status} ${command}`);
  }
  const took = { seconds: (performance.now() - started) / 1000, megabytes: 0 };
  if (commands.length === operations && failed.length === 0) return { kind: 'passed', ...took };
  const listed = commands.length === operations ? [] : [`the start page lists ${commands.length} of ${operations}`];
  return { kind: 'failed', ...took, cause: [...listed, ...failed].slice(0, shownLines).join('\n') };
}

/** It is at `/_start` too, for a contract with a path `/`. */
async function readStartPage(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/_start`, { headers: { Accept: 'text/html' } });
  return answer.text();
}

function unescapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => names[name] ?? '');
}

async function conform(
  contract: string,
  { origin, addresses }: Told,
  operations: number,
  extent: readonly string[],
): Promise<Outcome> {
  if (operations === 0) return nothing;
  const [api, auth] = addresses.toSorted((a, b) => b.operations - a.operations);
  const ended = await run(
    [
      lockstep,
      'conform',
      ...['--contract', contract, '--base-url', api?.url ?? origin],
      ...(auth === undefined ? [] : ['--auth-url', auth.url]),
      ...['--token', 'any-token-will-do', '--client-id', 'any', '--client-secret', 'any'],
      ...['--writes', 'all', ...extent, '--now', '2026-11-22T12:00:00Z'],
      // Other work on the machine is no fault of an answer.
      ...['--timeout', '60000'],
    ],
    conformSeconds,
  );
  return judge(ended);
}

function judge({ exitCode, out, error, seconds, megabytes }: Run, otherwise = 'said nothing'): Outcome {
  const took = { seconds, megabytes };
  const trace = /^\s+at .+:\d+:\d+\)?$/m.test(error);
  if (exitCode === 0 && !trace) return { kind: 'passed', ...took };
  const said = [error, out]
    .join('\n')
    .split('\n')
    .filter((line) => line.trim() !== '' && !progress.test(line));
  const cause = said.slice(0, shownLines).join('\n') || otherwise;
  const isOver = exitCode === null;
  return {
    kind: 'failed',
    ...took,
    cause: isOver ? `ended after ${limitSeconds} s: ${cause}` : cause,
    ...((trace || isOver) && { isCrash: true as const }),
  };
}

function binOf(name: string, file: string): string {
  return join(packageFolder(name, 'toolkit'), file);
}

async function statusOf(url: string): Promise<number | string> {
  return fetch(url).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
}
