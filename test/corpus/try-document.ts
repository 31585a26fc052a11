import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../../bench/package-folder.ts';
import { type Run, run, serve } from './run-process.ts';

/** The result of each command for a document, in the order in which a stranger would try them. */
export const steps = ['generate', 'types', 'serve', 'mock', 'docs', 'conform'] as const;
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
 */
export async function tryDocument(
  contract: string,
  folder: string,
  operations: number,
  wanted: readonly Step[] = steps,
): Promise<Partial<Outcomes>> {
  const outcomes: { -readonly [Name in Step]?: Outcome } = {};
  const wants = (step: Step): boolean => wanted.includes(step);
  await mkdir(folder, { recursive: true });
  try {
    if (wants('generate') || wants('types')) {
      const generated = await run(
        [lockstep, 'generate', '--contract', contract, '--out', join(folder, 'generated')],
        limitSeconds,
      );
      outcomes.generate = judge(generated);
      if (wants('types')) outcomes.types = generated.exitCode === 0 ? judge(await checkTypes(folder)) : skipped;
    }
    if (wants('serve')) outcomes.serve = await tryServing('serve', contract, async () => undefined);
    if (wants('mock') || wants('conform')) {
      outcomes.conform = skipped;
      outcomes.mock = await tryServing('mock', contract, async (told) => {
        if (wants('conform')) outcomes.conform = await conform(contract, told, operations);
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

async function conform(contract: string, { origin, addresses }: Told, operations: number): Promise<Outcome> {
  if (operations === 0) return { kind: 'nothing', seconds: 0, megabytes: 0 };
  const [api, auth] = addresses.toSorted((a, b) => b.operations - a.operations);
  const ended = await run(
    [
      lockstep,
      'conform',
      ...['--contract', contract, '--base-url', api?.url ?? origin],
      ...(auth === undefined ? [] : ['--auth-url', auth.url]),
      ...['--token', 'any-token-will-do', '--client-id', 'any', '--client-secret', 'any'],
      ...['--writes', 'all', '--phase', 'baseline', '--now', '2026-11-22T12:00:00Z'],
    ],
    limitSeconds,
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
