import type { RequestListener } from 'node:http';
import { defaultLimits, type Listening, listen } from '@lockstep/runtime/listen';
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
  /** Whether connections are accepted only once the service is built, for one of several processes; needs `publicOrigin`, or a port. */
  readonly listensLast?: boolean;
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
  /** The same if another process has replaced this one: clients keep their idle connections for a while. `close` shortens it. */
  readonly retire: Running['close'];
  /** Address that clients use, without a trailing slash. */
  readonly origin: string;
  /** The port that it listens on. */
  readonly port: number;
}

/**
 * Listens first and then builds the service with the actual port, so that port 0 works: issuer and audience contain the port. Requests in
 * between wait. With `listensLast`, other processes answer them.
 *
 * @throws StoreUnusable when the store belongs to another key file; Error with `code: 'EADDRINUSE'` when the port is in use; errors of
 *   `createService`, and the reason of `stopping`. Then nothing listens, and the store stays open
 */
export async function startService({
  port,
  host,
  publicOrigin,
  listensLast = false,
  maxConnections = defaultLimits.connections,
  habits,
  docs: createDocs,
  stopping,
  ...options
}: StartOptions): Promise<RunningService> {
  await requireOwnKeys(options.store, options.keys);
  await throwIfStopping(stopping);
  const built = Promise.withResolvers<RequestListener>();
  const open = (listener: RequestListener | Promise<RequestListener>): Promise<Listening> =>
    listen(listener, {
      port,
      host,
      limits: { connections: maxConnections },
      onDropped: (connections) =>
        options.logger.warn(
          { connections, maxConnections },
          'all connections were in use, and some were closed for new ones',
        ),
    });
  let listening = listensLast ? undefined : await open(built.promise);
  const origin = publicOrigin ?? `http://localhost:${listening?.port ?? port}`;
  const bridges = startBridges({ ...options, habits });
  try {
    await throwIfStopping(stopping);
    const docs = await createDocs?.(origin);
    const app = createService({ ...options, bridges, origin, ...(docs && { docs }) });
    await throwIfStopping(stopping);
    built.resolve(app);
    listening ??= await open(app);
  } catch (error) {
    if (listening !== undefined) {
      built.reject(error);
      await listening.close();
    }
    await bridges.stop();
    throw error;
  }
  const { underWay, port: ownPort, close: closeListener, retire } = listening;
  const stopPurging = startPurging(options.store, options.logger, { clock: options.clock });
  const closeAll = async () => {
    stopPurging();
    const closed = await closeListener();
    await bridges.stop();
    await options.store.close();
    return closed;
  };
  let closing: ReturnType<typeof closeAll> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  return {
    origin,
    port: ownPort,
    underWay,
    close,
    retire: async () => {
      await retire();
      return close();
    },
  };
}
