import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import onHeaders from 'on-headers';
import { createConnectionPlaces } from './connection-places.ts';

/** How long callers may take, how much their headers may weigh, and how many there may be. */
export interface ListenLimits {
  /** From the first byte to the end of the headers; then Node itself answers 408 and closes. */
  readonly headersMs: number;
  /** From the first byte to the end of the body; then 408 too. */
  readonly requestMs: number;
  /** Without a byte in either direction, as where a caller takes nothing of its answer; then the connection is cut, after twice that at most. */
  readonly silentMs: number;
  /** How often the first two are looked at. */
  readonly checkMs: number;
  /** How long the rest of a request is still taken, and dropped, behind an answer that did not wait for it. */
  readonly lingerMs: number;
  /** Target, names and values of all headers together; beyond them Node answers 431. */
  readonly headerBytes: number;
  /** Connections at once. For one more, one that waits for a request is closed, or the new one where none does. */
  readonly connections: number;
  /** Time for answers under way when the server stops; then their connections are cut. */
  readonly drainMs: number;
}

/** Node's own 60 and 300 seconds let few slow callers hold many connections, and it waits for ever for one that does not read. */
export const defaultLimits: ListenLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  silentMs: 60_000,
  checkMs: 500,
  lingerMs: 2000,
  headerBytes: 16 * 1024,
  connections: 1000,
  drainMs: 10_000,
};

/**
 * Requests of one connection without an answer. Node starts every request of 64 KiB that it reads before it looks at another connection:
 * 1400 of them held all others for a third of a second. Callers know that a connection may end behind any answer (RFC 9112, 9.3.2).
 */
const mostPipelined = 16;

/** Interval of reports about dropped connections. */
const tellDroppedMs = 60_000;

export interface Listening {
  readonly port: number;
  /** Requests that are being answered. */
  readonly underWay: () => number;
  /** Stops taking connections, lets answers under way finish, and resolves when the last connection is closed. */
  readonly close: () => Promise<Closed>;
}

export interface Closed {
  /** Connections that were still open when the time for answers under way was over. */
  readonly cut: number;
}

interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  readonly limits?: Partial<ListenLimits>;
  /** Reports connections that were closed for lack of a place: the first at once, then those of each minute together. */
  readonly onDropped?: (connections: number) => void;
}

/**
 * Listens for HTTP. An answer that is sent before its request was read closes the connection, and declares it: the rest of the body would
 * be parsed as the next request, or never arrives (RFC 9112, 9.3 and 9.6).
 *
 * @param listener may be yet to come: requests wait for it, and are dropped where it fails
 * @throws Error from the promise: with `code: 'EADDRINUSE'` when the port is taken, `EADDRNOTAVAIL` when the host is empty or of another machine
 */
export function listen(
  listener: RequestListener | Promise<RequestListener>,
  { port, host, limits, onDropped }: ListenOptions,
): Promise<Listening> {
  // Node would listen on every interface: an option that came out empty must not open a server to its network.
  if (host === '')
    return Promise.reject(Object.assign(new Error('empty host'), { syscall: 'listen', code: 'EADDRNOTAVAIL' }));
  const { headersMs, requestMs, silentMs, checkMs, lingerMs, headerBytes, connections, drainMs } = {
    ...defaultLimits,
    ...limits,
  };
  let answer = typeof listener === 'function' ? listener : waitFor(listener, (made) => (answer = made));
  const open = new Set<ServerResponse>();
  const leaving = new WeakSet<Socket>();
  const unanswered = new WeakMap<Socket, number>();
  let isDraining = false;
  const dropped = tellDropped(onDropped);
  const places = createConnectionPlaces(connections, dropped.count);
  const server = createServer(
    {
      // Node refuses from this number of bytes on, counted over target, names and values.
      maxHeaderSize: headerBytes + 1,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
    },
    (request, response) => {
      // After an answer that closes the connection, no request is run: its client could not get the answer.
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
  const telling = setInterval(dropped.tell, checkMs).unref();
  const { promise, resolve, reject } = Promise.withResolvers<Listening>();
  server.once('error', reject);
  server.listen(port, host, () => {
    server.off('error', reject);
    resolve({ port: (server.address() as AddressInfo).port, underWay: () => open.size, close });
  });
  return promise;

  function close(): Promise<Closed> {
    const closed = Promise.withResolvers<Closed>();
    let cut = 0;
    isDraining = true;
    // `server.close` drops connections that are idle now; those that become idle later would hold it until they time out.
    for (const response of open) if (!response.headersSent) response.setHeader('Connection', 'close');
    const cutAll = () =>
      server.getConnections((_, count) => {
        cut = count;
        server.closeAllConnections();
      });
    const timer = setTimeout(cutAll, drainMs);
    server.close(() => {
      clearTimeout(timer);
      clearInterval(telling);
      dropped.tellRest();
      closed.resolve({ cut });
    });
    return closed.promise;
  }
}

/** Who waits goes over the promise; who comes later does not. */
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
 * Closes a connection as RFC 9112, 9.6 wants it: in one direction at first. Were it closed at once, bytes that are still to come would be
 * answered by a reset, which may overtake the answer and take it from its caller.
 */
function linger(request: IncomingMessage, lingerMs: number): void {
  const { socket } = request;
  const closeAtOnce = socket.destroySoon;
  // What Node calls once the answer is written.
  socket.destroySoon = () => {
    if (request.complete) return closeAtOnce.call(socket);
    socket.end();
    request.resume().once('end', () => closeAtOnce.call(socket));
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}

/** Counts connections that were closed for lack of a place. A client that opens thousands must not fill the log too. */
function tellDropped(onDropped: ListenOptions['onDropped']) {
  let count = 0;
  let nextAt = 0;
  const tellRest = (): void => {
    if (count === 0) return;
    onDropped?.(count);
    count = 0;
    nextAt = performance.now() + tellDroppedMs;
  };
  return {
    count: () => {
      count += 1;
    },
    tell: () => {
      if (performance.now() >= nextAt) tellRest();
    },
    tellRest,
  };
}
