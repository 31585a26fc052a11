import { randomBytes } from 'node:crypto';
import { emailKey, type Owner } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { hashSecret } from '../hash-secret.ts';
import { whenAvailable } from '../unavailable.ts';
import type { Middleware } from './middleware.ts';

type Context = Parameters<Middleware>[0];

/** As long as a consent lasts. */
const lifetimeMs = 365 * 86_400_000;
const name = '_known';

/** A mark and its secret: a SHA-256 and 16 random bytes, in base64url. */
const entry = /(.{43})(.{22})/g;

/** Several owners may share a browser. The latest login comes first. */
const mostOwners = 4;

/**
 * Remembers browsers in which an owner has logged in, so that guesses elsewhere do not slow the owner down there (OWASP, "Slow Down Online
 * Guessing Attacks with Device Cookies"). The cookie gives no access: it shows which owners have logged in here before. It contains a mark
 * and a secret for each. The store decides whether a secret is still valid: not after a change of the password, not after its expiry, and
 * only for an owner's latest browsers.
 */
export function createKnownBrowsers(base: string, { owners }: Pick<Store, 'owners'>) {
  const options = { httpOnly: true, sameSite: 'lax', signed: true, path: base === '' ? '/' : base } as const;
  return {
    /** @returns the secret that identifies this browser, if it is known for this e-mail */
    async find(ctx: Context, email: string): Promise<string | undefined> {
      const secret = readKept(ctx).get(markOf(email));
      if (secret === undefined) return undefined;
      const isKnown = await whenAvailable(owners.isKnownBrowser(email.trim(), hashSecret(secret), Date.now()));
      return isKnown ? secret : undefined;
    },
    /** @param loggedInAt epoch seconds from `LoginResult` */
    async remember(ctx: Context, { id: ownerId, email }: Owner, loggedInAt: number): Promise<void> {
      const kept = readKept(ctx);
      const mark = markOf(email);
      const before = kept.get(mark);
      // A new secret at each login invalidates a cookie that an attacker set or copied before.
      const secret = randomBytes(16).toString('base64url');
      const endsAt = Date.now() + lifetimeMs;
      const browser = { ownerId, browserHash: hashSecret(secret), loggedInAt: loggedInAt * 1000, endsAt };
      await whenAvailable(owners.rememberBrowser(browser, before && hashSecret(before)));
      kept.delete(mark);
      const value = [[mark, secret], ...kept].slice(0, mostOwners).flat().join('');
      ctx.cookies.set(name, value, { ...options, maxAge: lifetimeMs });
    },
  };
}

function markOf(email: string): string {
  return hashSecret(emailKey(email.trim()));
}

/** Secrets by mark. */
function readKept(ctx: Context): Map<string, string> {
  const text = ctx.cookies.get(name, { signed: true }) ?? '';
  return new Map(Array.from(text.matchAll(entry), ([, mark = '', secret = '']) => [mark, secret]));
}

/** The mark of the latest owner in this browser's cookie, without asking the store; undefined if there is none. */
export function readOwnerMark(ctx: Context): string | undefined {
  return readKept(ctx).keys().next().value;
}
