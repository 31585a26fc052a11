import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

/** Seals what a cursor holds into opaque text of one account, and opens it again. */
export interface Cursors {
  /** @param content at most 355 bytes, which make 512 characters, the longest cursor of the contract */
  seal(accountId: string, content: Uint8Array): string;
  /** Undefined for any text that this account was not given: forged, cut, changed in a bit, written in another way, of another account. */
  open(accountId: string, text: string): Uint8Array | undefined;
}

/** First byte: says how the rest is to be read. A new layout gets a new number, and old cursors stay readable beside it. */
const version = Uint8Array.of(1);
const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

/** 355 bytes and the 29 around them are 384, which base64url writes as 512 characters. */
export const longestContentBytes = 384 - version.length - nonceBytes - tagBytes;

/**
 * Text is base64url of version, nonce, ciphertext, tag. The key is the account's own, by HKDF (RFC 5869): a cursor of another account is
 * as unreadable as a forged one, in answer and in work, and the 2^32 random nonces that a GCM key bears (NIST SP 800-38D, 8.3) are
 * counted per account.
 *
 * @param key 32 bytes of the key file
 * @param randomBytes source of nonces, `randomBytes` of node:crypto
 */
export function createCursors(key: Uint8Array, randomBytes: (size: number) => Uint8Array): Cursors {
  const keyOf = (accountId: string) =>
    new Uint8Array(hkdfSync('sha256', key, '', `lockstep/cursor/v1/${accountId}`, 32));
  return {
    seal(accountId, content) {
      if (content.length > longestContentBytes) throw new RangeError(`a cursor can't hold ${content.length} bytes`);
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, keyOf(accountId), nonce, { authTagLength: tagBytes }).setAAD(version);
      const sealed = [sealing.update(content), sealing.final()];
      return Buffer.concat([version, nonce, ...sealed, sealing.getAuthTag()]).toString('base64url');
    },
    open(accountId, text) {
      const bytes = Buffer.from(text, 'base64url');
      // Base64 has several texts for the same bytes, and Node reads them all. One cursor has one text.
      if (bytes.toString('base64url') !== text) return undefined;
      if (bytes.length < version.length + nonceBytes + tagBytes || bytes[0] !== version[0]) return undefined;
      const nonce = bytes.subarray(version.length, version.length + nonceBytes);
      const opening = createDecipheriv(cipher, keyOf(accountId), nonce, { authTagLength: tagBytes })
        .setAAD(version)
        .setAuthTag(bytes.subarray(-tagBytes));
      const content = opening.update(bytes.subarray(version.length + nonceBytes, -tagBytes));
      try {
        return Buffer.concat([content, opening.final()]);
      } catch {
        return undefined; // The tag does not fit; GCM has nothing else to say.
      }
    },
  };
}
