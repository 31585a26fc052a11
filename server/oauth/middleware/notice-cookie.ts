import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Middleware } from './middleware.ts';

type Context = Parameters<Middleware>[0] | KoaContextWithOIDC;

/** A notice for the page that follows a form by GET, so that a reload repeats nothing and going back shows a page. */
export interface NoticeCookie<Notice> {
  put(ctx: Context, path: string, notice: Notice): void;
  /** Returns the notice for this path once. */
  take(ctx: Context, path: string): Notice | undefined;
}

/** Longer than a redirect takes. The expiry is inside the value, since browsers write a cookie with an expiry to disk, and this one contains typed text. */
const lifetimeMs = 60_000;

/**
 * Stores notices in a signed cookie, since the server stores nothing for callers without a login.
 *
 * @param name different for each kind of notice, since the signature covers name and value alone
 */
export function createNoticeCookie<Notice extends object>(name: string): NoticeCookie<Notice> {
  const options = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    put(ctx, path, notice) {
      const text = Buffer.from(JSON.stringify({ notice, until: Date.now() + lifetimeMs })).toString('base64url');
      ctx.cookies.set(name, text, { ...options, path });
    },
    take(ctx, path) {
      const text = ctx.cookies.get(name, options);
      if (text === undefined) return undefined;
      ctx.cookies.set(name, null, { ...options, path });
      const { notice, until }: { notice: Notice; until: number } = JSON.parse(
        Buffer.from(text, 'base64url').toString(),
      );
      return until > Date.now() ? notice : undefined;
    },
  };
}
