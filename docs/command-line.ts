import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createDocsHandler, readDocs, serveDocsAlone } from '@lockstep/runtime/docs/serve-docs';
import { explainListen } from '@lockstep/runtime/explain-listen';
import { type RunningListener, startListening } from '@lockstep/runtime/start-listening';
import type { Streams } from '@lockstep/shell/command-result';
import { formatJson, formatNotice, printable } from '@lockstep/shell/printable';
import { createProgram, exitCodeOf, parsePort } from '@lockstep/shell/program';
import { createProgress } from '@lockstep/shell/progress';
import { Option } from 'commander';
import { buildDocs, ownDocs } from './build-docs.ts';

interface Options {
  readonly contract: string;
  readonly page?: readonly string[];
  readonly allowFiles?: readonly string[];
  readonly out: string;
  readonly port: number;
  readonly buildOnly?: true;
  readonly json?: true;
}

/** Streams of the command, and the signal that stops it. */
interface Surroundings extends Streams {
  readonly stopping: AbortSignal;
}

/** Only loopback: on a network, the server of the API serves the docs. */
const host = '127.0.0.1';

function atRoot(place: string): string {
  return join(import.meta.dirname, '..', place);
}

/** An option with a default in the repository, wherever the command runs. The help names it relative to the repository. */
function placeOption(flags: string, description: string, place: string): Option {
  return new Option(flags, description).default(atRoot(place), place);
}

/**
 * The command: builds the docs, and serves them until it is stopped.
 *
 * @param args arguments after its name
 * @returns the exit code: 0 built or stopped, 2 wrong usage, a contract that can't be shown or a port in use
 */
export async function docs(args: readonly string[], around: Surroundings): Promise<number> {
  let exitCode = 0;
  const program = createProgram(
    'docs',
    'Builds a folder with the reference, one offline HTML file, the contract and its types, and serves it.',
    around,
  )
    .addOption(placeOption('--contract <file>', 'the contract', ownDocs.contract))
    .option(
      '--page <file...>',
      `Markdown to append to the reference (default, for the same contract: ${ownDocs.pages.join(', ')})`,
    )
    .option('--allow-files <folder...>', 'folders outside that of the contract or page whose files it may refer to')
    .addOption(placeOption('--out <folder>', 'the folder to build', ownDocs.out))
    .option('--port <number>', 'port to listen on, 0 for any free one', parsePort, 8080)
    .option('--build-only', 'build without serving')
    .option('--json', 'print one line of JSON: {folder, built, url}, and notices if there are any')
    .addHelpText(
      'after',
      "\nExit codes: 0 built or stopped by Ctrl-C, 2 wrong usage, a contract that can't be shown or a port in use.\nA server answers /docs from the folder: DOCS_DIR=FOLDER npm run -s serve",
    )
    .allowExcessArguments(false)
    .action(async (options: Options) => {
      exitCode = await run(options, around);
    });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    const ended = exitCodeOf(error);
    if (ended === undefined) throw error;
    return ended;
  }
}

async function run(options: Options, around: Surroundings): Promise<number> {
  const { out, error: errors, stopping } = around;
  try {
    const { folder, built, notices } = await build(options, around);
    if (!options.json) for (const { pointer: _, ...notice } of notices) errors.write(`${formatNotice(notice)}\n`);
    const running = options.buildOnly ? undefined : await serve(folder, options.port, stopping);
    const url = running && `${running.origin}/docs`;
    if (options.json) out.write(`${formatJson({ folder, built, url, ...(notices.length > 0 && { notices }) })}\n`);
    else out.write(url ? `Reference: ${url} (Ctrl-C stops)\n` : `Reference: ${folder}${built ? '' : ' (unchanged)'}\n`);
    if (running && !stopping.aborted) await once(stopping, 'abort');
    await running?.close();
    return 0;
  } catch (error) {
    if (stopping.aborted) return 0;
    const message =
      explainListen(error, { host, port: options.port }) ?? (error instanceof Error ? error.message : error);
    errors.write(`${printable(String(message))}\n`);
    return 2;
  }
}

async function build(
  { contract, page, out, json, allowFiles = [] }: Options,
  { error: errors, stopping }: Surroundings,
) {
  const isOwn = resolve(contract) === atRoot(ownDocs.contract);
  const pages = page ?? (isOwn ? ownDocs.pages.map(atRoot) : []);
  const types = isOwn ? { types: await readFile(atRoot(ownDocs.types), 'utf8') } : {};
  const progress = createProgress(json ? { write: () => undefined } : errors);
  try {
    return await buildDocs({ ...types, contract, pages, out, onProgress: progress.step, signal: stopping, allowFiles });
  } finally {
    progress.end();
  }
}

async function serve(folder: string, port: number, stopping: AbortSignal): Promise<RunningListener> {
  const handle = await createDocsHandler(await readDocs(folder));
  return startListening({ port, host, stopping }, () => serveDocsAlone(handle));
}
