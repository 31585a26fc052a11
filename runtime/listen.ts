import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import onHeaders from 'on-headers';
import { createConnectionPlaces } from './connection-places.ts';

/** Limits of times, header size and connections. Times are in milliseconds. */
export interface ListenLimits {
  /** From the first byte to the end of the headers; then Node answers 408 and closes the connection. */
  readonly headersMs: number;
  /** From the first byte to the end of the body; then Node answers 408 too. */
  readonly requestMs: number;
  /** Time without a byte in either direction, as with a client that does not read; then the connection is cut, after twice the time at most. */
  readonly silentMs: number;
  /** Interval at which Node checks `headersMs` and `requestMs`. */
  readonly checkMs: number;
  /** If an answer was sent before its request was complete: how long the rest of the request is read and dropped. */
  readonly lingerMs: number;
  /** Maximum bytes of the target and all header names and values together; for more, Node answers 431. */
  readonly headerBytes: number;
  /** Maximum of open connections. For one more, a connection that waits for a request is closed; if none waits, the new one is. */
  readonly connections: number;
  /** Time for pending answers when the server stops; then their connections are cut. */
  readonly drainMs: number;
  /** The same if another process has replaced this one: time for pending answers and for idle connections. */
  readonly retireMs: number;
}

/** Node's defaults of 60 and 300 seconds let few slow clients hold many connections, and it waits endlessly for one that does not read. */
export const defaultLimits: ListenLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  silentMs: 60_000,
  checkMs: 500,
  lingerMs: 2000,
  headerBytes: 16 * 1024,
  connections: 1000,
  drainMs: 10_000,
  // More than a request may take: `requestMs`, and the wait for a turn at a login.
  retireMs: 60_000,
};

/**
 * Requests of one connection without an answer. Node starts every request of 64 KiB that it reads before it looks at another connection:
 * 1400 of them delayed all others by a third of a second. Clients expect that any answer may close a connection (RFC 9112, 9.3.2).
 */
const mostPipelined = 16;

/** Interval of reports about dropped connections. */
const reportDroppedMs = 60_000;

export interface Listening {
  readonly port: number;
  /** Number of pending requests. */
  readonly underWay: () => number;
  /** Accepts no more connections, waits for pending answers, and resolves when the last connection is closed. */
  readonly close: () => Promise<Closed>;
  /**
   * The same when another process has replaced this one on its port, so that no client loses a request. A client may send its next request at
   * the moment when the server closes an idle connection. So an idle connection stays open until its next answer, which has
   * `Connection: close`, or until Node closes it, later than `Keep-Alive` announces. `close` closes idle connections in the meantime.
   */
  readonly retire: () => Promise<Closed>;
}

export interface Closed {
  /** Number of connections that were still open after `drainMs` or `retireMs`. */
  readonly cut: number;
}

interface ListenOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly host: string;
  readonly limits?: Partial<ListenLimits>;
  /** Reports connections that were closed for lack of a place: the first at once, then those of each minute together. */
  readonly onDropped?: (connections: number) => void;
}

/**
 * Listens for HTTP. An answer that is sent before its request is complete has `Connection: close`: the rest of the body would be parsed as
 * the next request, or never arrives (RFC 9112, 9.3 and 9.6).
 *
 * @param listener requests wait for a promise, and are dropped if it rejects
 * @throws Error with `code: 'EADDRINUSE'` if the port is in use, `EADDRNOTAVAIL` if the host is empty or of another machine
 */
export function listen(
  listener: RequestListener | Promise<RequestListener>,
  { port, host, limits, onDropped }: ListenOptions,
): Promise<Listening> {
  // For an empty host Node would listen on every interface: an empty variable must not expose the server.
  if (host === '')
    return Promise.reject(Object.assign(new Error('empty host'), { syscall: 'listen', code: 'EADDRNOTAVAIL' }));
  const { headersMs, requestMs, silentMs, checkMs, lingerMs, headerBytes, connections, drainMs, retireMs } = {
    ...defaultLimits,
    ...limits,
  };
  let answer = typeof listener === 'function' ? listener : waitFor(listener, (made) => (answer = made));
  const open = new Set<ServerResponse>();
  const leaving = new WeakSet<Socket>();
  const unanswered = new WeakMap<Socket, number>();
  let isDraining = false;
  const dropped = countDropped(onDropped);
  const places = createConnectionPlaces(connections, dropped.count);
  const server = createServer(
    {
      // Node rejects a request with exactly this number of bytes too.
      maxHeaderSize: headerBytes + 1,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
    },
    (request, response) => {
      // A request after the answer that closes the connection is ignored: its client could not get an answer.
      if (leaving.has(request.socket)) return;
      const { socket } = request;
      open.add(response);
      const pipelined = (unanswered.get(socket) ?? 0) + 1;
      unanswered.set(socket, pipelined);
      let hasBegun = false;
      const begin = (): void => {
        hasBegun = open.has(response);
        if (hasBegun) places.begin(socket);
      };
      response.once('close', () => {
        open.delete(response);
        unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
        if (hasBegun) places.end(socket);
      });
      if (isDraining || pipelined === mostPipelined) response.setHeader('Connection', 'close');
      if (pipelined === mostPipelined) leaving.add(socket);
      if (!hasBody(request)) begin();
      else {
        request.once('end', begin);
        onHeaders(response, () => {
          if (request.complete) return;
          response.setHeader('Connection', 'close');
          leaving.add(socket);
          linger(request, lingerMs);
        });
      }
      answer(request, response);
    },
  );
  server.on('connection', places.take);
  server.timeout = silentMs;
  // RFC 9110, 10.1.1 lets a server ignore what it doesn't know in `Expect`. Node's own 417 has neither body nor request id.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  const reporting = setInterval(dropped.reportIfDue, checkMs).unref();
  const { promise, resolve, reject } = Promise.withResolvers<Listening>();
  const closed = Promise.withResolvers<Closed>();
  let cut = 0;
  let cutting: NodeJS.Timeout | undefined;
  server.once('close', () => {
    clearTimeout(cutting);
    clearInterval(reporting);
    dropped.report();
    closed.resolve({ cut });
  });
  server.once('error', reject);
  server.listen(port, host, () => {
    server.off('error', reject);
    resolve({ port: (server.address() as AddressInfo).port, underWay: () => open.size, close, retire });
  });
  return promise;

  function close(): Promise<Closed> {
    drain(drainMs);
    // It closes connections that are idle now; those that become idle later would hold it until they time out.
    server.close();
    return closed.promise;
  }

  function retire(): Promise<Closed> {
    drain(retireMs);
    // The method of the HTTP server closes idle connections too.
    NetServer.prototype.close.call(server);
    return closed.promise;
  }

  function drain(patienceMs: number): void {
    isDraining = true;
    for (const response of open) if (!response.headersSent) response.setHeader('Connection', 'close');
    clearTimeout(cutting);
    cutting = setTimeout(() => {
      server.getConnections((_, count) => {
        cut = count;
        server.closeAllConnections();
      });
    }, patienceMs);
  }
}

/** Early requests wait for the promise. `come` gets the listener, so that later requests call it directly. */
function waitFor(coming: Promise<RequestListener>, come: (made: RequestListener) => void): RequestListener {
  const ready = coming.catch((): RequestListener => (_, response) => void response.destroy());
  void ready.then(come);
  return (request, response) => void ready.then((made) => made(request, response));
}

/** @see RFC 9112, 6.3: a request without either of the two has no body */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Closes a connection in the direction of the answer first (RFC 9112, 9.6). If both were closed at once, further bytes of the client would
 * cause a reset, and the client might lose the answer.
 */
function linger(request: IncomingMessage, lingerMs: number): void {
  const { socket } = request;
  const closeAtOnce = socket.destroySoon;
  // Node calls this function after it has written the answer.
  socket.destroySoon = () => {
    if (request.complete) return closeAtOnce.call(socket);
    socket.end();
    request.resume().once('end', () => closeAtOnce.call(socket));
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}

/** Counts connections that were closed for lack of a place. A client that opens thousands must not fill the log too. */
function countDropped(onDropped: ListenOptions['onDropped']) {
  let count = 0;
  let nextAt = 0;
  const report = (): void => {
    if (count === 0) return;
    onDropped?.(count);
    count = 0;
    nextAt = performance.now() + reportDroppedMs;
  };
  return {
    count: () => {
      count += 1;
    },
    reportIfDue: () => {
      if (performance.now() >= nextAt) report();
    },
    report,
  };
}
