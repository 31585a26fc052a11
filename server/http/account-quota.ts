import { Rejection } from '@lockstep/runtime/rejection';
import type { Clock } from '../clock.ts';
import { sayWait, secondsUntil } from '../limits/retry-after.ts';
import { type OpenCounter, openMemoryCounter } from '../limits/window-counter.ts';
import type { Principal } from '../principal.ts';

/** The quota limits the requests in any span of this length. */
export const quotaWindowSeconds = 3600;

/** The quota of one account and client, after this request was counted. */
export interface Quota {
  readonly limit: number;
  readonly accepted: boolean;
  readonly left: number;
  /** Whole seconds until the oldest counted requests leave the window; when none is left, until the next request is accepted. */
  readonly secondsLeft: number;
}

/** Counts a request; undefined without a quota. */
export type CountRequest = (principal: Principal) => Promise<Quota | undefined>;

/**
 * Each client of an account has its own quota, so one client can't use up another's.
 *
 * @param limit requests in any span of the window's length, at least 1
 * @param openCounter in memory, 0.3 µs a request, where one process serves a SQLite file: a synced write took 900, a read 5. There a restart
 *   resets the count, so a client may use two quotas in the hour around it
 */
export function createAccountQuota(limit: number, openCounter: OpenCounter, clock: Clock): CountRequest {
  const counter = openCounter('account-quota', { limit, windowMs: quotaWindowSeconds * 1000, isFrequent: true });
  return async ({ accountId, clientId }) => {
    const now = clock.now();
    // Neither id contains a space.
    const { accepted, left, endsAt } = await counter.take(`${accountId} ${clientId}`, now);
    return { limit, accepted, left, secondsLeft: secondsUntil(endsAt, now) };
  };
}

export function createMemoryQuota(limit: number, clock: Clock): CountRequest {
  return createAccountQuota(limit, openMemoryCounter, clock);
}

/** Requests that were rejected before this check don't count; requests that are rejected after it do. */
export function createQuotaCheck(countRequest: CountRequest) {
  return async (exchange: { readonly principal?: Principal; quota?: Quota | undefined }): Promise<void> => {
    exchange.quota = exchange.principal && (await countRequest(exchange.principal));
    checkQuota(exchange.quota);
  };
}

/** @throws Rejection 429 with an exact `Retry-After`: one second less is too early */
export function checkQuota(quota: Quota | undefined): void {
  if (quota === undefined || quota.accepted) return;
  const text = `The request quota is used up, try again in ${sayWait(quota.secondsLeft)}`;
  throw new Rejection('too_many_requests', { text, headers: { 'Retry-After': String(quota.secondsLeft) } });
}

/** Headers of every answer after the count (IETF draft-ietf-httpapi-ratelimit-headers). */
export function formatQuota(quota: Quota | undefined): Readonly<Record<string, string>> {
  if (quota === undefined) return {};
  const { limit, left, secondsLeft } = quota;
  return {
    'RateLimit-Policy': `"account";q=${limit};w=${quotaWindowSeconds}`,
    RateLimit: `"account";r=${left};t=${secondsLeft}`,
  };
}
