import type { EpochMilliseconds } from '../../clock.ts';
import { type Html, html, isolate } from './html.ts';
import type { Language } from './messages/catalogues.ts';
import { renderMessage, renderPage } from './page.ts';
import { renderScopeGroups, renderScopes } from './render-scopes.ts';
import { type Wording, wordingOf } from './wording.ts';

/** The result of the last action. */
export type AppsNotice =
  | { readonly kind: 'disconnected'; readonly client: { readonly name: string } }
  | { readonly kind: 'not-connected' | 'form-expired' };

export interface ConnectedApp {
  readonly client: { readonly id: string; readonly name: string };
  readonly scopes: readonly string[];
  readonly since: EpochMilliseconds;
  readonly until: EpochMilliseconds;
}

export interface AppsPage {
  readonly language: Language;
  readonly account: { readonly name: string };
  readonly owner: { readonly name: string; readonly email: string };
  /** In the order in which they are shown. */
  readonly apps: readonly ConnectedApp[];
  /** Form token, sent as `token` with each action. */
  readonly token: string;
  /** Paths that the forms post to; `disconnect` takes `client` too. */
  readonly actions: { readonly disconnect: string; readonly logOut: string; readonly logOutEverywhere: string };
  readonly notice?: AppsNotice | undefined;
}

/** Longer lists are collapsed, or each application would fill a screen. */
const scopesShownAtOnce = 6;

export function renderApps(page: AppsPage): string {
  const { language, account, owner, apps, token, actions, notice } = page;
  const wording = wordingOf(language);
  const { say } = wording;
  const text = notice && describeNotice(wording, notice);
  const form = (action: string, content: Html) =>
    html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">${content}</form>`;
  const names = { account: html`<strong>${isolate(account.name)}</strong>` };
  return renderPage({
    wording,
    title: [...(notice ? [`notice.${notice.kind}.title` as const] : []), 'apps.title'],
    width: 'wide',
    main: html`<h1>${say('apps.title')}</h1>
${text && renderMessage('notice', html`<p>${text}</p>`)}
${
  apps.length === 0
    ? html`<h2>${say('apps.none')}</h2>
<p>${say('apps.none.text', names)}</p>`
    : html`<p>${say('apps.intro', names)}</p>
<ul class="apps">
${apps.map((app) => renderApp(wording, app, (content) => form(actions.disconnect, content)))}</ul>
<p class="muted small">${say('apps.codes')}</p>`
}
<section class="foot">
<div class="row">
<p><span class="muted">${say('apps.owner')}</span> ${isolate(owner.name)} <span class="muted">${isolate(owner.email)}</span></p>
${form(actions.logOut, html`<button>${say('apps.log-out')}</button>`)}
</div>
</section>
<section class="foot">
<h2>${say('apps.everywhere')}</h2>
<p>${say('apps.everywhere.text')}</p>
${form(actions.logOutEverywhere, html`<button class="danger">${say('apps.everywhere')}</button>`)}
</section>`,
  });
}

function renderApp(wording: Wording, app: ConnectedApp, form: (content: Html) => Html): Html {
  const { say, date } = wording;
  const { client, scopes, since, until } = app;
  const button = html`<button>${say('apps.disconnect')}<span class="spoken"> ${isolate(client.name)}</span></button>`;
  return html`<li>
<div class="app-head">
<div><h2>${isolate(client.name)}</h2>
<p class="muted small"><span>${say('apps.since', { date: date(since) })}</span> <span>${say('apps.until', { date: date(until) })}</span></p></div>
${form(html`<input type="hidden" name="client" value="${client.id}">${button}`)}
</div>
<details${scopes.length <= scopesShownAtOnce && html` open`}>
<summary>${say('apps.scopes')}<span class="spoken"> ${isolate(client.name)}</span> <span class="muted small">${renderScopeGroups(wording, scopes)}</span></summary>
${renderScopes(wording, scopes)}
</details>
</li>
`;
}

function describeNotice({ say }: Wording, notice: AppsNotice): Html {
  return notice.kind === 'disconnected'
    ? say('notice.disconnected', { client: isolate(notice.client.name) })
    : say(`notice.${notice.kind}`);
}
