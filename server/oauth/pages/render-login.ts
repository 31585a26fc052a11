import { type Html, html, isolate } from './html.ts';
import type { PlainKey } from './messages/catalogue.ts';
import type { Language } from './messages/catalogues.ts';
import { renderMessage, renderPage } from './page.ts';
import { type Wording, wordingOf } from './wording.ts';

/** The fault of the last attempt. `wrong` covers both fields, so that it does not reveal which e-mails have an owner. */
export type LoginFault =
  | { readonly kind: 'wrong' | 'disabled' }
  | { readonly kind: 'empty'; readonly fields: readonly LoginField[] }
  | { readonly kind: 'throttled' | 'busy'; readonly waitSeconds: number };

export type LoginField = 'email' | 'password';

/** The event before the login of the connected applications. */
export type LoginNotice = 'logged-out' | 'logged-out-everywhere' | 'session-ended' | 'form-expired';

export interface LoginPage {
  readonly language: Language;
  /** The client that asks for access. Omitted when the owner logs in to the connected applications. */
  readonly client?: { readonly name: string } | undefined;
  /** Paths that the forms post to: `logIn` gets `email`, `password` and, if there is one, `token`. */
  readonly actions: { readonly logIn: string; readonly cancel?: string | undefined };
  /** Form token, for a hidden field. */
  readonly token?: string | undefined;
  /** As it was typed, or `login_hint`. A password is never shown again. */
  readonly email?: string | undefined;
  readonly fault?: LoginFault | undefined;
  readonly notice?: LoginNotice | undefined;
}

export function renderLogin(page: LoginPage): string {
  const { language, client, actions, token, email = '', fault, notice } = page;
  const wording = wordingOf(language);
  const { say } = wording;
  const shown = fault && describeFault(wording, fault);
  const marked = fault === undefined ? [] : fieldsAtFault(fault);
  // The first field at fault, or the first one that is still empty.
  const focused: LoginField = fault?.kind === 'empty' ? (marked[0] ?? 'email') : email === '' ? 'email' : 'password';
  const state = (field: LoginField) =>
    html`${marked.includes(field) && html` aria-invalid="true"`}${
      shown !== undefined && (marked.includes(field) || field === focused) && html` aria-describedby="fault"`
    }${field === focused && html` autofocus`}`;
  // Not `type="email"`: Chrome sends the domain of such a field in Punycode, which differs from the stored e-mail.
  return renderPage({
    wording,
    title: [...(shown ? [shown.title] : notice ? [`notice.${notice}.title` as const] : []), 'login.title'],
    width: 'narrow',
    main: html`<h1>${say('login.title')}</h1>
${
  client === undefined
    ? html`<p>${say('login.apps')}</p>`
    : html`<p>${say('login.client', { client: html`<strong>${isolate(client.name)}</strong>` })}</p>
<p class="muted small">${say('login.secrecy')}</p>`
}
${notice !== undefined && renderMessage('notice', html`<p>${say(`notice.${notice}`)}</p>`)}
${
  shown &&
  renderMessage(
    'fault',
    shown.texts.map((text) => html`<p>${text}</p>`),
    'fault',
  )
}
<form method="post" action="${actions.logIn}">
${token !== undefined && html`<input type="hidden" name="token" value="${token}">`}
<div class="field"><label for="email">${say('login.email')}</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${email}"${state('email')}></div>
<div class="field"><label for="password">${say('login.password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${state('password')}></div>
<div class="actions">
<button class="primary">${say('login.submit')}</button>
${actions.cancel !== undefined && html`<button form="cancel">${say('login.cancel')}</button>`}
</div>
</form>
${actions.cancel !== undefined && html`<form id="cancel" method="post" action="${actions.cancel}" hidden></form>`}
<p class="foot muted small">${say('login.forgotten')}</p>`,
  });
}

function fieldsAtFault(fault: LoginFault): readonly LoginField[] {
  if (fault.kind === 'wrong') return ['email', 'password'];
  return fault.kind === 'empty' ? fault.fields : [];
}

function describeFault({ say, wait }: Wording, fault: LoginFault): { title: PlainKey; texts: readonly Html[] } {
  switch (fault.kind) {
    case 'wrong':
    case 'disabled':
      return { title: `fault.${fault.kind}.title`, texts: [say(`fault.${fault.kind}`)] };
    case 'throttled':
    case 'busy':
      return {
        title: `fault.${fault.kind}.title`,
        texts: [say(`fault.${fault.kind}`, { wait: wait(fault.waitSeconds) })],
      };
    case 'empty':
      return {
        title: `fault.${fault.fields[0] ?? 'email'}.title`,
        texts: fault.fields.map((field) => say(`fault.${field}`)),
      };
  }
}
