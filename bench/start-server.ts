import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startChild } from './start-child.ts';

const run = promisify(execFile);
const main = join(import.meta.dirname, '../server/main.ts');

/** A server on files of its own, as an operator starts it, without a quota. */
export interface BenchServer {
  /** Address of the resource API. */
  readonly base: string;
  readonly token: string;
  readonly close: () => Promise<void>;
}

export interface BenchFiles {
  readonly database: string;
  /** The environment of the server and its commands. */
  readonly env: NodeJS.ProcessEnv;
  /** @param options those of `serve` */
  readonly start: (options?: readonly string[]) => Promise<BenchServer>;
}

/** Makes keys, database, one account with its locks, and a client of it. Nothing runs until `start`. */
export async function prepareServer(
  folder: string,
  deviceIds: readonly string[],
  { database = join(folder, 'bench.sqlite'), port = 0 }: { readonly database?: string; readonly port?: number } = {},
): Promise<BenchFiles> {
  await mkdir(folder, { recursive: true });
  const env = {
    ...process.env,
    PORT: String(port),
    ACCOUNT_QUOTA: '0',
    LOCKSTEP_KEYS: join(folder, 'keys.json'),
    DATABASE_URL: database.startsWith('postgres:') ? database : `sqlite:${database}`,
  };
  const house = { id: '65a000000000000000000001', name: 'House', timezone: 'Europe/Berlin' };
  const devices = deviceIds.map((deviceId) => ({
    deviceId,
    deviceName: `Door ${deviceId}`,
    type: 'Lock',
    properties: [house.id],
    capabilities: { algoPin: true, passagePin: true },
  }));
  const file = join(folder, 'bench.json');
  await writeFile(file, JSON.stringify({ account: { id: 'bench', name: 'Bench' }, properties: [house], devices }));
  await run(process.execPath, [main, 'keys', 'create'], { env });
  await run(process.execPath, [main, 'import', file], { env });
  const create = ['client', 'create', 'bench-own', '--name', 'Bench', '--account', 'bench', '--json'];
  const { secret } = JSON.parse((await run(process.execPath, [main, ...create], { env })).stdout);
  return { database, env, start: (options = []) => start(env, secret, options) };
}

async function start(env: NodeJS.ProcessEnv, secret: string, options: readonly string[]): Promise<BenchServer> {
  const { firstLine, close } = await startChild([main, 'serve', ...options], env);
  try {
    const { origin } = JSON.parse(firstLine);
    const response = await fetch(`${origin}/auth/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`bench-own:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return { base: `${origin}/v1`, token, close };
  } catch (error) {
    await close();
    throw error;
  }
}
