import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Middleware } from './middleware.ts';

type Context = Parameters<Middleware>[0] | KoaContextWithOIDC;

/** Something to be said on the page that a form leads back to, by GET: so a reload does nothing twice, and going back shows a page. */
export interface NoticeCookie<Notice> {
  put(ctx: Context, path: string, notice: Notice): void;
  /** What was put for this path; once. */
  take(ctx: Context, path: string): Notice | undefined;
}

/** Longer than any redirect takes. Said within the value: a cookie with an end of its own is written to disk, and what was typed is in it. */
const lifetimeMs = 60_000;

/**
 * Notices wait in a signed cookie, since nothing else is kept of whoever has not logged in.
 *
 * @param name apart from other kinds of notices: the signature is of name and value alone
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
