import { randomBytes } from 'node:crypto';
import type { Owner } from '../../store/records.ts';
import { revocationKeptSeconds } from '../../store/store.ts';
import { readCallerAddress } from '../caller-address.ts';
import { describeSessionCookie } from '../configuration/create-configuration.ts';
import { listConnectedApps } from '../connected-apps.ts';
import { hashSecret, secretMatches } from '../hash-secret.ts';
import { sessionSeconds } from '../lifetimes.ts';
import { findLiveOwner } from '../log-in-owner.ts';
import { type AppsNotice, type LoginNotice, renderApps, renderLogin } from '../pages/index.ts';
import { whenAvailable } from '../unavailable.ts';
import { answerPage, answerProblem, readLanguage, redirect, redirectFault, setFaultStatus } from './answer-page.ts';
import { readBrowserForm } from './browser-form.ts';
import { type FailedAttempt, failedAttempt, type PageOptions, readCredentials } from './interactions.ts';
import { createKnownBrowsers } from './known-browser.ts';
import type { Middleware } from './middleware.ts';
import { createNoticeCookie } from './notice-cookie.ts';

type Context = Parameters<Middleware>[0];
type Fields = ReadonlyMap<string, string>;

/** The result of the last form, for the next page: the list of applications or the login. */
type Notice = AppsNotice | { readonly kind: LoginNotice } | AttemptNotice;

type AttemptNotice = { readonly kind: 'attempt' } & FailedAttempt;

const notices = createNoticeCookie<Notice>('_notice');

/** `GET` shows the page; its forms are posted to the steps. */
const pattern = /^\/apps(?:\/(login|disconnect|log-out|log-out-everywhere))?$/;

/**
 * The owner's own page, which lists the clients that can act for the owner and disconnects them. As no client leads to it, it has its own
 * login, into the same browser session.
 *
 * Each form contains the token of its cookie. Otherwise another site could log its visitor in as another person by the login form, the only
 * one that works without a cookie.
 */
export function answerConnectedApps({ provider, issuer, base, store, logInOwner, log }: PageOptions): Middleware {
  const knownBrowsers = createKnownBrowsers(base, store);
  const { options: sessionCookie } = describeSessionCookie(issuer);
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true, path: `${base}/apps` } as const;

  return async (ctx, next) => {
    const [isHere, step] = pattern.exec(ctx.path) ?? [];
    if (isHere === undefined) return void (await next());
    const session = await findSession(ctx);
    const owner = await findLiveOwner(store, session.accountId, session.loginTs);
    if (step === undefined) {
      const notice = notices.take(ctx, cookie.path);
      return owner === undefined ? showLogin(ctx, notice) : showApps(ctx, owner, notice);
    }
    const form = await readBrowserForm(ctx);
    if (form.kind !== 'form') return answerProblem(ctx, form.kind, form);
    const kept = ctx.cookies.get('_apps', cookie);
    if (ctx.get('Cookie') === '') return answerProblem(ctx, 'no-cookies');
    if (kept === undefined || !secretMatches(form.fields.get('token') ?? '', hashSecret(kept)))
      return leadBack(ctx, { kind: 'form-expired' });
    if (step === 'login') return logIn(ctx, form.fields);
    if (owner === undefined) return leadBack(ctx, { kind: 'session-ended' });
    if (step === 'disconnect') return disconnect(ctx, owner, form.fields);
    if (step === 'log-out-everywhere') await logOutEverywhere(ctx, owner);
    else await session.destroy();
    ctx.cookies.set(provider.cookieName('session'), null, sessionCookie);
    return leadBack(ctx, { kind: step === 'log-out' ? 'logged-out' : 'logged-out-everywhere' });
  };

  async function logIn(ctx: Context, fields: Fields): Promise<void> {
    const { email, password, empty } = readCredentials(fields);
    if (empty !== undefined) return leadBack(ctx, { kind: 'attempt', ...failedAttempt(empty, email) });
    const requestId = ctx.response.get('X-Request-Id');
    const address = readCallerAddress(ctx.req, issuer);
    const result = await logInOwner({
      email,
      password,
      address,
      requestId,
      clientId: undefined,
      knownBrowser: await knownBrowsers.find(ctx, email),
      isWaited: () => !ctx.req.socket.destroyed,
    });
    if (result.kind !== 'right') return leadBack(ctx, { kind: 'attempt', ...failedAttempt(result, email) });
    const { owner, loggedInAt } = result;
    await knownBrowsers.remember(ctx, owner, loggedInAt);
    const session = await findSession(ctx);
    if (session.accountId !== owner.id) session.authorizations = undefined;
    // `transient`: the cookie lasts until the browser is closed, as at the login for a client.
    session.loginAccount({ accountId: owner.id, amr: ['pwd'], loginTs: loggedInAt, transient: true });
    // A new id at each login: otherwise an attacker who set the old id in this browser would be logged in too (session fixation).
    session.resetIdentifier();
    await session.save(sessionSeconds);
    ctx.cookies.set(provider.cookieName('session'), session.jti, sessionCookie);
    return leadBack(ctx);
  }

  async function disconnect(ctx: Context, { id: ownerId, accountId }: Owner, fields: Fields): Promise<void> {
    const clientId = fields.get('client') ?? '';
    const apps = await listConnectedApps(store, ownerId);
    const app = apps.find(({ client }) => client.id === clientId);
    // Also if the client is not listed: a refresh token that is being rotated is in no list, and neither is a code.
    const now = Date.now();
    const nowSeconds = Math.floor(now / 1000);
    const requestId = ctx.response.get('X-Request-Id');
    await whenAvailable(
      store.oidc.revokeGrants({ ownerId, clientId }, nowSeconds, nowSeconds + revocationKeptSeconds, {
        at: now,
        accountId,
        ownerId,
        clientId,
        action: 'disconnect_client',
        deviceId: null,
        requestId,
      }),
    );
    if (app !== undefined) log.info({ requestId, ownerId, clientId }, 'owner disconnected a client');
    return leadBack(ctx, app === undefined ? { kind: 'not-connected' } : { kind: 'disconnected', client: app.client });
  }

  async function logOutEverywhere(ctx: Context, { id: ownerId, accountId }: Owner): Promise<void> {
    const at = Date.now();
    const requestId = ctx.response.get('X-Request-Id');
    const grants = await whenAvailable(
      store.owners.logOutEverywhere(ownerId, at, {
        at,
        accountId,
        ownerId,
        clientId: ownerId,
        action: 'log_out_everywhere',
        deviceId: null,
        requestId,
      }),
    );
    log.info({ requestId, ownerId, grants }, 'owner logged out everywhere');
  }

  function findSession(ctx: Context) {
    return provider.Session.get(provider.createContext(ctx.req, ctx.res));
  }

  function showLogin(ctx: Context, notice: Notice | undefined): void {
    const { fault, email } = notice?.kind === 'attempt' ? notice : {};
    answerPage(ctx, {
      status: setFaultStatus(ctx, fault),
      html: renderLogin({
        language: readLanguage(ctx),
        actions: { logIn: `${base}/apps/login` },
        token: takeToken(ctx),
        email,
        fault,
        notice: isLoginNotice(notice) ? notice.kind : undefined,
      }),
    });
  }

  async function showApps(ctx: Context, owner: Owner, notice: Notice | undefined): Promise<void> {
    const [apps, account] = await Promise.all([
      listConnectedApps(store, owner.id),
      whenAvailable(store.accounts.find(owner.accountId)),
    ]);
    answerPage(ctx, {
      status: 200,
      html: renderApps({
        language: readLanguage(ctx),
        account: account ?? { name: owner.accountId },
        owner,
        apps,
        token: takeToken(ctx),
        actions: {
          disconnect: `${base}/apps/disconnect`,
          logOut: `${base}/apps/log-out`,
          logOutEverywhere: `${base}/apps/log-out-everywhere`,
        },
        notice: isAppsNotice(notice) ? notice : undefined,
      }),
    });
  }

  /** The browser's form token, or a new one. All tabs share it, so that the forms of each work. */
  function takeToken(ctx: Context): string {
    const token = ctx.cookies.get('_apps', cookie) ?? randomBytes(32).toString('base64url');
    ctx.cookies.set('_apps', token, cookie);
    return token;
  }

  /** Redirects back to the page, which shows the notice. */
  function leadBack(ctx: Context, notice?: Notice): void {
    if (notice !== undefined) notices.put(ctx, cookie.path, notice);
    if (notice?.kind === 'attempt') redirectFault(ctx, cookie.path, notice.fault);
    else redirect(ctx, cookie.path);
  }
}

const appsNotices: ReadonlySet<string> = new Set<AppsNotice['kind']>(['disconnected', 'not-connected', 'form-expired']);

const loginNotices: ReadonlySet<string> = new Set<LoginNotice>([
  'logged-out',
  'logged-out-everywhere',
  'session-ended',
  'form-expired',
]);

function isAppsNotice(notice: Notice | undefined): notice is AppsNotice {
  return notice !== undefined && appsNotices.has(notice.kind);
}

function isLoginNotice(notice: Notice | undefined): notice is { readonly kind: LoginNotice } {
  return notice !== undefined && loginNotices.has(notice.kind);
}
