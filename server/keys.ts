import type { JWK } from 'jose';

/** The secrets of one deployment, from the key file (0600). They are never in the database or a log. */
export interface Keys {
  /** Private RSA keys with kid, alg, use; the first signs. */
  readonly jwks: { readonly keys: readonly JWK[] };
  /** Keys for the cookies of the OAuth server; the first signs. */
  readonly cookieKeys: readonly string[];
  /** 32 bytes for AES-256-GCM of cursors. */
  readonly cursorKey: Uint8Array;
  /** 32 bytes from which every device's secrets are derived by HKDF, each with its own info string. */
  readonly deviceKey: Uint8Array;
  /** 32 bytes from which the demo clients' secrets are derived, so that every start prints the same. */
  readonly demoKey: Uint8Array;
}
