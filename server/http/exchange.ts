import { isObject } from '@lockstep/json/json-pointer';
import type { Answer, Exchange } from '@lockstep/runtime/exchange';
import type { Clock } from '../clock.ts';
import type { Principal } from '../principal.ts';
import { formatQuota, type Quota } from './account-quota.ts';
import { formatTrialEnd } from './check-trial.ts';

/** One request to the service, with the members that its log line needs. */
export interface ServiceExchange extends Exchange<Principal> {
  /** Quota of the request's account and client, once the request has been counted. */
  quota?: Quota | undefined;
  /** The part that answers outside the resource API: `auth`, `docs`. */
  mount?: string;
  /** `code` of an error answer. */
  code?: string;
}

/** Headers of every answer: version, quota and trial. */
export function createAmbient(apiVersion: string, clock: Clock) {
  const always = { 'API-Version': apiVersion, 'Cache-Control': 'no-store' };
  return ({ principal, quota }: ServiceExchange): Readonly<Record<string, string>> => ({
    ...always,
    ...formatQuota(quota),
    ...formatTrialEnd(principal, clock),
  });
}

/** Keeps the error code for the log. */
export function keepCode(exchange: ServiceExchange, { status, body }: Answer): void {
  if (status >= 400 && isObject(body) && typeof body.code === 'string') exchange.code = body.code;
}
