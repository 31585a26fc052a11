import type { RequestListener } from 'node:http';
import { defaultLimits, listen } from '@lockstep/runtime/listen';
import { type Running, throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import type { Habits } from './bridge/habits.ts';
import { startBridges } from './bridge/start-bridges.ts';
import { createService, type ServiceOptions } from './create-service.ts';
import { requireOwnKeys } from './require-own-keys.ts';
import { startPurging } from './start-purging.ts';

export interface StartOptions extends Omit<ServiceOptions, 'origin' | 'bridges' | 'docs'> {
  readonly port: number;
  readonly host: string;
  /** When omitted, `http://localhost:` and the actual port. */
  readonly publicOrigin?: string | undefined;
  /** Concurrent connections; 1000 when omitted. */
  readonly maxConnections?: number | undefined;
  /** Faults of simulated devices, by deviceId. */
  readonly habits?: Readonly<Record<string, Habits>> | undefined;
  /** Creates the handler of `/docs`, once the origin is known. */
  readonly docs?: ((origin: string) => Promise<NonNullable<ServiceOptions['docs']>>) | undefined;
  readonly stopping?: AbortSignal | undefined;
}

/** `close` accepts no more connections, finishes requests under way, and closes the store. */
export interface RunningService extends Running {
  /** Address that clients use, without a trailing slash. */
  readonly origin: string;
}

/**
 * Listens first and then builds the service with the actual port, so that port 0 works: issuer and audience contain the port. Requests in
 * between wait.
 *
 * @throws StoreUnusable when the store belongs to another key file; Error with `code: 'EADDRINUSE'` when the port is in use; errors of
 *   `createService`, and the reason of `stopping`. Then nothing listens, and the store stays open
 */
export async function startService({
  port,
  host,
  publicOrigin,
  maxConnections = defaultLimits.connections,
  habits,
  docs: createDocs,
  stopping,
  ...options
}: StartOptions): Promise<RunningService> {
  await requireOwnKeys(options.store, options.keys);
  await throwIfStopping(stopping);
  const { promise: listener, resolve, reject } = Promise.withResolvers<RequestListener>();
  const listening = await listen(listener, {
    port,
    host,
    limits: { connections: maxConnections },
    onDropped: (connections) =>
      options.logger.warn(
        { connections, maxConnections },
        'all connections were in use, and some were closed for new ones',
      ),
  });
  const origin = publicOrigin ?? `http://localhost:${listening.port}`;
  const bridges = startBridges({ ...options, habits });
  try {
    await throwIfStopping(stopping);
    const docs = await createDocs?.(origin);
    const app = createService({ ...options, bridges, origin, ...(docs && { docs }) });
    await throwIfStopping(stopping);
    resolve(app);
  } catch (error) {
    reject(error);
    await listening.close();
    await bridges.stop();
    throw error;
  }
  const stopPurging = startPurging(options.store, options.logger, { clock: options.clock });
  return {
    origin,
    underWay: listening.underWay,
    close: async () => {
      stopPurging();
      const closed = await listening.close();
      await bridges.stop();
      await options.store.close();
      return closed;
    },
  };
}
