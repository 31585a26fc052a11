import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, inflateSync, constants as zlib } from 'node:zlib';
import type { Match } from './operations.ts';

/** The last exchange of an operation that was answered with a status, for the person who judges. */
export interface Example {
  readonly sent: string;
  readonly sentBody: string;
  readonly answered: string;
}

/** Counts of the exchanges of one operation. */
export interface CountedOperation {
  /** How often each status came; 0 stands for no answer. */
  readonly statuses: Record<number, number>;
  readonly examples: Record<number, Example>;
}

export interface Counted {
  readonly requests: number;
  readonly operations: Readonly<Record<string, CountedOperation>>;
  /** To no operation of the contract: other methods, other paths. */
  readonly elsewhere: number;
}

export interface CountingProxy {
  readonly origin: string;
  readonly counted: () => Counted;
  /** The request in flight, else the last one. */
  readonly underway: () => readonly string[];
  /** While the server is away: refuses connections as it does. */
  readonly suspend: () => Promise<void>;
  readonly resume: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Bytes of a body that an example keeps. */
const mostKept = 1200;

/** The server closes an idle connection when it likes; a fresh one for each request keeps that from looking like a lost answer. */
const agent = new Agent({ keepAlive: false });

/**
 * A proxy between a tool and a server that changes nothing. It counts messages by operation and status, so that reach and
 * requests are measured in the same way for every tool. Streams bodies; keeps numbers, and one example of each kind.
 *
 * @param target origin of the server
 */
export async function startCountingProxy(target: URL, match: Match): Promise<CountingProxy> {
  const operations: Record<string, CountedOperation> = {};
  const underway = new Set<string>();
  let last = '';
  let requests = 0;
  let elsewhere = 0;

  const count = (operation: string | undefined, status: number, example: Example): void => {
    if (operation === undefined) {
      elsewhere += 1;
      return;
    }
    operations[operation] ??= { statuses: {}, examples: {} };
    const { statuses, examples } = operations[operation];
    statuses[status] = (statuses[status] ?? 0) + 1;
    examples[status] = example;
  };

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    requests += 1;
    const { method = 'GET', url = '/' } = incoming;
    const operation = match(method, url);
    last = `${method} ${url.slice(0, 200)}`;
    const name = `${requests} ${last}`;
    underway.add(name);
    const sentBody = keepStart(incoming);
    const onward = request({
      ...{ agent, host: target.hostname, port: target.port, method, path: url, setHost: false },
      headers: withoutHopByHop(incoming.rawHeaders),
    });
    let isCounted = false;
    const settle = (status: number, answered: string): void => {
      if (isCounted) return;
      isCounted = true;
      underway.delete(name);
      const type = incoming.headers['content-type'] ?? '';
      count(operation, status, { sent: `${method} ${url} ${type}`.trim(), sentBody: sentBody(), answered });
    };
    onward.on('response', (answer) => {
      const status = answer.statusCode ?? 0;
      const answerBody = keepStart(answer);
      outgoing.writeHead(status, answer.statusMessage, withoutHopByHop(answer.rawHeaders));
      const done = (): void =>
        settle(status, `${answer.headers['content-type'] ?? ''} ${answerBody(answer.headers['content-encoding'])}`);
      answer.on('end', done);
      answer.on('close', done);
      answer.on('error', () => outgoing.destroy()).pipe(outgoing);
    });
    // Lost between proxy and server is lost for the tool too: no status of the proxy's own.
    onward.on('error', ({ message }) => {
      settle(0, message);
      incoming.socket.destroy();
    });
    outgoing.on('close', () => {
      settle(0, 'the tool hung up before an answer came');
      onward.destroy();
    });
    incoming.on('error', () => onward.destroy()).pipe(onward);
  };

  const server = createServer({ maxHeaderSize: 1 << 20, keepAliveTimeout: 600_000, requestTimeout: 0 }, pass);
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    counted: () => ({ requests, operations, elsewhere }),
    underway: () => (underway.size > 0 ? [...underway] : [last]),
    suspend: close,
    resume: () => (server.listening ? Promise.resolve() : listen(port)),
    close,
  };
}

/** @returns what has come of the body by then, as text */
function keepStart(stream: Readable): (encoding?: string) => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    if (length < mostKept * 8) chunks.push(chunk);
    length += chunk.length;
  });
  return (encoding) => {
    const text = decode(Buffer.concat(chunks), encoding).toString().slice(0, mostKept);
    chunks.length = 0;
    return text;
  };
}

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  try {
    // Cut off it may be: what is there is decoded.
    if (encoding === 'gzip') return gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH });
    if (encoding === 'deflate') return inflateSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH });
    if (encoding === 'br') return brotliDecompressSync(bytes, { finishFlush: zlib.BROTLI_OPERATION_FLUSH });
  } catch {
    return Buffer.from(`(${encoding}, ${bytes.length} bytes)`);
  }
  return bytes;
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
