import { listen } from '@lockstep/runtime/listen';
import { type Running, throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import { createMock, type Mock, type MockOptions, type Protection } from './create-mock.ts';

/** `close` stops taking connections, lets answers under way finish for a moment, then drops whatever is open. */
export interface RunningMock extends Running {
  /** Address to call, without trailing slash: `http://localhost:8090`. */
  readonly origin: string;
}

/** Time for answers under way when the mock stops. They take milliseconds; only a stalled caller needs longer. */
const drainMs = 500;

export interface StartOptions extends Omit<MockOptions, 'protection'> {
  /** 0 takes any free port. */
  readonly port: number;
  /** Interface to listen on: `127.0.0.1` for this machine alone. */
  readonly host: string;
  /** What judges credentials, where it must know the address first. */
  readonly protect?: (origin: string) => Promise<Protection>;
  /** Gives the start up. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Starts a mock on a port of its own. Requests that come before it is ready wait.
 *
 * @returns its origin, and `close()`, which ends within a second whatever callers do
 * @throws Error with `code: 'EADDRINUSE'` when the port is taken; Error when the contract does not compile, or the reason of
 * `stopping`, with nothing left listening
 */
export async function startMock({ port, host, protect, stopping, ...options }: StartOptions): Promise<RunningMock> {
  const { promise: ready, resolve } = Promise.withResolvers<Mock>();
  let answer: Mock = (request, response) => void ready.then((mock) => mock(request, response));
  const {
    port: taken,
    underWay,
    close,
  } = await listen((request, response) => answer(request, response), {
    port,
    host,
    limits: { drainMs },
  });
  const origin = `http://${nameHost(host)}:${taken}`;
  try {
    await throwIfStopping(stopping);
    const protection = await protect?.(origin);
    await throwIfStopping(stopping);
    const mock = createMock({ ...options, protection });
    await throwIfStopping(stopping);
    resolve(mock);
    answer = mock;
    return { origin, underWay, close };
  } catch (error) {
    resolve((_, response) => void response.destroy());
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
