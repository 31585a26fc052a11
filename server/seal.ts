import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Encrypts and authenticates bytes, so that a reader of the database or of the text can neither read nor change them. */
export interface Seal {
  /** @param context the owner of the content; under another context it can't be opened, like a forgery */
  seal(context: string, content: Uint8Array): Uint8Array;
  /** Undefined for bytes that `seal` did not create under this key and context: forged, truncated, changed in a bit. */
  open(context: string, sealed: Uint8Array): Uint8Array | undefined;
}

/** First byte, the version of the layout. A new layout needs a new number, and must read earlier ones too. */
const version = Uint8Array.of(1);
const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

/** Number of derived keys to cache per purpose: 32 bytes each with an overhead of some 300, 0.3 MB. Deriving one took 60 of the 70 µs of sealing. */
const cachedKeys = 1000;

/** Bytes that sealing adds: version, nonce and tag. */
export const sealOverheadBytes = version.length + nonceBytes + tagBytes;

/**
 * Sealed bytes are version, nonce, ciphertext, tag. Each context has its own key, by HKDF (RFC 5869): content of another context is
 * indistinguishable from a forgery, in answer and in work, and the limit of 2^32 random nonces for a GCM key (NIST SP 800-38D, 8.3) applies
 * per context.
 *
 * @param key 32 bytes of the key file
 * @param purpose `lockstep/cursor/v1`, for example: keeps these keys apart from everything else derived from `key`
 * @param randomBytes source of nonces, `randomBytes` of node:crypto
 */
export function createSeal(key: Uint8Array, purpose: string, randomBytes: (size: number) => Uint8Array): Seal {
  // Key objects, so that printing or copying one reveals no key.
  const keys = new LRUCache<string, KeyObject>({ max: cachedKeys });
  const keyOf = (context: string): KeyObject => {
    const kept = keys.get(context);
    if (kept !== undefined) return kept;
    const derived = createSecretKey(new Uint8Array(hkdfSync('sha256', key, '', `${purpose}/${context}`, 32)));
    keys.set(context, derived);
    return derived;
  };
  return {
    seal(context, content) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, keyOf(context), nonce, { authTagLength: tagBytes }).setAAD(version);
      const sealed = [sealing.update(content), sealing.final()];
      return Buffer.concat([version, nonce, ...sealed, sealing.getAuthTag()]);
    },
    open(context, sealed) {
      if (sealed.length < sealOverheadBytes || sealed[0] !== version[0]) return undefined;
      const nonce = sealed.subarray(version.length, version.length + nonceBytes);
      const opening = createDecipheriv(cipher, keyOf(context), nonce, { authTagLength: tagBytes })
        .setAAD(version)
        .setAuthTag(sealed.subarray(-tagBytes));
      const content = opening.update(sealed.subarray(version.length + nonceBytes, -tagBytes));
      try {
        return Buffer.concat([content, opening.final()]);
      } catch {
        return undefined; // The tag does not match, the only error of GCM.
      }
    },
  };
}
