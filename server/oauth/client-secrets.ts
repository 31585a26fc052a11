import { randomBytes } from 'node:crypto';
import { hashSecret, secretMatches } from './hash-secret.ts';

// A client has one secret, or two during a rotation, so that its operator can change it without an interruption. Both are stored as SHA-256
// in the client's metadata. Times are epoch seconds of the system clock, as those of tokens.

/** The secrets in the metadata of a client. */
export interface KeptSecrets {
  readonly client_secret?: string | undefined;
  /** The previous secret, valid before `previous_secret_until`. */
  readonly previous_secret?: string | undefined;
  readonly previous_secret_until?: number | undefined;
  /** When omitted, the secret is the one of the client's creation. */
  readonly secret_rotated_at?: number | undefined;
}

export const secretProperties = ['previous_secret', 'previous_secret_until', 'secret_rotated_at'] as const;

/** 32 random bytes in base64url, whose alphabet stays the same when form-encoded (RFC 6749, 2.3.1). */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Dummy hash with the length of a stored hash. */
const noSecret = hashSecret(generateSecret());

/**
 * Whether a secret is one of a client's. Two secrets are always compared, so that the time does not reveal a rotation.
 */
export function clientSecretMatches(secret: string, kept: KeptSecrets, nowSeconds: number): boolean {
  const previous = endOfPrevious(kept, nowSeconds) === undefined ? noSecret : kept.previous_secret;
  const [isCurrent, isPrevious] = [secretMatches(secret, kept.client_secret), secretMatches(secret, previous)];
  return isCurrent || isPrevious;
}

/** Expiry of the previous secret, in epoch seconds; undefined if there is none or it has expired. */
export function endOfPrevious(
  { previous_secret, previous_secret_until: until }: KeptSecrets,
  nowSeconds: number,
): number | undefined {
  return previous_secret !== undefined && until !== undefined && until > nowSeconds ? until : undefined;
}

export interface Rotation<Metadata> {
  readonly metadata: Metadata;
  /** Show it once: it can't be read again. */
  readonly secret: string;
}

/**
 * Gives a client a new secret. The current one stays valid for the overlap; an earlier one expires now, so that there are never three.
 *
 * @param overlapSeconds 0: the current one expires now
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
