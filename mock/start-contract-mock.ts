import { throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import { type RunningListener, startListening } from '@lockstep/runtime/start-listening';
import { createMock, type MockedService, type MockOptions } from './create-mock.ts';

/** Time for answers under way when the mock stops. They take milliseconds; only a stalled caller needs longer. */
const drainMs = 500;

export interface ContractMockOptions extends Omit<MockOptions, 'service'> {
  /** 0 takes any free port. */
  readonly port: number;
  /** Interface to listen on: `127.0.0.1` for this machine alone. */
  readonly host: string;
  /** What stands behind it, where it must know the address first. */
  readonly serve?: (origin: string) => Promise<MockedService>;
  /** Gives the start up. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Starts the mock of a contract on a port of its own. Requests that come before it is ready wait.
 *
 * @returns its origin, and `close()`, which ends within a second whatever callers do
 * @throws Error with `code: 'EADDRINUSE'` when the port is taken; Error when the contract does not compile, or the reason of
 * `stopping`, with nothing left listening
 */
export function startContractMock({
  port,
  host,
  serve,
  stopping,
  ...options
}: ContractMockOptions): Promise<RunningListener> {
  return startListening({ port, host, limits: { drainMs }, stopping }, async (origin) => {
    const service = await serve?.(origin);
    await throwIfStopping(stopping);
    return createMock({ ...options, service }).listener;
  });
}
