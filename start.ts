// npm start: derives what is derived, then serves what exists so far with demo data: the API with its OAuth server and reference,
// and the mock. Everything is on the loopback interface.
// Exit codes: 0 stopped by Ctrl-C, 2 wrong usage, a broken contract, a port in use, or a demo folder that can't be used.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildReference } from './docs/build-reference.ts';
import { createDocsHandler, type DocsHandler } from './docs/serve-docs.ts';
import { formatStart, type Started } from './format-start.ts';
import { choosePort } from './server/demo/choose-port.ts';
import { openLog } from './server/open-log.ts';
import { defaults } from './toolkit/commands/command.ts';
import { generate } from './toolkit/commands/generate.ts';
import { ContractError } from './toolkit/contract/contract-error.ts';

const help = `Usage: npm start -- [--port NUMBER] [--mock-port NUMBER] [--json]

Derives everything from ${defaults.contract}, then serves with demo data
  the API         http://localhost:8080/v1     --port, PORT
  OAuth server    http://localhost:8080/auth
  the reference   http://localhost:8080/docs
  the mock        http://localhost:8090        --mock-port, MOCK_PORT
until Ctrl-C. A port of 0 takes any free one. Keys and database of the demo are made once, in .lockstep/.

  --json   print one line of JSON once ready: addresses and demo clients

Exit codes: 0 stopped, 2 wrong usage, a broken contract, a port in use, or a demo folder that can't be used.
`;

const host = '127.0.0.1';
const root = import.meta.dirname;
const open: { close(): Promise<void> }[] = [];
const stopping = new AbortController();
let building: Promise<unknown> = Promise.resolve();
let endLog: () => Promise<void> = () => Promise.resolve();

// Lines that nobody reads any more, as of `npm start | head -1`, are no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  process.chdir(root);
  const options = readArguments();
  if (options === undefined) process.stdout.write(help);
  else await start(options);
} catch (error) {
  if (!stopping.signal.aborted) {
    process.stderr.write(`${explain(error)}\n`);
    await stop(2);
  }
}

interface Options {
  readonly port: number;
  readonly mockPort: number;
  readonly json: boolean;
}

async function start({ port, mockPort, json }: Options): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(0));
  const say = (text: string): void => void (json ? process.stderr : process.stdout).write(`${text}\n`);
  say((await generate(defaults)).text);

  // Both ports are taken before the slow step, so that one in use is told at once.
  const { logger, end } = openLog(process.env.LOG_LEVEL ?? 'warn', 2);
  endLog = end;
  const { promise: handler, resolve: docsReady } = Promise.withResolvers<DocsHandler>();
  // Loaded after deriving: they read what `generate` has just written.
  const { startDemo } = await import('./server/demo/start-demo.ts');
  const docs = (request: IncomingMessage, response: ServerResponse) => answerWhenReady(handler, request, response);
  const demo = await startDemo({ folder: join(root, '.lockstep'), port, host, logger, docs });
  open.push(demo);
  const { startDemoMock } = await import('./mock/start-demo-mock.ts');
  const mock = await startDemoMock({ keyFile: join(root, '.lockstep/mock-keys.json'), port: mockPort, host, logger });
  open.push(mock);

  const page = join(root, 'docs/dist/reference.html');
  const contract = join(root, defaults.contract);
  building = buildReference({
    contract,
    out: page,
    onProgress: () => say('building the reference …'),
    signal: stopping.signal,
  }).then(({ built }) => say(`${built ? 'built    ' : 'unchanged'} ${relative(root, page)}`));
  await building;
  docsReady(await createDocsHandler({ page, contract }));

  const started: Started = {
    server: { origin: demo.origin, clients: demo.clients },
    mock: { origin: mock.origin, clients: mock.clients },
  };
  process.stdout.write(formatStart(started, json));
}

/** Requests for the reference wait for it; everything else is the service's. */
function answerWhenReady(handler: Promise<DocsHandler>, request: IncomingMessage, response: ServerResponse): boolean {
  if (!/^\/docs(\/|\?|$)/.test(request.url ?? '')) return false;
  void handler.then((answer) => {
    if (answer(request, response)) return;
    response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('The reference is at /docs.\n');
  });
  return true;
}

async function stop(exitCode: number): Promise<void> {
  stopping.abort();
  await building.catch(() => undefined);
  await Promise.all(open.map((server) => server.close()));
  await endLog();
  process.exit(exitCode);
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
    port: choosePort({ '--port': values.port, PORT: process.env.PORT }, 8080),
    mockPort: choosePort({ '--mock-port': values['mock-port'], MOCK_PORT: process.env.MOCK_PORT }, 8090),
    json: values.json,
  };
}

function explain(error: unknown): string {
  if (error instanceof ContractError) return error.message;
  const { name, code, port, message, stack } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use by another process. Stop it, or choose another port: npm start -- --port 8081 --mock-port 8091`;
  }
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${message}\n\n${help}`;
  const known = ['PortFault', 'KeyFileFault', 'StoreUnusable', 'StoreUnavailable', 'DemoKeyMismatch'].includes(name);
  return known ? message : (stack ?? message);
}
