import type { RequestListener } from 'node:http';
import { type ListenLimits, listen } from './listen.ts';
import { type Running, throwIfStopping } from './run-until-stopped.ts';

/** `close` accepts no more connections, waits a moment for pending answers, then drops open connections. */
export interface RunningListener extends Running {
  /** Address to call, without trailing slash: `http://localhost:8090`. */
  readonly origin: string;
}

interface StartOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Interface to listen on: `127.0.0.1` for this machine only. */
  readonly host: string;
  readonly limits?: Partial<ListenLimits>;
  /** Cancels the start. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Listens first, then creates the listener, which may need the address. Requests wait until it is created.
 *
 * @throws Error with `code: 'EADDRINUSE'` if the port is taken; errors of `make`; the reason of `stopping`. Nothing is left listening.
 */
export async function startListening(
  { port, host, limits = {}, stopping }: StartOptions,
  make: (origin: string) => RequestListener | Promise<RequestListener>,
): Promise<RunningListener> {
  const { promise: listener, resolve, reject } = Promise.withResolvers<RequestListener>();
  const { port: taken, underWay, close } = await listen(listener, { port, host, limits });
  const origin = `http://${nameHost(host)}:${taken}`;
  try {
    await throwIfStopping(stopping);
    const made = await make(origin);
    await throwIfStopping(stopping);
    resolve(made);
    return { origin, underWay, close };
  } catch (error) {
    reject(error);
    await close();
    throw error;
  }
}

/** Hosts that are shown as `localhost`: that name is usual in contracts, and an address for all interfaces can't be called. */
const localHosts = new Set(['127.0.0.1', '0.0.0.0', '::']);

function nameHost(host: string): string {
  if (localHosts.has(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
