import { describe, expect, test } from 'vitest';
import type { TokenClaims } from './read-claims.ts';
import { createTokenCache } from './token-cache.ts';

const now = Date.UTC(2026, 11, 1);
const claims: TokenClaims = {
  clientId: 'test',
  scopes: new Set(['serviceapi/get-devices']),
  issuedAt: now / 1000,
  expiresAt: now / 1000 + 86_400,
  subject: { kind: 'own', accountId: 'acc' },
};

describe('the token cache', () => {
  test.each([
    ['at once', 86_400, 0, true],
    ['before five minutes', 86_400, 299_999, true],
    ['after five minutes', 86_400, 300_000, false],
    ['before an earlier end', 60, 59_999, true],
    ['from an earlier end on', 60, 60_000, false],
  ])('knows a token %s', (_, lifetime, later, isKnown) => {
    const cache = createTokenCache();
    cache.set('token', { ...claims, expiresAt: claims.issuedAt + lifetime }, now);
    expect(cache.get('token', now + later) !== undefined).toBe(isKnown);
    expect(cache.size).toBe(isKnown ? 1 : 0);
  });

  test('keeps at most the last 10,000', () => {
    const cache = createTokenCache();
    for (let index = 0; index < 50_000; index += 1) cache.set(`token-${index}`, claims, now);
    expect(cache.size).toBe(10_000);
    expect(cache.get('token-49999', now)).toBe(claims);
    expect(cache.get('token-39999', now)).toBeUndefined();
  });

  test('keeps fewer of large ones', () => {
    const cache = createTokenCache();
    const scopes = new Set(Array.from({ length: 1000 }, (_, index) => `serviceapi/${'x'.repeat(50)}${index}`));
    for (let index = 0; index < 1000; index += 1) cache.set(`token-${index}`, { ...claims, scopes }, now);
    expect(cache.size).toBeLessThan(250);
    expect(cache.size).toBeGreaterThan(50);
  });
});
