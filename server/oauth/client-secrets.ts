import { randomBytes } from 'node:crypto';
import { hashSecret, secretMatches } from './hash-secret.ts';

// A client has one secret, and while it goes over to a new one it has two: whoever runs the client can change it without a moment in
// which neither works. Both are kept as SHA-256, in the client's metadata. Times are those of tokens, epoch seconds of the system clock.

/** What the metadata of a client holds of its secrets. */
export interface KeptSecrets {
  readonly client_secret?: string | undefined;
  /** The one before, good while the time is before `previous_secret_until`. */
  readonly previous_secret?: string | undefined;
  readonly previous_secret_until?: number | undefined;
  /** Left out: it is the one that the client was created with. */
  readonly secret_rotated_at?: number | undefined;
}

export const secretProperties = ['previous_secret', 'previous_secret_until', 'secret_rotated_at'] as const;

/** 32 random bytes in base64url, an alphabet in which a client that forgets to form-encode is right too (RFC 6749, 2.3.1). */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash of nothing that anybody knows, of the same length as one that is kept. */
const noSecret = hashSecret(generateSecret());

/**
 * Whether a secret is one of a client's. Both are compared, whether or not there is a second one, so that the time it takes does not
 * say that the client is going over.
 */
export function clientSecretMatches(secret: string, kept: KeptSecrets, nowSeconds: number): boolean {
  const previous = endOfPrevious(kept, nowSeconds) === undefined ? noSecret : kept.previous_secret;
  const [isCurrent, isPrevious] = [secretMatches(secret, kept.client_secret), secretMatches(secret, previous)];
  return isCurrent || isPrevious;
}

/** When the secret before this one ends, in epoch seconds; undefined where there is none, or it has ended. */
export function endOfPrevious(
  { previous_secret, previous_secret_until: until }: KeptSecrets,
  nowSeconds: number,
): number | undefined {
  return previous_secret !== undefined && until !== undefined && until > nowSeconds ? until : undefined;
}

export interface Rotation<Metadata> {
  readonly metadata: Metadata;
  /** To be shown once: nobody can read it again. */
  readonly secret: string;
}

/**
 * Gives a client a new secret. The one that it has stays good for the overlap; the one before that, if there is one, ends now, so that
 * there are never three.
 *
 * @param overlapSeconds 0: the present one ends now
 */
export function rotateSecret<Metadata extends KeptSecrets>(
  { previous_secret: _secret, previous_secret_until: _until, ...metadata }: Metadata,
  { nowSeconds, overlapSeconds }: { readonly nowSeconds: number; readonly overlapSeconds: number },
): Rotation<KeptSecrets & Omit<Metadata, 'previous_secret' | 'previous_secret_until'>> {
  const secret = generateSecret();
  return {
    secret,
    metadata: {
      ...metadata,
      client_secret: hashSecret(secret),
      secret_rotated_at: nowSeconds,
      ...(overlapSeconds > 0 && {
        previous_secret: (metadata as KeptSecrets).client_secret,
        previous_secret_until: nowSeconds + overlapSeconds,
      }),
    },
  };
}
