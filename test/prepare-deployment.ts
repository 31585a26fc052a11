import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runHere } from '../server/commands/fixtures/run-command.ts';

export const root = fileURLToPath(new URL('..', import.meta.url));

export interface Deployment extends AsyncDisposable {
  readonly folder: string;
  /** Environment of `serve`: any free port, keys and database in the folder, each request logged. */
  readonly env: NodeJS.ProcessEnv;
}

/** Keys and a database as an operator makes them, in a folder of their own. Without `DATABASE_URL` it is a SQLite file. */
export async function prepareDeployment(more: Readonly<Record<string, string>> = {}): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'deployment-'));
  const env = {
    ...process.env,
    LOG_LEVEL: 'info',
    PORT: '0',
    LOCKSTEP_KEYS: join(folder, 'keys.json'),
    DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
    ...more,
  };
  await writeFile(join(folder, 'acme.json'), '{"account":{"id":"acme","name":"Acme"}}');
  for (const args of [
    ['keys', 'create'],
    ['import', join(folder, 'acme.json')],
  ]) {
    const { exitCode, stderr } = await runHere(args, { env });
    if (exitCode !== 0) throw new Error(stderr);
  }
  return { folder, env, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** For a process that can't say which port it got. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
