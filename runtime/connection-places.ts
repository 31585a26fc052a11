import type { Socket } from 'node:net';
import { readNetwork } from './caller-network.ts';

/** The connections that are open, of as many as may be at once. */
export interface ConnectionPlaces {
  /** Gives a connection a place. Where all are taken, one that waits gives way, or the newcomer is closed. */
  readonly take: (socket: Socket) => void;
  /** A whole request has come on the connection. */
  readonly begin: (socket: Socket) => void;
  /** A request that had begun has its answer. */
  readonly end: (socket: Socket) => void;
}

/**
 * Bounds the connections at once, so that one caller cannot use them all up. A connection waits while no whole request is under way on it: before the
 * first, in the middle of one, and after an answer. When there is no place left, the network with most waiting connections loses the one that has
 * waited longest, so that a caller who opens many loses its own. While there is room no connection is closed: a proxy keeps many open between requests,
 * and callers that arrive together have sent nothing yet.
 *
 * @param most at once, from 1
 * @param dropped called before a connection is closed for want of a place
 */
export function createConnectionPlaces(most: number, dropped: () => void): ConnectionPlaces {
  let taken = 0;
  /** Requests under way, by connection. */
  const underWay = new Map<Socket, number>();
  /** Connections that wait, by network, the longest first. */
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
