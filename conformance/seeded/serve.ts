import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../execute/clock.ts';

/** A request that a test server received. */
export interface TestRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Text and buffers are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  /** Octets for the socket instead of an answer; the socket is closed afterwards. */
  readonly raw?: string;
  readonly instead?: 'hang' | 'reset';
  readonly delayMs?: number;
}

export type Handler = (request: TestRequest) => TestAnswer | Promise<TestAnswer>;

export interface Served {
  readonly origin: string;
  /** `GET /books?x=1`, in the order of arrival. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

let skipped = 0;

/** The clock of test servers and of the runs against them, which skip their waits: no test waits for a span of time. */
export const clock: Clock = {
  now: () => performance.now() + skipped,
  wait: (milliseconds) => {
    skipped += milliseconds;
    return Promise.resolve();
  },
};

/** Serves a handler on a loopback port, by default a free one. */
export async function serve(handle: Handler, wanted = 0): Promise<Served> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    void read(request)
      .then(handle)
      .then((answer) => write(response, answer));
  });
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function read(request: IncomingMessage): Promise<TestRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const url = new URL(request.url ?? '/', 'http://host');
  const { method = 'GET', headers } = request;
  return { method, path: url.pathname, query: url.searchParams, headers, body: Buffer.concat(chunks).toString() };
}

async function write(
  response: ServerResponse,
  { status, headers = {}, body, raw, instead, delayMs = 0 }: TestAnswer,
): Promise<void> {
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  const socket = response.socket;
  if (instead === 'hang') return;
  if (instead === 'reset') {
    socket?.resetAndDestroy();
    return;
  }
  if (raw !== undefined) {
    socket?.end(raw);
    return;
  }
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  if (body !== undefined && !isText && headers['content-type'] === undefined)
    response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) if (value !== '') response.setHeader(name, value);
  response.writeHead(status);
  response.end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
}
