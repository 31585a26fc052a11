import { decodeJwt } from 'jose';
import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import type { Owner } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { readCallerAddress } from '../caller-address.ts';
import { hashSecret } from '../hash-secret.ts';
import { refreshTokenDays } from '../lifetimes.ts';
import type { AuthLog } from '../log-events.ts';
import { findLiveOwner, type LogInOwner } from '../log-in-owner.ts';
import { type LoginFault, renderConsent, renderLogin } from '../pages/index.ts';
import { openIdScopes, splitScopes } from '../scopes.ts';
import { whenAvailable } from '../unavailable.ts';
import { answerPage, answerProblem, readLanguage, redirect, redirectFault, setFaultStatus } from './answer-page.ts';
import { readBrowserForm } from './browser-form.ts';
import { createKnownBrowsers } from './known-browser.ts';
import type { Middleware } from './middleware.ts';
import { createNoticeCookie } from './notice-cookie.ts';

type Context = Parameters<Middleware>[0];
type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

export interface PageOptions {
  readonly provider: Provider;
  readonly issuer: string;
  /** The issuer's path, without a trailing slash: `/auth`. */
  readonly base: string;
  /** {base_url}, the resource of the API's scopes. */
  readonly resource: string;
  readonly store: Pick<Store, 'owners' | 'accounts' | 'audit' | 'clients' | 'oidc'>;
  readonly logInOwner: LogInOwner;
  readonly log: AuthLog;
}

/** `GET` shows the page that is due; its forms are posted to the steps. */
const pattern = /^\/interaction\/([^/]+)(?:\/(login|confirm|abort|other))?$/;

/** Upstream's address to resume the login request after the pages. */
const resumePath = /^\/login\/[^/]+$/;

/** A failed attempt to log in, for the page to show. */
export interface FailedAttempt {
  readonly fault: LoginFault;
  /** As it was typed. */
  readonly email: string;
}

const faults = createNoticeCookie<FailedAttempt>('_fault');

/** The prompt that has to be due for a step. `abort` is always possible. */
const dueAt: Readonly<Record<string, string>> = { login: 'login', confirm: 'consent', other: 'consent' };

/** Longer than a client's page takes to load, and shorter than until an owner returns to an old page. */
const twoClicksSeconds = 60;

/** RFC 6749, 4.1.2.1. */
const denial = { error: 'access_denied', error_description: 'the owner said no' } as const;

/** OpenID Connect Core, 3.1.2.1, of `id_token_hint`. */
const notTheHintedOne = {
  error: 'login_required',
  error_description: 'another owner logged in than the one hinted at',
} as const;

/** The stored payload of an interaction. */
interface EndedInteraction {
  readonly params: Readonly<Record<string, string>>;
  readonly result?: { readonly consent?: object; readonly error?: string };
}

/**
 * The pages between a login request and the callback: login and consent. An interaction belongs to the browser whose cookie contains its id,
 * and the path has to contain the same id, so that a form of one tab can't answer for another.
 */
export function answerInteractions({ provider, issuer, base, resource, store, logInOwner }: PageOptions): Middleware {
  const knownBrowsers = createKnownBrowsers(base, store);
  return async (ctx, next) => {
    if (resumePath.test(ctx.path) && (await isOfAnother(ctx))) return answerProblem(ctx, 'login-ended');
    const [isHere, uid, step] = pattern.exec(ctx.path) ?? [];
    if (isHere === undefined) return void (await next());
    try {
      await answer(ctx, uid, step);
    } catch (error) {
      // The cookie is missing, or the interaction has ended: earlier, or meanwhile by a form that was sent twice.
      if (!(error instanceof errors.SessionNotFound)) throw error;
      await answerAgain(ctx, uid, step);
    }
  };

  async function answer(ctx: Context, uid: string | undefined, step: string | undefined): Promise<void> {
    const interaction = await provider.interactionDetails(ctx.req, ctx.res);
    if (interaction.uid !== uid) return answerProblem(ctx, 'login-ended');
    if (step === undefined) return showDue(ctx, interaction);
    const form = await readBrowserForm(ctx);
    if (form.kind !== 'form') return answerProblem(ctx, form.kind, form);
    if (step === 'abort') return finish(ctx, denial, { mergeWithLastSubmission: false });
    // The page of this form is no longer due: the browser went back to it.
    if (interaction.prompt.name !== dueAt[step]) return answerProblem(ctx, 'login-ended');
    if (step === 'login') return logIn(ctx, interaction, form.fields);
    return step === 'other' ? restart(ctx, interaction) : consent(ctx, interaction);
  }

  /**
   * Answers a form that a second click has sent again after the first was answered. The browser drops the first answer and shows this one.
   * So this one has the same target: the login request, whose consent is stored, or the callback.
   */
  async function answerAgain(ctx: Context, uid: string | undefined, step: string | undefined): Promise<void> {
    const ended = step === undefined ? undefined : await findEnded(ctx, uid);
    if (step === 'confirm' && ended?.result?.consent !== undefined) {
      const { prompt: _, ...params } = ended.params;
      return redirect(ctx, loginAddress(params));
    }
    if (step === 'abort' && ended?.result?.error !== undefined) {
      const { redirect_uri: callback, state } = ended.params;
      const answer = new URLSearchParams({ ...denial, ...(state !== undefined && { state }), iss: issuer });
      return redirect(ctx, `${callback}${callback?.includes('?') ? '&' : '?'}${answer}`);
    }
    answerProblem(ctx, ctx.get('Cookie') === '' ? 'no-cookies' : 'login-ended');
  }

  /** Finds an interaction of this browser that has just ended, if its client still exists. */
  async function findEnded(ctx: Context, uid: string | undefined): Promise<EndedInteraction | undefined> {
    if (uid === undefined || ctx.cookies.get(provider.cookieName('interaction'), { signed: true }) !== uid) return;
    const row = await whenAvailable(store.oidc.find('Interaction', hashSecret(uid)));
    const isJustOver = row?.consumedAt != null && row.consumedAt + twoClicksSeconds > Date.now() / 1000;
    const ended: EndedInteraction | undefined = isJustOver ? JSON.parse(row.payload) : undefined;
    return ended && (await provider.Client.find(String(ended.params.client_id))) && ended;
  }

  function loginAddress(params: object): string {
    // `resource` may have been sent twice (RFC 8707, 2).
    const query = Object.entries(params).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, String(value)]),
    );
    return `${base}/login?${new URLSearchParams(query)}`;
  }

  /**
   * Whether another owner has logged in with this browser since the forms were sent. Upstream would fail, or show its own logout page, whose
   * script the content policy blocks.
   */
  async function isOfAnother(ctx: Context): Promise<boolean> {
    const uid = ctx.cookies.get(provider.cookieName('resume'), { signed: true });
    const interaction = uid === undefined ? undefined : await provider.Interaction.find(uid);
    const ownerId = interaction?.result?.login?.accountId ?? interaction?.session?.accountId;
    const session = await findSession(ctx);
    return ownerId !== undefined && session.accountId !== undefined && session.accountId !== ownerId;
  }

  function findSession(ctx: Context) {
    return provider.Session.get(provider.createContext(ctx.req, ctx.res));
  }

  async function showDue(ctx: Context, interaction: Interaction): Promise<void> {
    if (interaction.prompt.name === 'login') return showLogin(ctx, interaction);
    const owner = await findLiveOwner(store, interaction.session?.accountId);
    return owner === undefined ? answerProblem(ctx, 'login-ended') : showConsent(ctx, interaction, owner);
  }

  async function showLogin(ctx: Context, interaction: Interaction): Promise<void> {
    const { params, session } = interaction;
    const { fault, email: typed } = faults.take(ctx, pathOf(interaction)) ?? {};
    const known = await findLiveOwner(store, session?.accountId);
    const client = await provider.Client.find(String(params.client_id));
    if (client === undefined) return answerProblem(ctx, 'login-ended');
    const hint = typeof params.login_hint === 'string' ? params.login_hint : undefined;
    answerPage(ctx, {
      status: setFaultStatus(ctx, fault),
      callback: String(params.redirect_uri),
      html: renderLogin({
        language: readLanguage(ctx, params.ui_locales),
        client: { name: client.clientName ?? client.clientId },
        actions: { logIn: pathOf(interaction, 'login'), cancel: pathOf(interaction, 'abort') },
        email: typed ?? hint ?? known?.email,
        fault,
      }),
    });
  }

  async function logIn(ctx: Context, interaction: Interaction, fields: ReadonlyMap<string, string>): Promise<void> {
    const { email, password, empty } = readCredentials(fields);
    if (empty !== undefined) return showFault(ctx, interaction, failedAttempt(empty, email));
    const result = await logInOwner({
      email,
      password,
      address: readCallerAddress(ctx.req, issuer),
      requestId: ctx.response.get('X-Request-Id'),
      clientId: String(interaction.params.client_id),
      knownBrowser: await knownBrowsers.find(ctx, email),
      isWaited: () => !ctx.req.socket.destroyed,
    });
    if (result.kind !== 'right') return showFault(ctx, interaction, failedAttempt(result, email));
    const { owner, loggedInAt } = result;
    await knownBrowsers.remember(ctx, owner, loggedInAt);
    if (isSomebodyElse(interaction, owner)) return finish(ctx, notTheHintedOne, { mergeWithLastSubmission: false });
    // `remember` would make a cookie that outlives the browser. Without it, the next person at a shared computer has to log in.
    const login = { accountId: owner.id, amr: ['pwd'], ts: loggedInAt, remember: false };
    await finish(ctx, { login }, { mergeWithLastSubmission: false });
    await endLogin(ctx, { unlessOf: owner });
  }

  function showFault(ctx: Context, interaction: Interaction, attempt: FailedAttempt): void {
    faults.put(ctx, pathOf(interaction), attempt);
    redirectFault(ctx, pathOf(interaction), attempt.fault);
  }

  /**
   * Logs out this browser and forgets its consents. When another owner logs in, upstream would show its own page for that. The
   * session keeps its `uid`, since the current interaction belongs to it; upstream gives the session a new id when it resumes.
   */
  async function endLogin(ctx: Context, { unlessOf }: { readonly unlessOf?: Owner } = {}): Promise<void> {
    const session = await findSession(ctx);
    if (session.accountId === undefined || session.accountId === unlessOf?.id) return;
    session.accountId = undefined;
    session.loginTs = undefined;
    session.authorizations = undefined;
    await session.persist();
  }

  async function showConsent(ctx: Context, interaction: Interaction, owner: Owner): Promise<void> {
    const { params } = interaction;
    const [client, account] = await Promise.all([
      provider.Client.find(String(params.client_id)),
      whenAvailable(store.accounts.find(owner.accountId)),
    ]);
    if (client === undefined || account === undefined) return answerProblem(ctx, 'login-ended');
    const callback = String(params.redirect_uri);
    answerPage(ctx, {
      status: 200,
      callback,
      html: renderConsent({
        language: readLanguage(ctx, params.ui_locales),
        client: { name: client.clientName ?? client.clientId },
        account,
        owner,
        callbackHost: new URL(callback).host,
        scopes: splitScopes(params.scope),
        lifetimeDays: refreshTokenDays,
        until: Date.now() + refreshTokenDays * 86_400_000,
        appsAddress: `${issuer}/apps`,
        actions: {
          allow: pathOf(interaction, 'confirm'),
          deny: pathOf(interaction, 'abort'),
          logInAsOther: pathOf(interaction, 'other'),
        },
      }),
    });
  }

  /** Starts the same request again without hint and login, for another owner. */
  async function restart(ctx: Context, { params: { login_hint: _, ...params } }: Interaction): Promise<void> {
    await endLogin(ctx);
    redirect(ctx, loginAddress(params));
  }

  async function consent(ctx: Context, interaction: Interaction): Promise<void> {
    const { params, session, result } = interaction;
    // The form was sent twice: the grant exists, and is used by the first answer or by this one.
    if (result?.consent?.grantId !== undefined) return redirect(ctx, interaction.returnTo);
    const clientId = String(params.client_id);
    const [owner, client] = await Promise.all([
      findLiveOwner(store, session?.accountId),
      provider.Client.find(clientId),
    ]);
    if (owner === undefined || client === undefined) return answerProblem(ctx, 'login-ended');
    // The audit entry is written before the grant, since they can't share a transaction: no grant exists without its entry.
    await whenAvailable(
      store.audit.add({
        at: Date.now(),
        accountId: owner.accountId,
        ownerId: owner.id,
        clientId,
        action: 'give_consent',
        deviceId: null,
        requestId: ctx.response.get('X-Request-Id'),
      }),
    );
    const scopes = splitScopes(params.scope);
    const grant = new provider.Grant({ accountId: owner.id, clientId });
    grant.addOIDCScope(scopes.filter((scope) => openIdScopes.includes(scope)).join(' '));
    grant.addResourceScope(resource, scopes.filter((scope) => !openIdScopes.includes(scope)).join(' '));
    const grantId = await grant.save();
    await finish(ctx, { consent: { grantId } }, { mergeWithLastSubmission: true });
  }

  async function finish(
    ctx: Context,
    result: Parameters<Provider['interactionResult']>[2],
    merge: { readonly mergeWithLastSubmission: boolean },
  ): Promise<void> {
    redirect(ctx, await provider.interactionResult(ctx.req, ctx.res, result, merge));
  }

  function pathOf({ uid }: Interaction, step?: keyof typeof dueAt | 'abort'): string {
    return `${base}/interaction/${uid}${step === undefined ? '' : `/${step}`}`;
  }
}

/** No e-mail is longer than 254 characters, and a longer text would not fit into the cookie. */
export function failedAttempt(fault: LoginFault, email: string): FailedAttempt {
  return { fault, email: email.slice(0, 254) };
}

/** Upstream has verified the hint at the login request. */
function isSomebodyElse({ params: { id_token_hint: hint } }: Interaction, { id }: Owner): boolean {
  return typeof hint === 'string' && decodeJwt(hint).sub !== id;
}

/** Reads the fields of a login form. */
export function readCredentials(fields: ReadonlyMap<string, string>) {
  const [email, password] = [fields.get('email') ?? '', fields.get('password') ?? ''];
  const missing = [
    ...(email.trim() === '' ? (['email'] as const) : []),
    ...(password === '' ? (['password'] as const) : []),
  ];
  return { email, password, empty: missing.length > 0 ? ({ kind: 'empty', fields: missing } as const) : undefined };
}
