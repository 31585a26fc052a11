// npm start: derives from the contract, then serves with demo data: the API with its OAuth server and reference, and the mock. Everything is on the
// loopback interface.
// Exit codes: 0 stopped by Ctrl-C, 2 wrong usage, a broken contract, a port in use, or a demo folder that can't be used.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { enableCompileCache } from 'node:module';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { defaults } from './cli/commands/command.ts';
import { deriveOnce } from './derive-once.ts';
import { defaultPorts, formatStart, type Started } from './format-start.ts';
import type { DocsHandler } from './runtime/docs/serve-docs.ts';
import { type Running, runUntilStopped, throwIfStopping } from './runtime/run-until-stopped.ts';
import { readConfig } from './server/config.ts';
import { choosePort } from './server/demo/choose-port.ts';
import { openLog } from './server/open-log.ts';
import type { DatabaseAddress } from './server/store/database-address.ts';
import { findTimezoneFolder, useTimezoneData } from './server/timezone-data.ts';
import { ignoreUnreadOutput } from './shell/start-process.ts';

const help = `Usage: npm start -- [--port NUMBER] [--mock-port NUMBER] [--json]

Derives from ${defaults.contract} if anything changed, then serves with demo data
  the API         http://localhost:8080/v1     --port, PORT
  OAuth server    http://localhost:8080/auth
  the reference   http://localhost:8080/docs
  the mock        http://localhost:8090        --mock-port, MOCK_PORT
until Ctrl-C. A port of 0 is any free one. The first start creates keys and database of the demo in .lockstep/, and next to them, in clear
and readable only by this user (0600), access.json and mock-access.json: secrets and passwords for npm run -s token.
DATABASE_URL=postgres://USER:PASSWORD@HOST:PORT/NAME puts the data of the server into that PostgreSQL database, which has to be empty.

  --json   print one line of JSON once ready: addresses, demo clients and owners (npm -s start -- --json keeps npm's own lines out)

Exit codes: 0 stopped, also while it starts; 2 wrong usage, a broken contract, a port in use, or a demo folder that can't be used.
`;

const host = '127.0.0.1';
const root = import.meta.dirname;

// All slow modules are loaded after this.
enableCompileCache(join(root, 'node_modules/.cache/compiled'));
ignoreUnreadOutput();

try {
  useTimezoneData(findTimezoneFolder(process.env));
  process.chdir(root);
  const options = readArguments();
  if (options === undefined) process.stdout.write(help);
  else {
    const { logger, end } = openLog(process.env.LOG_LEVEL ?? 'warn', 2);
    await runUntilStopped(logger, (stopping) => start(options, { logger, stopping }));
    await end();
    process.exit(0);
  }
} catch (error) {
  process.stderr.write(`${await explain(error)}\n`);
  process.exit(2);
}

interface Options {
  readonly port: number;
  readonly mockPort: number;
  readonly json: boolean;
}

interface Surroundings {
  readonly logger: ReturnType<typeof openLog>['logger'];
  readonly stopping: AbortSignal;
}

async function start({ port, mockPort, json }: Options, { logger, stopping }: Surroundings): Promise<Running> {
  const say = (text: string): void => void (json ? process.stderr : process.stdout).write(`${text}\n`);
  const open: Running[] = [];
  const { promise: handler, resolve: docsReady } = Promise.withResolvers<DocsHandler>();
  const running: Running = {
    underWay: () => open.reduce((sum, server) => sum + server.underWay(), 0),
    close: async () => {
      const closed = await Promise.all(open.map((server) => server.close()));
      return { cut: closed.reduce((sum, { cut }) => sum + cut, 0) };
    },
  };
  try {
    // Parts are loaded when they are needed, since some take a second. Signals are handled from here on.
    say(await derive(stopping));
    await throwIfStopping(stopping);

    // Both ports are opened before the slow step, so that a port in use is reported at once.
    // The modules are loaded after deriving: they read the files that `generate` has just written.
    const { startDemo } = await import('./server/demo/start-demo.ts');
    const docs = async () => (request: IncomingMessage, response: ServerResponse) =>
      answerWhenReady(handler, request, response);
    const folder = join(root, '.lockstep');
    const demo = await startDemo({ folder, database: readDatabase(), port, host, logger, docs, stopping });
    open.push(demo);
    const { startSandbox } = await import('./mock/sandbox/start-sandbox.ts');
    const { describeAccess, writeAccessFile } = await import('./server/demo/access-file.ts');
    const keyFile = join(root, '.lockstep/mock-keys.json');
    const mock = await startSandbox({ keyFile, port: mockPort, host, logger, stopping });
    open.push(mock);

    docsReady(await prepareDocs(demo.origin, stopping, say));
    await throwIfStopping(stopping);

    const started: Started = {
      server: describeAccess(demo),
      mock: describeAccess(mock),
    };
    await writeAccessFile(join(root, '.lockstep/access.json'), started.server);
    await writeAccessFile(join(root, '.lockstep/mock-access.json'), started.mock);
    process.stdout.write(formatStart(started, json));
    return running;
  } catch (error) {
    // Requests that wait for the reference are dropped, since they would delay the stop.
    docsReady((_, response) => response.destroy() !== undefined);
    await running.close();
    throw error;
  }
}

/** The demo has a SQLite file of its own, and does not fill that of an operator. */
function readDatabase(): DatabaseAddress | undefined {
  const { DATABASE_URL = '' } = process.env;
  return /^(sqlite:|$)/.test(DATABASE_URL) ? undefined : readConfig({ DATABASE_URL }).database;
}

async function derive(stopping: AbortSignal): Promise<string> {
  return deriveOnce({
    ...defaults,
    code: ['toolkit', 'json', 'shell'],
    lockfile: 'package-lock.json',
    stamp: 'node_modules/.cache/derived.json',
    listContractFiles: async () => {
      const { readContractFiles } = await import('./toolkit/contract/contract-files.ts');
      return (await readContractFiles(defaults.contract)).map(({ file }) => file);
    },
    derive: async () => {
      const { generate } = await import('./cli/commands/generate.ts');
      await throwIfStopping(stopping);
      return (await generate(defaults)).text;
    },
  });
}

async function prepareDocs(origin: string, signal: AbortSignal, say: (text: string) => void): Promise<DocsHandler> {
  const { buildDocs, ownDocs } = await import('./docs/build-docs.ts');
  const { createDocsHandler, readDocs } = await import('./runtime/docs/serve-docs.ts');
  const { folder, built } = await buildDocs({
    contract: join(root, ownDocs.contract),
    pages: ownDocs.pages.map((page) => join(root, page)),
    types: await readFile(join(root, ownDocs.types), 'utf8'),
    out: join(root, ownDocs.out),
    onProgress: () => say('building the reference …'),
    signal,
  });
  say(`${built ? 'built    ' : 'unchanged'} ${relative(root, folder)}`);
  return createDocsHandler(await readDocs(folder), origin);
}

/** Requests for the reference wait until it is built; the service answers all others. */
function answerWhenReady(handler: Promise<DocsHandler>, request: IncomingMessage, response: ServerResponse): boolean {
  if (!/^\/docs(\/|\?|$)/.test(request.url ?? '')) return false;
  void handler.then((answer) => {
    if (answer(request, response)) return;
    response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('The reference is at /docs.\n');
  });
  return true;
}

function readArguments(): Options | undefined {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      'mock-port': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  return {
    port: choosePort({ '--port': values.port, PORT: process.env.PORT }, defaultPorts.server),
    mockPort: choosePort({ '--mock-port': values['mock-port'], MOCK_PORT: process.env.MOCK_PORT }, defaultPorts.mock),
    json: values.json,
  };
}

async function explain(error: unknown): Promise<string> {
  const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use by another process. Stop it, or choose another port: npm start -- --port 8081 --mock-port 8091`;
  }
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${message}\n\n${help}`;
  const { describeFailure } = await import('./server/commands/describe-failure.ts');
  return describeFailure(error).text;
}
