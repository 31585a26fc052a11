import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * SHA-256 in base64url, as secrets and ids of artifacts are stored. That is enough for 256 random bits, which can't be guessed; a password
 * would need scrypt.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares a secret with a stored hash in constant time: both sides are 43 bytes for any input. */
export function secretMatches(secret: string, kept: string | undefined): boolean {
  const given = Buffer.from(hashSecret(secret));
  const expected = Buffer.from(kept ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
