import { throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import { type RunningListener, startListening } from '@lockstep/runtime/start-listening';
import { type ControlledMockOptions, createControlledMock } from './control/create-controlled-mock.ts';
import { createMock, type MockedService, type MockOptions } from './create-mock.ts';

/** Time for pending answers when the mock stops. They take milliseconds; only a stalled client needs longer. */
const drainMs = 500;

export interface ContractMockOptions extends Omit<MockOptions, 'service'> {
  /** 0 for any free port. */
  readonly port: number;
  /** Interface to listen on: `127.0.0.1` for this machine only. */
  readonly host: string;
  /** Creates the service behind the mock, if that must know the address first. */
  readonly serve?: (origin: string) => Promise<MockedService>;
  /** Keeps items, with a control and worlds. Without it, every answer is the documented one, unless a service answers. */
  readonly state?: Pick<ControlledMockOptions, 'seed' | 'worlds' | 'control'> | undefined;
  /** Cancels the start. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Starts the mock of a contract on its own port. Requests wait until it is ready.
 *
 * @returns its origin, and `close()`, which resolves within a second whatever clients do
 * @throws Error with `code: 'EADDRINUSE'` if the port is in use; Error if the contract does not compile; the reason of `stopping`.
 * Nothing is left listening.
 */
export function startContractMock({
  port,
  host,
  serve,
  state,
  stopping,
  ...options
}: ContractMockOptions): Promise<RunningListener> {
  return startListening({ port, host, limits: { drainMs }, stopping }, async (origin) => {
    const service = await serve?.(origin);
    await throwIfStopping(stopping);
    return state === undefined
      ? createMock({ ...options, service }).listener
      : createControlledMock({ ...options, ...state, origin }).listener;
  });
}
