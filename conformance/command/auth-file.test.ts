import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readAuthFile } from './auth-file.ts';
import { optionTable } from './options.ts';

const read = (text: string) => readAuthFile('auth.yaml', text, 1);

test('users of fixed headers, of a template, and of today and earlier spellings of a token', () => {
  const { users, faults } = read(`
schemaVersion: "0.3.0"
auth:
  - name: fixed
    fixedHeaders: [{name: X-Key, value: " k1 "}]
  - name: cookie
    loginEndpointAuth:
      payloadUserPwd: {username: ada, password: "p&w", usernameField: user, passwordField: pass}
      contentType: application/x-www-form-urlencoded
      expectCookies: true
  - name: raw
    loginEndpointAuth:
      payloadRaw: '{"u":1}'
      token: {extractFrom: header, extractSelector: X-Token, sendIn: query, sendName: t}
  - name: earlier
    loginEndpointAuth:
      token: {extractFromField: /a/b, httpHeaderName: Authorization, headerPrefix: "JWT '", headerPostfix: "'"}
authTemplate:
  loginEndpointAuth: {endpoint: /login, verb: POST, contentType: application/json}
configs: {whatever: it-is}
`);
  expect(faults).toEqual([]);
  expect(users.map(({ name, headers }) => [name, headers])).toEqual([
    ['fixed', [['X-Key', 'k1']]],
    ['cookie', []],
    ['raw', []],
    ['earlier', []],
  ]);
  const [fixed, cookie, raw, earlier] = users;
  expect(fixed?.login).toBeUndefined();
  expect(cookie?.login).toEqual({
    endpoint: '/login',
    method: 'POST',
    password: 'p&w',
    headers: [['content-type', 'application/x-www-form-urlencoded']],
    body: 'user=ada&pass=p%26w',
    expectCookies: true,
    token: undefined,
  });
  expect(raw?.login).toMatchObject({
    headers: [['content-type', 'application/json']],
    body: '{"u":1}',
    token: {
      extractFrom: 'header',
      extractSelector: 'X-Token',
      sendIn: 'query',
      sendName: 't',
      sendTemplate: '{token}',
    },
  });
  expect(earlier?.login?.token).toEqual({
    extractFrom: 'body',
    extractSelector: '/a/b',
    sendIn: 'header',
    sendName: 'Authorization',
    sendTemplate: "JWT '{token}'",
  });
});

test('users that are made get names of their own, the same in the next run, wherever their place holders stand', () => {
  const text = `
auth: [{name: one}, {name: two}]
authTemplate:
  createUsers:
    endpoint: /users
    verb: POST
    contentType: application/json
    payloadRaw: '{"name":"{$n}","mail":"{$m}"}'
    generators:
      - {placeHolder: "{$n}", prefix: u_, minLength: 5, maxLength: 8}
      - {placeHolder: "{$m}", postfix: "@example.com"}
  loginEndpointAuth: {endpoint: /login, verb: POST, contentType: text/plain, payloadRaw: "{$n}", expectCookies: true}
`;
  const { users, faults } = read(text);
  expect(faults).toEqual([]);
  const bodies = users.map(({ creation, login }) => ({ ...JSON.parse(creation?.body ?? ''), login: login?.body }));
  for (const { name, mail, login } of bodies) {
    expect(name).toMatch(/^u_[0-9a-f]{6}$/);
    expect(mail).toMatch(/^[0-9a-f]+@example\.com$/);
    expect(login).toBe(name);
  }
  expect(new Set(bodies.map(({ name }) => name)).size).toBe(2);
  expect(read(text).users).toEqual(users);
});

test('the file that the README shows is one, and the options that it names exist', async () => {
  const page = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const { users, faults } = read(/```yaml\n(.+?)```/s.exec(page)?.[1] ?? '');
  expect([users.map(({ name }) => name), faults]).toEqual([['ada', 'bob'], []]);
  const known = Object.values(optionTable).map(({ flags }) => flags.split(' ')[0]);
  const named = new Set(page.match(/--[a-z][a-z-]*(?=[ `'=\n,;])/g));
  expect(named.size).toBeGreaterThan(10);
  expect(
    [...named].filter((name) => name !== '--help' && name !== '--scope' && !known.includes(name as never)),
  ).toEqual([]);
});

describe('tells what is wrong, and where', () => {
  test.each([
    { name: 'no YAML', text: 'auth: [', says: /^auth\.yaml:\d+ / },
    { name: 'no object', text: '- a', says: 'auth.yaml:1 The document is not an object.' },
    { name: 'no user', text: 'auth: []', says: 'auth.yaml:1 /auth: a list of users is wanted.' },
    {
      name: 'a misspelt member',
      text: 'auth:\n  - name: a\n    fixedHeader: []',
      says: 'auth.yaml:3 /auth/0/fixedHeader: the format has no such member. Did you mean fixedHeaders? There are: name, requireMockHandling, fixedHeaders, loginEndpointAuth, createUsers.',
    },
    {
      name: 'a wrong type',
      text: 'auth:\n  - name: a\n    fixedHeaders:\n      - name: X\n        value: 7',
      says: 'auth.yaml:5 /auth/0/fixedHeaders/0/value: a number stands where text is wanted. Put it in quotes.',
    },
    {
      name: 'a password that YAML reads as a number, without telling it',
      text: 'auth:\n  - name: a\n    loginEndpointAuth:\n      payloadUserPwd: {username: a, password: 98765}',
      says: 'auth.yaml:4 /auth/0/loginEndpointAuth/payloadUserPwd/password: a number stands where text is wanted. Put it in quotes.',
    },
    {
      name: 'a verb that is none',
      text: 'auth:\n  - name: a\n    loginEndpointAuth: {endpoint: /l, verb: post, expectCookies: true}',
      says: 'auth.yaml:3 /auth/0/loginEndpointAuth/verb: "post" is none of POST, GET, PATCH, DELETE, PUT.',
    },
    {
      name: 'neither endpoint, nor verb, nor what to take from the answer',
      text: 'auth:\n  - name: a\n    loginEndpointAuth: {payloadRaw: x}',
      says: 'auth.yaml:3 /auth/0/loginEndpointAuth: it needs either endpoint or externalEndpointURL.',
    },
    {
      name: 'a selector that is no pointer',
      text: 'auth:\n- name: a\n  loginEndpointAuth: {endpoint: /l, verb: GET, token: {extractFrom: body, extractSelector: t, sendIn: header, sendName: A}}',
      says: 'auth.yaml:3 /auth/0/loginEndpointAuth/token: t is no JSON pointer (RFC 6901): write /t.',
    },
    {
      name: 'a user without a way in',
      text: 'auth: [{name: a}]',
      says: 'auth.yaml:1 /auth/0: it needs fixedHeaders, loginEndpointAuth, or both.',
    },
    {
      name: 'a name that is taken',
      text: 'auth:\n- {name: a, fixedHeaders: [{name: A, value: b}]}\n- {name: a, fixedHeaders: [{name: A, value: c}]}',
      says: 'auth.yaml:3 /auth/1/name: a is taken.',
    },
  ])('$name', ({ text, says }) => {
    const [first] = read(text).faults;
    if (says instanceof RegExp) expect(first).toMatch(says);
    else expect(first).toBe(says);
  });
});
