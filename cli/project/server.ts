// The service: validates every request by the contract and calls the handler of its operation. `npm start` runs it.
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createRuntime, Unservable } from '@lockstep/runtime/create-runtime';
import { explainListen } from '@lockstep/runtime/explain-listen';
import { readTarget } from '@lockstep/runtime/http-message';
import { createRouter } from '@lockstep/runtime/route-request';
import { runUntilStopped } from '@lockstep/runtime/run-until-stopped';
import { startListening } from '@lockstep/runtime/start-listening';
import { type OperationTable, operations } from './generated/operations.gen.ts';
import { handlers } from './handlers.ts';
import { security } from './security.ts';

const contract = JSON.parse(readFileSync(new URL('./generated/contract.gen.json', import.meta.url), 'utf8'));

/** For the program that runs the service, by GET or HEAD. If the contract has this path itself, also as `/{name}`, its operation answers. */
const health = '/healthz';

/** Longest accepted body. `x-body-limit` of an operation in the contract sets another limit. */
const bodyLimitBytes = 10 * 1024 * 1024;

/** Creates the listener for requests; a start and a test open its port. A logger such as pino can replace the console. */
export function createService(logger: Pick<Console, 'error' | 'warn'> = console): RequestListener {
  const { listener } = createRuntime({
    contract,
    operations,
    handlers,
    security,
    logger,
    bodyLimitBytes,
    // An answer that breaks the contract becomes a 500 and a line in the log.
    checkResponses: process.env.NODE_ENV !== 'production',
    // A schema with a fault, such as a broken pattern, is not checked, but the rest is. Without this option it keeps the service from starting.
    unchecked: (place) => logger.warn(place, 'is not checked: fix the contract there'),
  });
  const table: OperationTable = operations;
  const isDeclared = createRouter(Object.values(table)).match(health) !== undefined;
  return (request, response) => {
    const { method, url = '/' } = request;
    const isAsked = (method === 'GET' || method === 'HEAD') && readTarget(url).path === health;
    if (isDeclared || !isAsked) listener(request, response);
    else response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end('ok\n');
  };
}

if (import.meta.main) {
  const host = process.env.HOST || '127.0.0.1';
  const port = Number(process.env.PORT || 8080);
  try {
    // On SIGINT and SIGTERM it accepts no connections, answers requests under way, and exits.
    await runUntilStopped(console, async (stopping) => {
      const running = await startListening({ port, host, stopping }, () => createService());
      console.info(`Listening on ${running.origin}`);
      return running;
    });
  } catch (error) {
    const message = error instanceof Unservable ? error.message : undefined;
    console.error(message ?? explainListen(error, { host, port }, { port: 'PORT=', host: 'HOST=' }) ?? error);
    process.exitCode = 1;
  }
}
