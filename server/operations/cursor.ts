import { createSeal, sealOverheadBytes } from '../seal.ts';

/** Seals what a cursor holds into opaque text of one account, and opens it again. */
export interface Cursors {
  /** @param content at most 355 bytes, which make 512 characters, the longest cursor of the contract */
  seal(accountId: string, content: Uint8Array): string;
  /** Undefined for any text that this account was not given: forged, cut, changed in a bit, written in another way, of another account. */
  open(accountId: string, text: string): Uint8Array | undefined;
}

/** 355 bytes and the 29 around them are 384, which base64url writes as 512 characters. */
export const longestContentBytes = 384 - sealOverheadBytes;

/**
 * Text is base64url of sealed bytes, under the account's own key.
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
      // Base64 has several texts for the same bytes, and Node reads them all. One cursor has one text.
      return bytes.toString('base64url') === text ? seal.open(accountId, bytes) : undefined;
    },
  };
}
