import { createMock, type MockOptions } from './create-mock.ts';
import { defaultLimits, type Listening, type ListenLimits, listen } from './listen.ts';

export interface StartOptions extends MockOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Interface to listen on: `127.0.0.1` for this machine alone. */
  readonly host: string;
  readonly limits?: Partial<ListenLimits>;
}

/**
 * Starts a mock on a port of its own.
 *
 * @returns its origin, and `close()`, which ends within a second whatever callers do
 * @throws Error with `code: 'EADDRINUSE'` when the port is taken; Error when the contract does not compile
 */
export async function startMock({ port, host, limits, ...options }: StartOptions): Promise<Listening> {
  const mock = await createMock(options);
  return listen((request, response) => void mock(request, response), port, host, { ...defaultLimits, ...limits });
}
