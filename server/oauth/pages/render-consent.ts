import type { EpochMilliseconds } from '../../clock.ts';
import { html, isolate } from './html.ts';
import type { Language } from './messages/catalogues.ts';
import { renderPage } from './page.ts';
import { renderScopes } from './render-scopes.ts';
import { wordingOf } from './wording.ts';

export interface ConsentPage {
  readonly language: Language;
  readonly client: { readonly name: string };
  readonly account: { readonly name: string };
  readonly owner: { readonly name: string; readonly email: string };
  /** Host, with the port if there is one, of the callback. */
  readonly callbackHost: string;
  /** All requested scopes, also `openid` and `profile`. Unknown scopes are shown by name. */
  readonly scopes: readonly string[];
  readonly lifetimeDays: number;
  readonly until: EpochMilliseconds;
  /** Absolute address of the connected applications, shown as a link. */
  readonly appsAddress: string;
  /** Paths that the forms post to, without fields. When `logInAsOther` is omitted, there is no such button. */
  readonly actions: { readonly allow: string; readonly deny: string; readonly logInAsOther?: string | undefined };
}

export function renderConsent(page: ConsentPage): string {
  const { language, client, account, owner, callbackHost, scopes, lifetimeDays, until, appsAddress, actions } = page;
  const wording = wordingOf(language);
  const { say, days, date } = wording;
  return renderPage({
    wording,
    title: ['consent.title'],
    width: 'wide',
    main: html`<h1>${say('consent.heading', { client: isolate(client.name) })}</h1>
<dl class="facts">
<div><dt>${say('consent.account')}</dt><dd>${isolate(account.name)}</dd></div>
<div><dt>${say('consent.owner')}</dt><dd>${isolate(owner.name)} <span class="muted">${isolate(owner.email)}</span>
${
  actions.logInAsOther !== undefined &&
  html`<form method="post" action="${actions.logInAsOther}"><button class="link">${say('consent.other')}</button></form>`
}</dd></div>
<div><dt>${say('consent.callback')}</dt><dd>${isolate(callbackHost)}</dd></div>
<div><dt>${say('consent.lifetime')}</dt><dd>${say('consent.until', { days: days(lifetimeDays), date: date(until) })}</dd></div>
</dl>
<section>
<h2>${say('consent.scopes')}</h2>
${renderScopes(wording, scopes)}
</section>
<section class="foot small muted">
<p>${say('consent.revoke')}
<a class="target" href="${appsAddress}" target="_blank" rel="noopener noreferrer">${appsAddress}<span class="spoken"> (${say('consent.tab')})</span></a></p>
<p>${say('consent.codes')}</p>
</section>
<div class="actions">
<form method="post" action="${actions.allow}"><button class="primary">${say('consent.allow')}</button></form>
<form method="post" action="${actions.deny}"><button>${say('consent.deny')}</button></form>
</div>`,
  });
}
