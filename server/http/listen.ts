import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long a caller may take, and how much its headers may weigh. Beyond them Node itself answers 408 or 431 and closes. */
export interface ListenLimits {
  /** From the first byte to the end of the headers. */
  readonly headersMs: number;
  /** From the first byte to the end of the body. */
  readonly requestMs: number;
  /** How often the two are looked at. */
  readonly checkMs: number;
  /** Target, names and values of all headers together. */
  readonly headerBytes: number;
  /** Time for answers under way when the server stops; then their connections are cut. */
  readonly drainMs: number;
}

/** Node's own 60 and 300 seconds let few slow callers hold many connections. */
export const defaultLimits: ListenLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 500,
  headerBytes: 16 * 1024,
  drainMs: 10_000,
};

export interface Listening {
  readonly port: number;
  /** Stops taking connections, lets answers under way finish, and resolves when the last connection is closed. */
  readonly close: () => Promise<void>;
}

export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  readonly limits?: Partial<ListenLimits>;
}

/**
 * Listens for HTTP.
 *
 * @throws Error with `code: 'EADDRINUSE'` from the promise when the port is taken
 */
export function listen(listener: RequestListener, { port, host, limits }: ListenOptions): Promise<Listening> {
  const { headersMs, requestMs, checkMs, headerBytes, drainMs } = { ...defaultLimits, ...limits };
  const open = new Set<ServerResponse>();
  let isDraining = false;
  const server = createServer(
    {
      // Node refuses from this number of bytes on, counted over target, names and values.
      maxHeaderSize: headerBytes + 1,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
    },
    (request, response) => {
      open.add(response);
      response.once('close', () => open.delete(response));
      if (isDraining) response.setHeader('Connection', 'close');
      listener(request, response);
    },
  );
  // RFC 9110, 10.1.1 lets a server ignore what it doesn't know in `Expect`. Node's own 417 has neither body nor request id.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  const { promise, resolve, reject } = Promise.withResolvers<Listening>();
  server.once('error', reject);
  server.listen(port, host, () => {
    server.off('error', reject);
    resolve({ port: (server.address() as AddressInfo).port, close });
  });
  return promise;

  function close(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    isDraining = true;
    // `server.close` drops connections that are idle now; those that become idle later would hold it until they time out.
    for (const response of open) if (!response.headersSent) response.setHeader('Connection', 'close');
    const timer = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(timer);
      closed.resolve();
    });
    return closed.promise;
  }
}
