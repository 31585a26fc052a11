import { subscribe } from 'node:diagnostics_channel';

/**
 * Tells whether a request went over a connection that had carried another one before: a server may close an idle
 * connection at any time, and only then a reset is nobody's fault (RFC 9112, 9.3.1). Undici says so on its channels alone.
 */
export interface Flight {
  isReused: boolean;
}

const usedSockets = new WeakSet<object>();
const flights = new WeakMap<object, Flight>();
let boarding: Flight | undefined;

subscribe('undici:request:create', (message) => {
  if (boarding !== undefined && hasParts(message, 'request')) flights.set(message.request, boarding);
});

subscribe('undici:client:sendHeaders', (message) => {
  if (!hasParts(message, 'request') || !hasParts(message, 'socket')) return;
  const flight = flights.get(message.request);
  if (flight !== undefined) flight.isReused = usedSockets.has(message.socket);
  usedSockets.add(message.socket);
});

/** Runs `dispatch`, which hands its request to undici before it returns, and follows that request. */
export function board<T>(flight: Flight, dispatch: () => T): T {
  boarding = flight;
  try {
    return dispatch();
  } finally {
    boarding = undefined;
  }
}

function hasParts<Name extends string>(message: unknown, name: Name): message is Record<Name, object> {
  return typeof message === 'object' && message !== null && name in message;
}
