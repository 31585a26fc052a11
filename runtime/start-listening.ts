import type { RequestListener } from 'node:http';
import { type ListenLimits, listen } from './listen.ts';
import { type Running, throwIfStopping } from './run-until-stopped.ts';

/** `close` stops taking connections, lets answers under way finish for a moment, then drops whatever is open. */
export interface RunningListener extends Running {
  /** Address to call, without trailing slash: `http://localhost:8090`. */
  readonly origin: string;
}

interface StartOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Interface to listen on: `127.0.0.1` for this machine alone. */
  readonly host: string;
  readonly limits?: Partial<ListenLimits>;
  /** Gives the start up. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Listens first, then makes what answers, which may have to know the address. Requests that come before it is made wait.
 *
 * @throws Error with `code: 'EADDRINUSE'` when the port is taken; what `make` throws, or the reason of `stopping`, with nothing left
 * listening
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

/** Names that a caller on this machine knows as `localhost`, as contracts do; an address for all interfaces is none to call. */
const localHosts = new Set(['127.0.0.1', '0.0.0.0', '::']);

function nameHost(host: string): string {
  if (localHosts.has(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
