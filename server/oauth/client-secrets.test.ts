import { describe, expect, test } from 'vitest';
import {
  clientSecretMatches,
  endOfPrevious,
  generateSecret,
  type KeptSecrets,
  rotateSecret,
} from './client-secrets.ts';
import { hashSecret } from './hash-secret.ts';

const now = 1_790_000_000;
const [first, foreign] = [generateSecret(), generateSecret()];
const created: KeptSecrets & { readonly client_name: string } = {
  client_name: 'Acme',
  client_secret: hashSecret(first),
};

describe('a secret that is rotated', () => {
  test.each([
    { overlapSeconds: 3600, later: 0, works: true },
    { overlapSeconds: 3600, later: 3599, works: true },
    { overlapSeconds: 3600, later: 3600, works: false },
    { overlapSeconds: 1, later: 0, works: true },
    { overlapSeconds: 0, later: 0, works: false },
    { overlapSeconds: 0, later: -3600, works: false },
  ])('with an overlap of $overlapSeconds s still works $later s later: $works', ({ overlapSeconds, later, works }) => {
    const { secret, metadata } = rotateSecret(created, { nowSeconds: now, overlapSeconds });
    expect(clientSecretMatches(first, metadata, now + later)).toBe(works);
    expect(endOfPrevious(metadata, now + later)).toBe(works ? now + overlapSeconds : undefined);
    expect(clientSecretMatches(secret, metadata, now + later)).toBe(true);
    expect(clientSecretMatches(foreign, metadata, now + later)).toBe(false);
  });

  test('is one of two at most: a second rotation invalidates the first of three', () => {
    const second = rotateSecret(created, { nowSeconds: now, overlapSeconds: 3600 });
    const third = rotateSecret(second.metadata, { nowSeconds: now + 60, overlapSeconds: 3600 });
    const works = [first, second.secret, third.secret].map((one) => clientSecretMatches(one, third.metadata, now + 60));
    expect(works).toEqual([false, true, true]);
    const fourth = rotateSecret(third.metadata, { nowSeconds: now + 60, overlapSeconds: 0 });
    expect(fourth.metadata).not.toHaveProperty('previous_secret');
  });

  test('is stored as its hash, and all other members stay', () => {
    const { secret, metadata } = rotateSecret(created, { nowSeconds: now, overlapSeconds: 60 });
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(metadata).toEqual({
      client_name: 'Acme',
      client_secret: hashSecret(secret),
      secret_rotated_at: now,
      previous_secret: hashSecret(first),
      previous_secret_until: now + 60,
    });
  });
});

test.each<KeptSecrets>([
  {},
  { client_secret: '' },
  { client_secret: hashSecret(first), previous_secret: hashSecret(foreign) },
  { client_secret: hashSecret(first), previous_secret_until: now + 60 },
])('%j accepts no secret that is not valid', (kept) => {
  const tried = ['', foreign, hashSecret(first), 'undefined'];
  expect(tried.filter((one) => clientSecretMatches(one, kept, now))).toEqual([]);
});
