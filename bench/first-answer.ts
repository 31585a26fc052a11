import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 5;
const patienceMs = 60_000;

/** Asks until a server answers, whatever the status. @throws Error when there is no answer within a minute, or `giveUp` returns the reason why none will come */
export async function untilAnswered(url: string, giveUp: () => string | undefined = () => undefined): Promise<void> {
  const lastTry = performance.now() + patienceMs;
  while (!(await isAnswered(url))) {
    const reason = giveUp() ?? (performance.now() > lastTry ? 'no answer in a minute' : undefined);
    if (reason !== undefined) throw new Error(`${url}: ${reason}`);
    await delay(pollMs);
  }
}

async function isAnswered(url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  get(url, { agent: false }, (response) => {
    response.resume();
    resolve(true);
  }).on('error', () => resolve(false));
  return promise;
}

/** A port that nobody listened on a moment ago, for servers that don't tell which one they took. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
