import { describe, expect, test } from 'vitest';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { callRoles, quotaEarly, quotaUnenforced, retryAfterLie } from './rate-limits.ts';
import { type StoryCheck, storyIn } from './story.ts';

const { call, quiet, again } = callRoles;
const quota = { code: 'busy', limit: 2, window: 'PT60S', per: 'account' };

/** A call: its role, its status, and the code or the pause of a 429. */
type Given = readonly [role: string, status: number, code?: string, pause?: string, atMs?: number];

function judge(check: StoryCheck, calls: readonly Given[], declared: object | undefined = quota) {
  const responses = { 200: { description: '' }, 429: { description: '' } };
  const contract = contractOf({
    '/jobs': { get: { operationId: 'list', responses, ...(declared && { 'x-quota': declared }) } },
  });
  const exchanges = calls.map(([role, status, code = 'busy', pause = '1', atMs = 0]) => ({
    ...exchangeOf(contract, {
      ...{ status, body: JSON.stringify({ error: { code } }) },
      headers: { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': pause }) },
      intent: { probe: { checks: [], name: '', operation: '', role } },
    }),
    atMs,
  }));
  const found = check.find(storyIn(exchanges, 0), contextOf(contract));
  return found?.map(({ failure: { severity, keyword } }) => [severity, keyword]);
}

describe('quota-unenforced', () => {
  test.each<readonly [string, readonly Given[], unknown]>([
    [
      'one call too many',
      [
        [call, 200],
        [call, 200],
        [call, 200],
      ],
      [['defect', 'limit']],
    ],
    [
      'a rejected call after the limit',
      [
        [call, 200],
        [call, 200],
        [call, 429],
      ],
      [],
    ],
    [
      'calls that lasted longer than the window',
      [
        [call, 200],
        [call, 200],
        [call, 200, '', '', 60_000],
      ],
      undefined,
    ],
    [
      'another rejection',
      [
        [call, 200],
        [call, 409],
      ],
      undefined,
    ],
    [
      'a budget that ended before',
      [
        [call, 200],
        [call, 200],
      ],
      undefined,
    ],
  ])('%s', (_, calls, expected) => expect(judge(quotaUnenforced, calls)).toEqual(expected));
});

describe('quota-early', () => {
  test.each<readonly [string, readonly Given[], unknown]>([
    [
      'a rejected call before the limit',
      [
        [quiet, 200],
        [quiet, 429],
      ],
      [['suspect', 'early']],
    ],
    [
      'the same without a quiet window before',
      [
        [call, 200],
        [call, 429],
      ],
      undefined,
    ],
    [
      'another limit',
      [
        [quiet, 200],
        [quiet, 429, 'queue-full'],
      ],
      undefined,
    ],
    [
      'a rejected call after the limit',
      [
        [quiet, 200],
        [quiet, 200],
        [quiet, 429],
      ],
      [],
    ],
  ])('%s', (_, calls, expected) => expect(judge(quotaEarly, calls)).toEqual(expected));
});

describe('retry-after-lie', () => {
  const used: readonly Given[] = [
    [call, 200],
    [call, 200],
    [call, 429],
  ];
  test.each<readonly [string, readonly Given[], unknown]>([
    ['two rejections after the pause', [...used, [again, 429], [again, 429]], [['defect', 'retry-after']]],
    [
      'the same by a quota that others use',
      [
        [call, 429],
        [again, 429],
        [again, 429],
      ],
      [['suspect', 'retry-after']],
    ],
    ['one rejection after the pause', [...used, [again, 429], [again, 200]], []],
    ['another limit', [...used, [again, 429], [again, 429, 'queue-full']], undefined],
    ['no pause that the run waits for', used, undefined],
    ['another failure after the pause', [...used, [again, 500]], []],
  ])('%s', (_, calls, expected) => expect(judge(retryAfterLie, calls)).toEqual(expected));
  test('of a limit without a quota is inconclusive', () =>
    expect(
      judge(
        retryAfterLie,
        [
          [call, 429],
          [again, 429],
          [again, 429],
        ],
        {},
      ),
    ).toEqual([['suspect', 'retry-after']]));
});
