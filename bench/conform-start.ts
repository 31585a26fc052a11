import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeContract } from './conform-contract.ts';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';

const rounds = 5;
const main = join(import.meta.dirname, '../conformance/main.ts');

/** Contracts by the number of their operations, with the seconds that each may take on a quiet machine of two cores. */
const contracts = [
  { name: 'ten operations', operations: 10, seconds: 0.3 },
  { name: 'a megabyte', operations: 1500, seconds: 1 },
  { name: 'five megabytes', operations: 7500, seconds: 5 },
] as const;

/** From the start of the process to the moment in which a server sees its first request. */
export const conformStart: Question = {
  asks: 'How long is it from `node` to the first request of the conformance runner, by the size of the contract? The second start.',
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-conform-start-'));
    try {
      const times = Object.fromEntries(contracts.map(({ name }) => [name, [] as number[]]));
      for (const { name, operations } of contracts) {
        await writeFile(join(folder, `${name}.json`), writeContract(operations));
        // One round more than counted: the first fills the compile cache.
        for (let round = 0; round <= rounds; round += 1) {
          progress(`round ${round} of ${rounds}: ${name}`);
          const milliseconds = await timeFirstRequest(join(folder, `${name}.json`));
          if (round > 0) times[name]?.push(milliseconds);
        }
      }
      return {
        rows: Object.entries(times).map(([name, milliseconds]) => ({ name, milliseconds })),
        ratios: contracts.map(({ name, seconds }) => ({
          name: `${name}: time over ${seconds} s`,
          ratio: median(times[name] ?? []) / (seconds * 1000),
          target: 1,
        })),
        versions: await versionsOf(['undici', 'ajv', 'js-yaml'], 'conformance'),
      };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function timeFirstRequest(contract: string): Promise<number> {
  const { promise: asked, resolve } = Promise.withResolvers<number>();
  const server = createServer((_, response) => {
    resolve(performance.now());
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const began = performance.now();
  const args = [main, '--contract', contract, '--base-url', `http://127.0.0.1:${port}`, '--token', 'x'];
  const child = spawn(process.execPath, [...args, '--budget', '1req'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    const at = await Promise.race([asked, ended.then(() => undefined)]);
    if (at === undefined) throw new Error('the runner ended before it asked for anything');
    return at - began;
  } finally {
    child.kill();
    await ended;
    server.closeAllConnections();
    server.close();
  }
}
