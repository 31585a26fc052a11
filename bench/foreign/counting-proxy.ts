import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Match } from './operations.ts';

/** What went through, for a tool that runs to its end. */
export interface Counted {
  readonly requests: number;
  /** By operation, how often each status came; 0 stands for no answer. */
  readonly operations: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** To no operation of the contract: other methods, other paths. */
  readonly elsewhere: number;
}

export interface CountingProxy {
  readonly origin: string;
  readonly counted: () => Counted;
  readonly close: () => Promise<void>;
}

/** The server closes an idle connection when it likes; a fresh one for each request keeps that from looking like a lost answer. */
const agent = new Agent({ keepAlive: false });

/**
 * Stands between a tool and a server, changes nothing, and counts what passes by operation and status: reach and
 * requests are told the same way for every tool. Keeps numbers alone, streams bodies.
 *
 * @param target origin of the server
 */
export async function startCountingProxy(target: URL, match: Match): Promise<CountingProxy> {
  const operations = new Map<string, Map<number, number>>();
  let requests = 0;
  let elsewhere = 0;
  const count = (operation: string | undefined, status: number): void => {
    if (operation === undefined) {
      elsewhere += 1;
      return;
    }
    const statuses = operations.get(operation) ?? new Map<number, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    operations.set(operation, statuses);
  };

  const server = createServer({ maxHeaderSize: 1 << 20, keepAliveTimeout: 600_000, requestTimeout: 0 }, pass);
  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    requests += 1;
    const { method = 'GET', url = '/' } = incoming;
    const operation = match(method, url);
    const onward = request({
      agent,
      host: target.hostname,
      port: target.port,
      method,
      path: url,
      headers: withoutHopByHop(incoming.rawHeaders),
      setHost: false,
    });
    let isCounted = false;
    const settle = (status: number): void => {
      if (!isCounted) count(operation, status);
      isCounted = true;
    };
    onward.on('response', (answer) => {
      settle(answer.statusCode ?? 0);
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutHopByHop(answer.rawHeaders));
      answer.on('error', () => outgoing.destroy()).pipe(outgoing);
    });
    // Lost between proxy and server is lost for the tool too: no status of the proxy's own.
    onward.on('error', () => {
      settle(0);
      incoming.socket.destroy();
    });
    outgoing.on('close', () => onward.destroy());
    incoming.on('error', () => onward.destroy()).pipe(onward);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    counted: () => ({ requests, operations, elsewhere }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** RFC 9110, 7.6.1: those belong to one connection. Order, case and repetition of the rest stay. */
function withoutHopByHop(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (/^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/i.test(name)) continue;
    kept.push(name, rawHeaders[index + 1] ?? '');
  }
  return kept;
}
