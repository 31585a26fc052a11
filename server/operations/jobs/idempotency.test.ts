import { describe, expect, test } from 'vitest';
import { createIdempotency, type RequestMeaning } from './idempotency.ts';
import { readJobType } from './job-types.ts';
import { parseJobData, readJobData } from './read-job-data.ts';

const readKey = createIdempotency(Buffer.alloc(32, 1));
const owner = { accountId: 'harbour', clientId: 'partner' };
const path = { deviceId: 'LK1', bridgeId: 'BR1' };

/** The job that the handler creates from a body. */
function mean(jobType: string | number, jobData?: Parameters<typeof parseJobData>[0]): RequestMeaning {
  const body = { jobType: readJobType(jobType), data: readJobData(parseJobData(jobData)) };
  return { operation: 'createBridgeProxiedJob', path, body };
}

function hash(meaning: RequestMeaning, from = owner) {
  return readKey('k', from, meaning, 0)?.requestHash;
}

const pin = { accessName: 'Cleaner', pin: '1234', pinType: 4 } as const;
const window = { startDate: '2026-12-01T15:00:00+01:00', endDate: '2026-12-04T10:00:00Z' };
const pinText = '{"endDate":"2026-12-04T11:00:00.000+01:00","pinType":4,"startDate":"2026-12-01T14:00:00Z",';

describe('one request', () => {
  test.each([
    { name: 'name and code', a: mean('UNLOCK'), b: mean('2') },
    { name: 'code as text and as a number', a: mean('2'), b: mean(2) },
    { name: 'no data and empty text', a: mean('UNLOCK'), b: mean('UNLOCK', '') },
    { name: 'no data and an empty object', a: mean('UNLOCK'), b: mean(2, {}) },
    { name: 'an empty object and its text', a: mean('UNLOCK', {}), b: mean(2, ' { } ') },
    {
      name: 'object and text, members in another order, times at another offset, blanks around the name',
      a: mean('CREATE_PIN', { ...pin, ...window }),
      b: mean(4, `${pinText} "pin": "1234", "accessName": " Cleaner\\u0020"}`),
    },
  ])('$name', ({ a, b }) => expect(hash(a)).toBe(hash(b)));
});

describe('another request', () => {
  const given = mean('CREATE_PIN', { ...pin, ...window });
  test.each([
    { name: 'another job', other: mean('DELETE_PIN', { pin: '1234' }) },
    { name: 'another PIN', other: mean('CREATE_PIN', { ...pin, ...window, pin: '1235' }) },
    { name: 'a PIN with a 0 before it', other: mean('CREATE_PIN', { ...pin, ...window, pin: '01234' }) },
    { name: 'a minute later', other: mean('CREATE_PIN', { ...pin, ...window, endDate: '2026-12-04T10:01:00Z' }) },
    { name: 'another device', other: { ...given, path: { ...path, deviceId: 'LK2' } } },
    { name: 'device and bridge the other way round', other: { ...given, path: { deviceId: 'BR1', bridgeId: 'LK1' } } },
    { name: 'another operation', other: { ...given, operation: 'createBridgeTargetedJob' } },
  ])('$name', ({ other }) => expect(hash(other)).not.toBe(hash(given)));

  test('another account of the same partner', () => {
    expect(hash(given, { ...owner, accountId: 'meadow' })).not.toBe(hash(given));
  });
});

describe('what is kept of a key', () => {
  const meaning = mean('CREATE_PIN', { ...pin, ...window });
  const kept = readKey('guest-Doe', owner, meaning, 1000);

  test('nothing where none was sent', () => expect(readKey(undefined, owner, meaning, 0)).toBeNull());

  test('it lasts 24 hours', () => expect(kept?.keepUntil).toBe(1000 + 86_400_000));

  test('a hash of it, that of one client is not that of another', () => {
    expect(kept?.keyHash).toMatch(/^[\w-]{43}$/);
    expect(readKey('guest-Doe', { ...owner, clientId: 'other' }, meaning, 0)?.keyHash).not.toBe(kept?.keyHash);
    expect(readKey('guest-doe', owner, meaning, 0)?.keyHash).not.toBe(kept?.keyHash);
  });

  test('neither the key nor the digits, and nothing that another key file makes too', () => {
    const text = JSON.stringify(kept);
    for (const secret of ['guest', 'Doe', '1234', 'Cleaner']) expect(text).not.toContain(secret);
    expect(createIdempotency(Buffer.alloc(32, 2))('guest-Doe', owner, meaning, 1000)?.requestHash).not.toBe(
      kept?.requestHash,
    );
  });
});
