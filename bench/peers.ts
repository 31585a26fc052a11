import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Child, startChild } from './start-child.ts';

const run = promisify(execFile);

/**
 * Peers and load generators of the benches have an install of their own, so that no `npm ci` of the project brings them. Their code runs in
 * processes of its own: nothing here imports it.
 */
const folder = join(import.meta.dirname, 'peers');

/** The command that installs them. */
export const installPeers = 'npm ci --prefix bench/peers';

export function arePeersInstalled(): boolean {
  return existsSync(join(folder, 'node_modules/.package-lock.json'));
}

export interface Peer extends Child {
  readonly base: string;
}

/** @param file that of `bench/peers` which serves */
export async function startPeer(file: string, options: object): Promise<Peer> {
  const { firstLine: port, ...child } = await startChild(peerLine(file, options));
  return { base: `http://127.0.0.1:${port}/v1`, ...child };
}

export function peerLine(file: string, options: object): readonly string[] {
  return [join(folder, file), JSON.stringify(options)];
}

/** Prism's own command, without its log, which it would spend most of its time on. */
export function prismLine(port: number): readonly string[] {
  const main = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js');
  const contract = join(import.meta.dirname, '../openapi/service.yaml');
  return [main, 'mock', '--verboseLevel', 'silent', '--host', '127.0.0.1', '--port', String(port), contract];
}

/** The options of autocannon that the benches use. */
export interface Load {
  readonly url: string;
  /** Sent one after the other, by each connection from another one on. */
  readonly requests?: readonly { readonly path: string }[];
  readonly method?: 'POST';
  /** Whether each `[<id>]` of the body becomes a new id. */
  readonly idReplacement?: boolean;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly duration: number;
}

/** @returns milliseconds for 1000 requests; anything but 2xx stops the bench */
export async function load(request: Load): Promise<number> {
  const { stdout } = await run(process.execPath, [join(folder, 'load.ts'), JSON.stringify(request)]);
  return Number(stdout);
}
