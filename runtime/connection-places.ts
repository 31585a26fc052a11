import type { Socket } from 'node:net';
import { readNetwork } from './caller-network.ts';

/** The open connections, up to a maximum. */
export interface ConnectionPlaces {
  /** Gives a connection a place. If none is left, a waiting connection is closed, or else the new one. */
  readonly take: (socket: Socket) => void;
  /** The connection has received a whole request. */
  readonly begin: (socket: Socket) => void;
  /** A request of the connection was answered. */
  readonly end: (socket: Socket) => void;
}

/**
 * Limits the open connections, so that one client cannot use them all up. A connection is waiting while it has no complete request: before the first,
 * in the middle of one, and after an answer. If no place is left, the network with most waiting connections loses the one that has waited longest, so
 * that a client that opens many loses its own. While there is room no connection is closed: a proxy keeps many open between requests, and clients that
 * connect together have sent nothing yet.
 *
 * @param most open connections, at least 1
 * @param dropped called before a connection is closed for lack of a place
 */
export function createConnectionPlaces(most: number, dropped: () => void): ConnectionPlaces {
  let taken = 0;
  /** Pending requests by connection. */
  const underWay = new Map<Socket, number>();
  /** Waiting connections by network, the longest waiting first. */
  const waiting = new Map<string, Set<Socket>>();
  const networks = new WeakMap<Socket, string>();

  function wait(socket: Socket): void {
    const network = networks.get(socket) ?? '';
    const others = waiting.get(network);
    if (others === undefined) waiting.set(network, new Set([socket]));
    else others.add(socket);
  }

  function stopWaiting(socket: Socket): void {
    const network = networks.get(socket) ?? '';
    const others = waiting.get(network);
    others?.delete(socket);
    if (others?.size === 0) waiting.delete(network);
  }

  function leave(socket: Socket): void {
    if (!underWay.delete(socket)) return;
    taken -= 1;
    stopWaiting(socket);
  }

  function findLongestOfMost(): Socket | undefined {
    let most: ReadonlySet<Socket> = new Set();
    for (const sockets of waiting.values()) if (sockets.size > most.size) most = sockets;
    return most.values().next().value;
  }

  return {
    take(socket) {
      if (taken >= most) {
        const given = findLongestOfMost() ?? socket;
        dropped();
        leave(given);
        given.destroy();
        if (given === socket) return;
      }
      taken += 1;
      underWay.set(socket, 0);
      networks.set(socket, readNetwork(socket.remoteAddress ?? ''));
      wait(socket);
      socket.once('close', () => leave(socket));
    },
    begin(socket) {
      const requests = underWay.get(socket);
      if (requests === undefined) return;
      underWay.set(socket, requests + 1);
      stopWaiting(socket);
    },
    end(socket) {
      const requests = underWay.get(socket);
      if (requests === undefined) return;
      underWay.set(socket, requests - 1);
      if (requests === 1) wait(socket);
    },
  };
}
