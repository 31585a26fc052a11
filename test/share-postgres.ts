// Set up before the integration lane: PostgreSQL servers for all its tests. A server starts when the first test asks for it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type Release, startPostgres } from '../server/store/postgres/fixtures/start-postgres.ts';

/** Both packages exit with 0 when the process has nothing left to do, whatever Vitest has set: failed tests would pass in CI. */
function keepExitCode(): void {
  let exitCode: typeof process.exitCode;
  process.prependListener('beforeExit', () => {
    exitCode = process.exitCode;
  });
  process.on('exit', () => {
    process.exitCode = exitCode ?? process.exitCode;
  });
}

/** Workers are other processes, so they ask over HTTP: `GET /18` answers the URL of that server. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  keepExitCode();
  const servers = new Map<string, Promise<{ readonly url: string; readonly stop: () => Promise<void> }>>();
  const listener = createServer(async ({ url = '' }, response) => {
    const release = url.slice(1) as Release;
    const server = servers.get(release) ?? startPostgres(release);
    servers.set(release, server);
    // A worker may ask again just when the listener closes a connection that was idle, and would get no answer.
    response.setHeader('Connection', 'close');
    await server.then(
      (started) => response.end(started.url),
      (error) => response.writeHead(500).end(`${error}`),
    );
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  provide('postgresServers', `http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
  return async () => {
    listener.close();
    for (const server of servers.values()) await server.then(({ stop }) => stop());
  };
}
