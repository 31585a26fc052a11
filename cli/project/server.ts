// The service: holds every request to the contract and asks the handler of its operation. `npm start` runs it.
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

/** For whoever starts or stops the service, by GET or HEAD. A contract that has this path itself, be it as `/{name}`, answers it instead. */
const health = '/healthz';

/** Longest body that is taken. `x-body-limit` of an operation in the contract says another. */
const bodyLimitBytes = 10 * 1024 * 1024;

/** Makes what answers requests, without a port: a start gives it one, a test another. A logger such as pino fits in place of the console. */
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
    // A schema that means nothing, as one with a broken pattern: the rest is checked. Left out, it keeps the service from starting.
    unchecked: (place) => logger.warn(place, 'is not checked: mend the contract there'),
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
    // SIGINT and SIGTERM: no new connections, what is under way is answered, then the process ends.
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
