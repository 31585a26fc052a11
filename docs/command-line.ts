import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createDocsHandler, readDocs } from '@lockstep/runtime/docs/serve-docs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { buildDocs, ownDocs } from './build-docs.ts';

interface Options {
  readonly contract: string;
  readonly page?: readonly string[];
  readonly out: string;
  readonly port: number;
  readonly buildOnly?: true;
  readonly json?: true;
}

const quietMilliseconds = 2000;

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

function atRoot(place: string): string {
  return join(import.meta.dirname, '..', place);
}

/** A file that is taken from the repository, wherever the command runs; its help names it from there. */
function placeOption(flags: string, says: string, place: string): Option {
  return new Option(flags, says).default(atRoot(place), place);
}

const program = new Command('docs')
  .description('Builds a folder with the reference, one offline HTML file, and the contract, and serves it.')
  .addOption(placeOption('--contract <file>', 'the contract', ownDocs.contract))
  .option(
    '--page <file...>',
    `Markdown that the reference ends with (default, for the same contract: ${ownDocs.pages.join(', ')})`,
  )
  .addOption(placeOption('--out <folder>', 'where they go', ownDocs.out))
  .option('--port <number>', 'where to serve, 0 for any free one', parsePort, 8080)
  .option('--build-only', 'build, and do not serve')
  .option('--json', 'print one line of JSON: {folder, built, url}, and notices where there are some')
  .addHelpText(
    'after',
    "\nExit codes: 0 built or stopped by Ctrl-C, 2 wrong usage, a contract that can't be shown or a port in use.\nA server answers /docs from the folder: DOCS_DIR=FOLDER npm run -s serve",
  )
  .allowExcessArguments(false)
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

// Lines that nobody reads any more are no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function explain(error: unknown, port: number): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `Port ${port} is in use by another process. Choose another one with --port.`;
  if (code === 'EACCES' && 'port' in error)
    return `Port ${port} may not be used by this user. Choose another one with --port.`;
  return error.message;
}

async function build({ contract, page, out, json }: Options) {
  const pages = page ?? (resolve(contract) === atRoot(ownDocs.contract) ? ownDocs.pages.map(atRoot) : []);
  let slow: NodeJS.Timeout | undefined;
  const onProgress = (message: string): void => {
    if (!json) slow = setTimeout(() => process.stderr.write(`${message}\n`), quietMilliseconds);
  };
  try {
    return await buildDocs({ contract, pages, out, onProgress, signal: stop.signal });
  } finally {
    clearTimeout(slow);
  }
}

async function serve(folder: string, { port }: Options): Promise<string> {
  const handle = await createDocsHandler(await readDocs(folder));
  const server = createServer((request, response) => {
    if (handle(request, response)) return;
    response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('The reference is at /docs.\n');
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Loopback alone: who wants it on a network puts it behind the server of the API.
  server.once('error', reject).listen(port, '127.0.0.1', resolve);
  await promise;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  if (stop.signal.aborted) close();
  else stop.signal.addEventListener('abort', close);
  return `http://localhost:${(server.address() as AddressInfo).port}/docs`;
}

program.action(async (options: Options) => {
  try {
    const { folder, built, notices } = await build(options);
    if (!options.json)
      for (const { file, line, column, says } of notices)
        process.stderr.write(`note: ${file}:${line}:${column} ${says}\n`);
    const url = options.buildOnly ? undefined : await serve(folder, options);
    if (options.json)
      process.stdout.write(`${JSON.stringify({ folder, built, url, ...(notices.length > 0 && { notices }) })}\n`);
    else
      process.stdout.write(
        url ? `Reference: ${url} (Ctrl-C stops)\n` : `Reference: ${folder}${built ? '' : ' (unchanged)'}\n`,
      );
  } catch (error) {
    if (stop.signal.aborted) return;
    fail(explain(error, options.port));
  }
});

await program.parseAsync();
