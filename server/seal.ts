import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Seals bytes so that whoever reads the database, or is handed the text, learns nothing of them and can't change them. */
export interface Seal {
  /** @param context whom or what it belongs to; opened under another context it is as unreadable as a forgery */
  seal(context: string, content: Uint8Array): Uint8Array;
  /** Undefined for anything that `seal` did not make under this key and context: forged, cut, changed in a bit. */
  open(context: string, sealed: Uint8Array): Uint8Array | undefined;
}

/** First byte: says how the rest is to be read. A new layout gets a new number, and what was sealed before stays readable beside it. */
const version = Uint8Array.of(1);
const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

/** Keys that are kept derived, of each purpose: 32 bytes and some 300 around them, 0.3 MB. Deriving one took 60 of the 70 µs of sealing. */
const keptKeys = 1000;

/** What sealing adds: version, nonce and tag. */
export const sealOverheadBytes = version.length + nonceBytes + tagBytes;

/**
 * Sealed bytes are version, nonce, ciphertext, tag. Each context has a key of its own, by HKDF (RFC 5869): what belongs to
 * another is as unreadable as a forgery, in answer and in work, and the 2^32 random nonces that a GCM key bears
 * (NIST SP 800-38D, 8.3) are counted per context.
 *
 * @param key 32 bytes of the key file
 * @param purpose `lockstep/cursor/v1` and the like: keeps these keys apart from everything else derived from `key`
 * @param randomBytes source of nonces, `randomBytes` of node:crypto
 */
export function createSeal(key: Uint8Array, purpose: string, randomBytes: (size: number) => Uint8Array): Seal {
  // Key objects: whatever prints or copies one meets no key.
  const keys = new LRUCache<string, KeyObject>({ max: keptKeys });
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
        return undefined; // The tag does not fit; GCM has nothing else to say.
      }
    },
  };
}
