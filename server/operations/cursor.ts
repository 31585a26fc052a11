import { createSeal, sealOverheadBytes } from '../seal.ts';

/** Seals the content of a cursor into opaque text for one account, and opens it again. */
export interface Cursors {
  /** @param content at most 355 bytes, for 512 characters, the longest cursor of the contract */
  seal(accountId: string, content: Uint8Array): string;
  /** Undefined for any text that the server did not create for this account: forged, truncated, altered, re-encoded, of another account. */
  open(accountId: string, text: string): Uint8Array | undefined;
}

/** 355 bytes and 29 of the seal are 384 bytes, or 512 characters of base64url. */
export const longestContentBytes = 384 - sealOverheadBytes;

/**
 * The text is base64url of sealed bytes, under the account's own key.
 *
 * @param key 32 bytes of the key file
 * @param randomBytes source of nonces, `randomBytes` of node:crypto
 */
export function createCursors(key: Uint8Array, randomBytes: (size: number) => Uint8Array): Cursors {
  const seal = createSeal(key, 'lockstep/cursor/v1', randomBytes);
  return {
    seal(accountId, content) {
      if (content.length > longestContentBytes) throw new RangeError(`a cursor can't hold ${content.length} bytes`);
      return Buffer.from(seal.seal(accountId, content)).toString('base64url');
    },
    open(accountId, text) {
      const bytes = Buffer.from(text, 'base64url');
      // Node decodes several base64url texts to the same bytes. Only the canonical text is a cursor.
      return bytes.toString('base64url') === text ? seal.open(accountId, bytes) : undefined;
    },
  };
}
