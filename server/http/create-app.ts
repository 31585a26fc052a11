import type { RequestListener } from 'node:http';
import { createRuntime } from '@lockstep/runtime/create-runtime';
import type { Operation } from '@lockstep/runtime/operation';
import { allowCrossOrigin } from './cross-origin.ts';
import type { ServiceExchange } from './exchange.ts';
import { type Mounts, mountService } from './mount-service.ts';
import { type AnyApiHandler, type ApiOptions, planApi } from './plan-api.ts';

export interface AppOptions extends ApiOptions, Mounts {
  /** Origins whose pages may call the API; default none. */
  readonly corsOrigins?: readonly string[] | undefined;
}

/**
 * Builds the service as one request listener: the resource API, `/healthz` and `/readyz`, and the mounted OAuth server and docs.
 *
 * @throws Error when the contract can't be served; see `createRuntime`
 */
export function createApp(options: AppOptions): RequestListener {
  const runtime = createRuntime<Record<string, Operation>, Record<string, AnyApiHandler>, ServiceExchange>(
    planApi(options),
  );
  const origins = options.corsOrigins ?? [];
  return mountService(
    options,
    runtime,
    origins.length > 0 ? allowCrossOrigin({ ...options, origins }) : undefined,
    options.logger,
  );
}
