import type { Socket } from 'node:net';
import { readNetwork } from './caller-network.ts';

/** Who has one of the connections that there may be at once. */
export interface ConnectionPlaces {
  /** Gives a connection a place. Where all are taken, one that waits gives way, or the newcomer is closed. */
  readonly take: (socket: Socket) => void;
  /** A whole request of it has come. */
  readonly begin: (socket: Socket) => void;
  /** A request of it that had begun has its answer. */
  readonly end: (socket: Socket) => void;
}

/**
 * Bounds connections at once, so that nobody fills them by opening them. A connection waits while it has no whole request under way: nothing was sent,
 * half a request, or the next one after an answer. When there is no place left, the network with most such connections loses that which has waited
 * longest: a caller who opens many pays with its own. As long as there is room nobody loses any, since a proxy has many that wait for good reason, and
 * a burst of callers has no request yet as it arrives.
 *
 * @param most at once, from 1
 * @param dropped told of each connection that is closed for want of a place, before it is
 */
export function createConnectionPlaces(most: number, dropped: () => void): ConnectionPlaces {
  let taken = 0;
  /** Of each connection the requests under way. */
  const underWay = new Map<Socket, number>();
  /** By network, in the order in which they began to wait. */
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
