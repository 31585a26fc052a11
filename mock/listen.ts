import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long a caller may take, and how much its headers may weigh. */
export interface ListenLimits {
  /** From the first byte to the end of the headers; then 408. */
  readonly headersMs: number;
  /** From the first byte to the end of the body; then 408. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly idleMs: number;
  /** All headers together; beyond is 431. */
  readonly headerBytes: number;
}

export const defaultLimits: ListenLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 5_000,
  headerBytes: 16 * 1024,
};

export interface Listening {
  /** Address to call, without trailing slash: `http://localhost:8090`. */
  readonly origin: string;
  /** Stops taking connections, lets answers under way finish for a moment, then drops whatever is open. */
  readonly close: () => Promise<void>;
}

/** Time for answers under way when the server stops. They take milliseconds; only a stalled caller needs longer. */
const graceMs = 500;

/**
 * Listens with every bound set that Node leaves wide: a caller that sends slowly, endlessly or nothing at all is cut
 * off, and malformed HTTP is answered by Node itself (400, 408, 431).
 *
 * @param port 0 takes any free port
 * @throws Error with `code: 'EADDRINUSE'` from the promise when the port is taken
 */
export function listen(
  listener: RequestListener,
  port: number,
  host: string,
  limits: ListenLimits = defaultLimits,
): Promise<Listening> {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
    },
    listener,
  );
  const { promise, resolve, reject } = Promise.withResolvers<Listening>();
  server.once('error', reject);
  server.listen(port, host, () => {
    server.off('error', reject);
    const { port: taken } = server.address() as AddressInfo;
    resolve({ origin: `http://${nameHost(host)}:${taken}`, close });
  });
  return promise;

  function close(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      closed.resolve();
    });
    return closed.promise;
  }
}

/** Names that a caller on this machine knows as `localhost`, as contracts do; an address for all interfaces is none to call. */
const localHosts = new Set(['127.0.0.1', '0.0.0.0', '::']);

function nameHost(host: string): string {
  if (localHosts.has(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
