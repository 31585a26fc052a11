import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { samplePages, unusualNames } from './fixtures/sample-pages.ts';
import { isolate } from './html.ts';
import { catalogues, languages } from './messages/catalogues.ts';
import { renderApps } from './render-apps.ts';
import { renderConsent } from './render-consent.ts';
import { type LoginPage, renderLogin } from './render-login.ts';
import { renderProblem } from './render-problem.ts';
import { contractScopes } from './scope-groups.ts';

const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;
const titleOf = (page: string) => /<title>(.*)<\/title>/.exec(page)?.[1];
const tagOf = (page: string, id: string) => new RegExp(`<[a-z]+ id="${id}"[^>]*>`).exec(page)?.[0];

/** Each page with one text in every place for external text. */
function renderAll(text: string): readonly string[] {
  const language = 'de';
  const named = { name: text };
  const owner = { name: text, email: text };
  const times = { since: 0, until: 0 };
  return [
    renderLogin({ language, client: named, actions: { logIn: text, cancel: text }, token: text, email: text }),
    renderConsent({
      language,
      client: named,
      account: named,
      owner,
      callbackHost: text,
      scopes: [text],
      lifetimeDays: 365,
      until: 0,
      appsAddress: text,
      actions: { allow: text, deny: text, logInAsOther: text },
    }),
    renderApps({
      language,
      account: named,
      owner,
      token: text,
      apps: [{ client: { id: text, ...named }, scopes: [text], ...times }],
      actions: { disconnect: text, logOut: text, logOutEverywhere: text },
      notice: { kind: 'disconnected', client: named },
    }),
    renderProblem({ language, problem: { kind: 'internal' }, error: text, description: text, requestId: text }),
  ];
}

describe('any external text', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom(
      '</title></style><script>alert(1)</script>',
      '" autofocus onfocus="alert(1)',
      "' onclick='alert(1)",
      '<!--',
      ']]>',
      '&lt;b&gt;',
      '&#60;',
      '`{client}',
      'javascript:alert(1)',
      ...Object.values(unusualNames),
    ),
  );
  /** All characters with a meaning in HTML. Values add none, so tags, attributes and comments are those of a harmless page. */
  const marks = (page: string) => page.replaceAll(/[^<>"']/g, '');

  test('stays text', () => {
    const harmless = renderAll('x').map(marks);
    fc.assert(
      fc.property(hostile, (text) => {
        const pages = renderAll(text);
        expect(pages.map(marks)).toEqual(harmless);
        for (const page of pages) expect(page).not.toMatch(/&(?!(amp|lt|gt|quot|#39);)/);
      }),
    );
  });

  test('does not reorder the text around it', () => {
    const turning = fc.string({
      unit: fc.constantFrom('a', 'א', '\u202E', '\u202B', '\u2067', '\u2069', '\u202C', '.'),
    });
    fc.assert(
      fc.property(turning, (name) => {
        const login = renderLogin({ language: 'en', client: { name }, actions: { logIn: '/' } });
        expect(login).toContain(`<strong>${isolate(name)}</strong> asks`);
        expect(login).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
      }),
    );
  });
});

describe.each(languages)('every page, in %s', (language) => {
  test.each(samplePages)('$name', ({ render }) => {
    const page = render(language);
    expect(page.startsWith(`<!doctype html>\n<html lang="${language}">`)).toBe(true);
    expect(count(page, /<h1[ >]/g)).toBe(1);
    expect(page).toContain('<meta name="robots" content="noindex">');
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(titleOf(page)?.endsWith(` – ${catalogues[language].texts.service}`)).toBe(true);
    expect(titleOf(page), 'a tag in a title is text').not.toMatch(/[<>]/);
    // No script, no fetched resource, and only the style that the policy allows.
    expect(page).not.toMatch(
      /<script|<link|<img|<iframe|<object|<base| style=| on[a-z]+=|url\(|@import|http-equiv| src=/i,
    );
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, field = ''] of page.matchAll(/<input id="([^"]*)"/g))
      expect(page).toContain(`<label for="${field}">`);
    for (const [, form = ''] of page.matchAll(/ form="([^"]*)"/g))
      expect(page).toContain(`<form id="${form}" method="post"`);
    expect(count(page, /<form\b/g)).toBe(count(page, / method="post"/g));
    // Without these values a link sends a referrer.
    for (const [link] of page.matchAll(/<a [^>]*>/g)) expect(link).toContain('rel="noopener noreferrer"');
    expect(page).not.toMatch(/undefined|\[object|NaN/);
  });
});

describe('the login', () => {
  const page = (given: Partial<LoginPage>) =>
    renderLogin({ language: 'en', client: { name: 'Acme' }, actions: { logIn: '/in', cancel: '/out' }, ...given });
  const fields = (text: string) => ({
    focused: [...text.matchAll(/<input id="(\w+)"[^>]* autofocus/g)].map(([, id]) => id),
    atFault: [...text.matchAll(/<input id="(\w+)"[^>]* aria-invalid="true"/g)].map(([, id]) => id),
    described: [...text.matchAll(/<input id="(\w+)"[^>]* aria-describedby="fault"/g)].map(([, id]) => id),
  });

  test.each([
    { given: {}, title: 'Log in', focused: 'email' },
    { given: { email: 'o@h.example' }, title: 'Log in', focused: 'password' },
    {
      given: { email: 'o@h.example', fault: { kind: 'wrong' } },
      title: 'Wrong e-mail or password – Log in',
      focused: 'password',
      atFault: ['email', 'password'],
    },
    {
      given: { fault: { kind: 'empty', fields: ['email'] } },
      title: 'E-mail missing – Log in',
      focused: 'email',
      atFault: ['email'],
    },
    {
      given: { email: 'o@h.example', fault: { kind: 'empty', fields: ['password'] } },
      title: 'Password missing – Log in',
      focused: 'password',
      atFault: ['password'],
    },
    {
      given: { fault: { kind: 'empty', fields: ['email', 'password'] } },
      title: 'E-mail missing – Log in',
      focused: 'email',
      atFault: ['email', 'password'],
    },
    {
      given: { email: 'o@h.example', fault: { kind: 'throttled', waitSeconds: 30 } },
      title: 'Too many attempts – Log in',
      focused: 'password',
    },
    {
      given: { email: 'o@h.example', fault: { kind: 'disabled' } },
      title: 'Login disabled – Log in',
      focused: 'password',
    },
    { given: { fault: { kind: 'busy', waitSeconds: 1 } }, title: 'Busy – Log in', focused: 'email' },
    { given: { notice: 'logged-out' }, title: 'Logged out – Log in', focused: 'email' },
  ] as const)('has the title "$title" and puts the cursor into $focused', ({ given, title, focused, ...rest }) => {
    const text = page(given);
    const atFault = 'atFault' in rest ? [...rest.atFault] : [];
    const hasFault = 'fault' in given;
    expect(titleOf(text)).toBe(`${title} – Smart-Lock Access`);
    expect(fields(text)).toEqual({
      focused: [focused],
      atFault,
      described: hasFault ? [...new Set([...atFault, focused])].toSorted() : [],
    });
    expect(count(text, /role="alert" id="fault"/g)).toBe(hasFault ? 1 : 0);
  });

  test('names each field for password managers, and does not change a typed address', () => {
    const text = page({});
    expect(tagOf(text, 'email')).toMatch(/name="email" type="text" inputmode="email" autocomplete="username"/);
    expect(tagOf(text, 'password')).toMatch(/name="password" type="password" autocomplete="current-password"/);
  });

  test('keeps the e-mail and never shows a password again', () => {
    const text = page({ email: 'o@h.example', fault: { kind: 'wrong' } });
    expect(tagOf(text, 'email')).toContain('value="o@h.example"');
    expect(tagOf(text, 'password')).not.toContain('value=');
  });

  test('shows the wait', () => {
    expect(page({ fault: { kind: 'throttled', waitSeconds: 30 } })).toContain('Try again in 30 seconds.');
  });

  test('has its own form to cancel, if there is a client to return to', () => {
    expect(page({})).toContain('<form id="cancel" method="post" action="/out" hidden></form>');
    const own = renderLogin({ language: 'en', actions: { logIn: '/in' }, token: 't' });
    expect(own).not.toContain('Cancel');
    expect(own).toContain('<input type="hidden" name="token" value="t">');
  });
});

describe('the consent page', () => {
  const page = (scopes: readonly string[]) =>
    renderConsent({
      language: 'en',
      client: { name: 'Acme' },
      account: { name: 'Harbour Stays' },
      owner: { name: 'Hanna Harbour', email: 'o@h.example' },
      callbackHost: 'acme.example',
      scopes,
      lifetimeDays: 365,
      until: Date.UTC(2027, 10, 22),
      appsAddress: 'https://locks.example/auth/apps',
      actions: { allow: '/allow', deny: '/deny' },
    });
  const textOf = (html: string) =>
    html
      .replace(/<style>[\s\S]*<\/style>/, '')
      .replaceAll(/<\/?(?:li|p|div|h\d|dd|dt|button|form)\b[^>]*>/g, '\n')
      .replaceAll(/<[^>]*>/g, '');

  test('names client, account, owner, callback, lifetime and the address to revoke access', () => {
    const lines = textOf(page(['openid']));
    for (const said of [
      'Allow Acme to use your locks?',
      'Harbour Stays',
      'Hanna Harbour o@h.example',
      'acme.example',
      '365 days, until November 22, 2027',
      'https://locks.example/auth/apps',
    ])
      expect(lines).toContain(said);
  });

  test('has each scope in the words of the contract, whole', () => {
    const lines = textOf(page(Object.keys(contractScopes))).split('\n');
    for (const description of Object.values(contractScopes)) expect(lines).toContain(description.replaceAll('`', ''));
  });

  test('shows a scope without a description', () => {
    expect(page(['openid', 'serviceapi/later'])).toContain('<li><code>serviceapi/later</code></li>');
  });

  test('posts each answer to its own address, and offers another login only if there is one', () => {
    const text = page(['openid']);
    expect([...text.matchAll(/action="([^"]*)"/g)].map(([, action]) => action)).toEqual(['/allow', '/deny']);
    expect(text).not.toContain('Not you?');
  });
});

describe('the connected applications', () => {
  const actions = { disconnect: '/disconnect', logOut: '/out', logOutEverywhere: '/everywhere' };
  const app = (id: string, name: string, scopes: readonly string[] = ['openid']) => ({
    client: { id, name },
    scopes,
    since: Date.UTC(2026, 10, 22),
    until: Date.UTC(2027, 10, 22),
  });
  const page = (apps: readonly ReturnType<typeof app>[]) =>
    renderApps({
      language: 'en',
      account: { name: 'Harbour Stays' },
      owner: { name: 'Hanna Harbour', email: 'o@h.example' },
      token: 't',
      apps,
      actions,
    });

  test('has one button each, distinguished by name, that posts its id', () => {
    const text = page([app('c-1', 'Acme'), app('c-2', 'Bolt')]);
    for (const [id, name] of [
      ['c-1', 'Acme'],
      ['c-2', 'Bolt'],
    ]) {
      expect(text).toContain(
        `<form method="post" action="/disconnect"><input type="hidden" name="token" value="t"><input type="hidden" name="client" value="${id}"><button>Disconnect<span class="spoken"> <bdi>${name}</bdi></span></button></form>`,
      );
    }
    expect(text.indexOf('Acme')).toBeLessThan(text.indexOf('Bolt'));
    expect(text).toContain('Connected on <time datetime="2026-11-22">November 22, 2026</time>');
    expect(text).toContain('Access until <time datetime="2027-11-22">November 22, 2027</time>');
  });

  test('sends the form token with every action', () => {
    const text = page([app('c-1', 'Acme')]);
    const forms = [
      ...text.matchAll(/<form method="post" action="([^"]*)"><input type="hidden" name="token" value="t">/g),
    ];
    expect(forms.map(([, action]) => action)).toEqual(['/disconnect', '/out', '/everywhere']);
    expect(count(text, /<form/g)).toBe(3);
  });

  test('collapses long lists', () => {
    const all = Object.keys(contractScopes);
    expect(page([app('c-1', 'Acme', all)])).toContain('<details>');
    expect(page([app('c-1', 'Acme', all.slice(0, 6))])).toContain('<details open>');
  });

  test('shows when there is none, and still logs out', () => {
    const text = page([]);
    expect(text).toContain('No application is connected');
    expect([...text.matchAll(/action="([^"]*)"/g)].map(([, action]) => action)).toEqual(['/out', '/everywhere']);
  });
});

describe('the problem page', () => {
  test('shows code, description and request, and has no link', () => {
    const text = renderProblem({
      language: 'de',
      problem: { kind: 'unregistered-callback' },
      error: 'invalid_request',
      description: 'redirect_uri is not a registered callback URL',
      requestId: 'req-1',
    });
    expect(text).toContain(
      '<code>invalid_request</code> <span lang="en">redirect_uri is not a registered callback URL</span>',
    );
    expect(text).toContain('<code>req-1</code>');
    expect(text).not.toMatch(/<a |<form/);
  });
});
