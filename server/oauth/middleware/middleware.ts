import type { KoaContextWithOIDC } from 'oidc-provider';

/** One step around oidc-provider. `oidc` exists once one of its routes has matched, so after `next` at the earliest. */
export type Middleware = (
  context: Omit<KoaContextWithOIDC, 'oidc'> & Partial<Pick<KoaContextWithOIDC, 'oidc'>>,
  next: () => Promise<unknown>,
) => Promise<void>;
