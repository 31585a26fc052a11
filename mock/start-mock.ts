import { createMock, type Mock, type MockOptions } from './create-mock.ts';
import { defaultLimits, type Listening, type ListenLimits, listen } from './listen.ts';

export interface StartOptions extends MockOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Interface to listen on: `127.0.0.1` for this machine alone. */
  readonly host: string;
  readonly limits?: Partial<ListenLimits>;
  /** What judges credentials, where it must know the address first. */
  readonly protect?: (origin: string) => Promise<Pick<MockOptions, 'authenticate' | 'authServer'>>;
}

/**
 * Starts a mock on a port of its own. Requests that come before it is ready wait.
 *
 * @returns its origin, and `close()`, which ends within a second whatever callers do
 * @throws Error with `code: 'EADDRINUSE'` when the port is taken; Error when the contract does not compile, with nothing
 * left listening
 */
export async function startMock({ port, host, limits, protect, ...options }: StartOptions): Promise<Listening> {
  const { promise: ready, resolve } = Promise.withResolvers<Mock>();
  const listening = await listen(
    (request, response) => void ready.then((mock) => mock(request, response)),
    port,
    host,
    {
      ...defaultLimits,
      ...limits,
    },
  );
  try {
    resolve(await createMock({ ...options, ...(await protect?.(listening.origin)) }));
    return listening;
  } catch (error) {
    resolve(async (_, response) => void response.destroy());
    await listening.close();
    throw error;
  }
}
