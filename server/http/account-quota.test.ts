import { Rejection } from '@lockstep/runtime/rejection';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkQuota, createMemoryQuota, formatQuota, quotaWindowSeconds } from './account-quota.ts';

const start = Date.UTC(2026, 10, 21, 8);
const who = { accountId: 'acme', clientId: 'acme-own', trialEndsAt: null };

function createQuotaAt(limit: number) {
  let now = start;
  const count = createMemoryQuota(limit, { now: () => now });
  return {
    count,
    wait(ms: number) {
      now += ms;
    },
  };
}

function rejectionOf(check: () => void): Rejection | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}

describe('Retry-After of account_quota', () => {
  test('is exact: waiting so long succeeds, a second less does not', async () => {
    const plan = fc.array(fc.integer({ min: 0, max: 1_500_000 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), plan, async (limit, pauses) => {
        const { wait, count } = createQuotaAt(limit);
        for (const pause of pauses) {
          wait(pause);
          const rejected = await attempt(count);
          if (rejected === undefined) continue;
          const seconds = Number(rejected.headers['Retry-After']);
          expect(seconds).toBeGreaterThanOrEqual(1);
          expect(seconds).toBeLessThanOrEqual(quotaWindowSeconds);
          wait((seconds - 1) * 1000);
          expect(await attempt(count)).toBeDefined();
          wait(1000);
          expect(await attempt(count)).toBeUndefined();
        }
      }),
    );
  });

  test('is said in the text, and what is left in RateLimit', async () => {
    const { wait, count } = createQuotaAt(1);
    expect(formatQuota(await count(who))).toEqual({
      'RateLimit-Policy': '"account";q=1;w=3600',
      RateLimit: '"account";r=0;t=3600',
    });
    wait(3_583_001);
    const quota = await count(who);
    expect(formatQuota(quota).RateLimit).toBe('"account";r=0;t=17');
    expect(rejectionOf(() => checkQuota(quota))).toMatchObject({
      kind: 'too_many_requests',
      headers: { 'Retry-After': '17' },
      message: 'The request quota is used up, try again in 17 seconds',
    });
  });
});

test('a quota is one account and client, not one of the two', async () => {
  const { count } = createQuotaAt(1);
  const people = [
    who,
    { ...who, clientId: 'partner' },
    { ...who, accountId: 'other', clientId: 'partner' },
    // The same letters one after the other.
    { ...who, accountId: 'a', clientId: 'bc' },
    { ...who, accountId: 'ab', clientId: 'c' },
  ];
  for (const one of people) expect(await count(one)).toMatchObject({ accepted: true, left: 0 });
  for (const one of people) expect(await count(one)).toMatchObject({ accepted: false });
});

test('nothing is said where no quota is on', () => {
  expect(formatQuota(undefined)).toEqual({});
  expect(() => checkQuota(undefined)).not.toThrow();
});

type Count = ReturnType<typeof createQuotaAt>['count'];

async function attempt(count: Count): Promise<Rejection | undefined> {
  const quota = await count(who);
  return rejectionOf(() => checkQuota(quota));
}
