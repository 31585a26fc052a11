import { randomBytes } from 'node:crypto';
import { emailKey } from '../../store/records.ts';
import { hashSecret } from '../hash-secret.ts';
import type { Middleware } from './middleware.ts';

type Context = Parameters<Middleware>[0];

/** As long as a consent holds. */
const lifetimeMs = 365 * 86_400_000;
const name = '_known';

/**
 * Remembers browsers in which an owner has logged in, so that those who guess at the owner elsewhere do not slow the owner down there
 * (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). It opens nothing: it says whose e-mail has been right here before.
 */
export function createKnownBrowsers(base: string) {
  const options = { httpOnly: true, sameSite: 'lax', signed: true, path: base === '' ? '/' : base } as const;
  const markOf = (email: string): string => hashSecret(emailKey(email.trim()));
  return {
    /** @returns a name of this browser, where it is one of this e-mail */
    find(ctx: Context, email: string): string | undefined {
      const kept = ctx.cookies.get(name, options);
      const mark = markOf(email);
      return kept?.startsWith(mark) ? kept.slice(mark.length) : undefined;
    },
    remember(ctx: Context, email: string): void {
      const browser = randomBytes(16).toString('base64url');
      ctx.cookies.set(name, markOf(email) + browser, { ...options, maxAge: lifetimeMs });
    },
  };
}
