import { type Dispatcher, Pool } from 'undici';
import { describeFailure } from './describe-failure.ts';
import type { Answer, NoAnswer, OutgoingRequest } from './exchange.ts';
import { board, type Flight } from './reused-sockets.ts';

export interface Connection {
  /** Never throws: a missing answer is an answer to report. */
  readonly send: (request: OutgoingRequest) => Promise<Answer | NoAnswer>;
  readonly close: () => Promise<void>;
}

export interface ConnectionOptions {
  /** Until the headers are complete, and between two pieces of the body. */
  readonly timeoutMs: number;
  readonly workers: number;
}

/** An answer beyond this is cut off and reported: nothing that a contract describes is as large. */
const largestBodyBytes = 64 * 1024 * 1024;

/** One pool of keep-alive connections for each origin. Paths go out raw, redirects are not followed. */
export function createConnection({ timeoutMs, workers }: ConnectionOptions): Connection {
  const pools = new Map<string, Pool>();
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connect: { timeout: timeoutMs } };
  const poolFor = (origin: string): Pool => {
    const pool = pools.get(origin) ?? new Pool(origin, { connections: Math.max(workers, 1), ...timeouts });
    pools.set(origin, pool);
    return pool;
  };
  return {
    send: async (request) => {
      const { origin } = new URL(request.base);
      const flight: Flight = { isReused: false };
      const first = await exchange(poolFor(origin), request, flight);
      if (first.kind === 'answer' || first.reason !== 'reset' || !flight.isReused) return first;
      const fresh = new Pool(origin, { connections: 1, ...timeouts });
      try {
        return await exchange(fresh, request, flight);
      } finally {
        await fresh.destroy();
      }
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

async function exchange(pool: Pool, request: OutgoingRequest, flight: Flight): Promise<Answer | NoAnswer> {
  const started = performance.now();
  const took = (): number => performance.now() - started;
  let response: Dispatcher.ResponseData | undefined;
  try {
    response = await board(flight, () => pool.request(optionsOf(request)));
    const body = await readAll(response.body);
    if (body === undefined) return { kind: 'none', reason: 'too-large', says: 'body over 64 MiB', durationMs: took() };
    return { kind: 'answer', status: response.statusCode, headers: headersOf(response), body, durationMs: took() };
  } catch (error) {
    return { kind: 'none', ...describeFailure(error, response !== undefined), durationMs: took() };
  }
}

function optionsOf({ method, base, path, headers, body }: OutgoingRequest): Dispatcher.RequestOptions {
  const prefix = new URL(base).pathname.replace(/\/$/, '');
  return {
    method: method as Dispatcher.HttpMethod,
    path: `${prefix}${path}` || '/',
    headers: headers.flat(),
    body: body ?? null,
    responseHeaders: 'raw',
  };
}

async function readAll(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > largestBodyBytes) {
      body.destroy();
      return undefined;
    }
  }
  return Buffer.concat(chunks);
}

/** With `responseHeaders: 'raw'` undici hands over name, value, name, value as they came. */
function headersOf({ headers }: Dispatcher.ResponseData): Answer['headers'] {
  const raw: unknown = headers;
  const flat = Array.isArray(raw)
    ? raw.map(String)
    : Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), flat[index + 1] ?? ''] as const] : []));
}
