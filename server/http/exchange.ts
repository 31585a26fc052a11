import { isObject } from '@lockstep/json/json-pointer';
import type { Answer, Exchange } from '@lockstep/runtime/exchange';
import type { Clock } from '../clock.ts';
import type { Principal } from '../principal.ts';
import { formatQuota, type Quota } from './account-quota.ts';
import { formatTrialEnd } from './check-trial.ts';

/** One request to the service. What is known of it goes into its log line. */
export interface ServiceExchange extends Exchange<Principal> {
  /** Of its account and client, once the request has been counted. */
  quota?: Quota | undefined;
  /** What answers where no operation does: `auth`, `docs`. */
  mount?: string;
  /** `code` of the error that was answered. */
  code?: string;
}

/** What every answer says of the request: version, quota and trial. */
export function createAmbient(apiVersion: string, clock: Clock) {
  const always = { 'API-Version': apiVersion, 'Cache-Control': 'no-store' };
  return ({ principal, quota }: ServiceExchange): Readonly<Record<string, string>> => ({
    ...always,
    ...formatQuota(quota),
    ...formatTrialEnd(principal, clock),
  });
}

/** For the log. */
export function keepCode(exchange: ServiceExchange, { status, body }: Answer): void {
  if (status >= 400 && isObject(body) && typeof body.code === 'string') exchange.code = body.code;
}
