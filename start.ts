// npm start: derives what is derived, then serves what exists so far: the mock of the whole API and its reference.
// Everything is on the loopback interface. Exit codes: 0 stopped by Ctrl-C, 2 wrong usage, a broken contract or a port in use.
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildReference } from './docs/build-reference.ts';
import { createDocsHandler } from './docs/serve-docs.ts';
import { type Listening, listen } from './mock/listen.ts';
import { defaults } from './toolkit/commands/command.ts';
import { generate } from './toolkit/commands/generate.ts';
import { ContractError } from './toolkit/contract/contract-error.ts';

const help = `Usage: npm start [-- --port NUMBER] [-- --mock-port NUMBER]

Derives everything from ${defaults.contract}, then serves
  the reference   http://localhost:8080/docs   --port, PORT
  the mock        http://localhost:8090        --mock-port, MOCK_PORT
until Ctrl-C. A port of 0 takes any free one.

Exit codes: 0 stopped, 2 wrong usage, a broken contract or a port in use.
`;

const host = '127.0.0.1';
const root = import.meta.dirname;
const open: Listening[] = [];

try {
  process.chdir(root);
  const ports = readArguments();
  if (ports === undefined) process.stdout.write(help);
  else await start(ports);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  await stop(2);
}

async function start({ port, mockPort }: { port: number; mockPort: number }): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(0));

  say((await generate(defaults)).text);

  // Both ports are taken before the slow step, so that one in use is told at once.
  const { promise: docsHandler, resolve: docsReady } =
    Promise.withResolvers<Awaited<ReturnType<typeof createDocsHandler>>>();
  const docs = await listen(
    async (request, response) => {
      if ((await docsHandler)(request, response)) return;
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('The reference is at /docs.\n');
    },
    port,
    host,
  );
  open.push(docs);
  const mock = await startMockOn(mockPort);

  const page = join(root, 'docs/dist/reference.html');
  const contract = join(root, defaults.contract);
  const { built } = await buildReference({ contract, out: page, onProgress: () => say('building the reference …') });
  say(`${built ? 'built    ' : 'unchanged'} ${relative(root, page)}`);
  docsReady(await createDocsHandler({ page, contract }));

  say(`\nReference  ${docs.origin.replace(host, 'localhost')}/docs`);
  say(mock.lines.join('\n'));
  say('\nCtrl-C stops both.');
}

/** Loaded after deriving: the mock reads what `generate` has just written. */
async function startMockOn(port: number): Promise<{ lines: readonly string[] }> {
  const [{ startMock }, { describeMock, formatDescription }, { operations }, { default: contract }, { pino }] =
    await Promise.all([
      import('./mock/start-mock.ts'),
      import('./mock/describe-mock.ts'),
      import('@lockstep/contract/operations'),
      import('@lockstep/contract/contract.json', { with: { type: 'json' } }),
      import('pino'),
    ]);
  const logger = pino({ level: process.env.LOG_LEVEL ?? 'warn' }, pino.destination({ dest: 2, sync: true }));
  const mock = await startMock({ port, host, contract, operations, logger });
  open.push(mock);
  return { lines: formatDescription(describeMock(mock.origin.replace(host, 'localhost'), contract, operations)) };
}

async function stop(exitCode: number): Promise<void> {
  await Promise.all(open.map((server) => server.close()));
  process.exit(exitCode);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function readArguments(): { port: number; mockPort: number } | undefined {
  const { values } = parseArgs({
    options: { port: { type: 'string' }, 'mock-port': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return undefined;
  return {
    port: readPort('--port', values.port ?? process.env.PORT ?? '8080'),
    mockPort: readPort('--mock-port', values['mock-port'] ?? process.env.MOCK_PORT ?? '8090'),
  };
}

function readPort(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new TypeError(`${name} is ${text}: a port is a number from 0 to 65535.`);
  return port;
}

function explain(error: unknown): string {
  if (error instanceof ContractError) return error.message;
  const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use by another process. Stop it, or choose another port: npm start -- --port 8081 --mock-port 8091`;
  }
  return code?.startsWith('ERR_PARSE_ARGS') ? `${message}\n\n${help}` : message;
}
