import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readAuthFile } from './auth-file.ts';
import { optionTable } from './options.ts';

const read = (text: string) => readAuthFile('auth.yaml', text, 1);

test('users with fixed headers, with a template, and with current and earlier spellings of a token', () => {
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
    password: undefined,
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

test('created users get their own names at all placeholders, the same names in the next run', () => {
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

test('an empty member comes from the template, and so does an empty user', () => {
  const { users, faults } = read(`
auth: [{name: one, fixedHeaders: null}, null]
authTemplate: {name: two, fixedHeaders: [{name: A, value: b}]}
`);
  expect(faults).toEqual([]);
  expect(users.map(({ name, headers }) => [name, headers])).toEqual([
    ['one', [['A', 'b']]],
    ['two', [['A', 'b']]],
  ]);
});

test('a user may have cookies and fixed headers, and a token from a header by its earlier spelling', () => {
  const { users, faults } = read(`
auth: [{name: one}, {name: two, loginEndpointAuth: {token: {extractFromHeader: X-Token, httpHeaderName: A}, expectCookies: false}}]
authTemplate: {fixedHeaders: [{name: A, value: b}], loginEndpointAuth: {endpoint: /l, verb: GET, expectCookies: true}}
`);
  expect(faults).toEqual([]);
  expect(users).toMatchObject([
    { headers: [['A', 'b']], login: { endpoint: '/l', expectCookies: true } },
    { login: { expectCookies: false, token: { extractFrom: 'header', extractSelector: 'X-Token', sendIn: 'header' } } },
  ]);
});

describe('a generated value', () => {
  const made = (generator: string, seed = 1) => {
    const text = `
auth: [{name: a}]
authTemplate:
  createUsers: {endpoint: /users, verb: POST, generators: [{placeHolder: "{$p}", ${generator}}]}
  loginEndpointAuth:
    {endpoint: /l, verb: POST, contentType: text/json, expectCookies: true, headers: [{name: X-P, value: "{$p}"}],
    payloadUserPwd: {username: a, password: "{$p}", usernameField: u, passwordField: p}}
`;
    const { users, faults } = readAuthFile('auth.yaml', text, seed);
    expect(faults).toEqual([]);
    return users[0]?.login;
  };

  test.each([
    { name: 'sixteen characters, including its affixes', generator: 'prefix: u_', want: /^u_[0-9a-f]{14}$/ },
    { name: 'sixteen characters even if more are allowed', generator: 'maxLength: 40', want: /^[0-9a-f]{16}$/ },
    { name: 'the required length', generator: 'minLength: 20', want: /^[0-9a-f]{20}$/ },
    { name: 'one character between long affixes', generator: 'maxLength: 2, prefix: abc', want: /^abc[0-9a-f]$/ },
  ])('has $name', ({ generator, want }) => expect(made(generator)?.password).toMatch(want));

  test('is used in headers, body and password, and depends on the seed', () => {
    const login = made('postfix: x');
    expect(login?.headers).toEqual([
      ['content-type', 'text/json'],
      ['X-P', login?.password],
    ]);
    expect(login?.body).toBe(JSON.stringify({ u: 'a', p: login?.password }));
    expect(made('postfix: x', 2)?.password).not.toBe(login?.password);
  });
});

test('the file in the README is valid, and the options that the README names exist', async () => {
  const page = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const { users, faults } = read(/```yaml\n(auth:.+?)```/s.exec(page)?.[1] ?? '');
  expect([users.map(({ name }) => name), faults]).toEqual([['ada', 'bob'], []]);
  const known = Object.values(optionTable).map(({ flags }) => flags.split(' ')[0]);
  const named = new Set(page.match(/--[a-z][a-z-]*(?=[ `'=\n,;])/g));
  expect(named.size).toBeGreaterThan(10);
  expect(
    [...named].filter((name) => name !== '--help' && name !== '--scope' && !known.includes(name as never)),
  ).toEqual([]);
});

describe('names each fault and its place', () => {
  test.each([
    { name: 'invalid YAML', text: 'auth: [', message: /^auth\.yaml:\d+ / },
    { name: 'a list instead of an object', text: '- a', message: 'auth.yaml:1 The document is not an object.' },
    { name: 'no user', text: 'auth: []', message: 'auth.yaml:1 /auth: expected a list of users.' },
    {
      name: 'a misspelt member',
      text: 'auth:\n  - name: a\n    fixedHeader: []',
      message:
        'auth.yaml:3 /auth/0/fixedHeader: the format has no such member. Did you mean fixedHeaders? There are: name, requireMockHandling, fixedHeaders, loginEndpointAuth, createUsers.',
    },
    {
      name: 'a wrong type',
      text: 'auth:\n  - name: a\n    fixedHeaders:\n      - name: X\n        value: 7',
      message: 'auth.yaml:5 /auth/0/fixedHeaders/0/value: expected text, found a number. Put it in quotes.',
    },
    {
      name: 'a password that YAML reads as a number, without showing it',
      text: 'auth:\n  - name: a\n    loginEndpointAuth:\n      payloadUserPwd: {username: a, password: 98765}',
      message:
        'auth.yaml:4 /auth/0/loginEndpointAuth/payloadUserPwd/password: expected text, found a number. Put it in quotes.',
    },
    {
      name: 'an unknown verb',
      text: 'auth:\n  - name: a\n    loginEndpointAuth: {endpoint: /l, verb: post, expectCookies: true}',
      message: 'auth.yaml:3 /auth/0/loginEndpointAuth/verb: "post" is not one of POST, GET, PATCH, DELETE, PUT.',
    },
    {
      name: 'neither endpoint, nor verb, nor token',
      text: 'auth:\n  - name: a\n    loginEndpointAuth: {payloadRaw: x}',
      message: 'auth.yaml:3 /auth/0/loginEndpointAuth: the request needs either endpoint or externalEndpointURL.',
    },
    {
      name: 'a selector that is not a pointer',
      text: 'auth:\n- name: a\n  loginEndpointAuth: {endpoint: /l, verb: GET, token: {extractFrom: body, extractSelector: t, sendIn: header, sendName: A}}',
      message: 'auth.yaml:3 /auth/0/loginEndpointAuth/token: t is not a JSON pointer (RFC 6901): write /t.',
    },
    {
      name: 'a user without a log-in',
      text: 'auth: [{name: a}]',
      message: 'auth.yaml:1 /auth/0: the user needs fixedHeaders, loginEndpointAuth, or both.',
    },
    {
      name: 'a repeated name',
      text: 'auth:\n- {name: a, fixedHeaders: [{name: A, value: b}]}\n- {name: a, fixedHeaders: [{name: A, value: c}]}',
      message: 'auth.yaml:3 /auth/1/name: another user is called a.',
    },
  ])('$name', ({ text, message }) => {
    const [first] = read(text).faults;
    if (message instanceof RegExp) expect(first).toMatch(message);
    else expect(first).toBe(message);
  });

  const login = (members: string) => `name: a, loginEndpointAuth: {endpoint: /l, verb: GET, ${members}}`;
  const token = (members: string) => login(`token: {${members}}`);
  const payload = 'username: a, password: b, usernameField: u, passwordField: p';
  const [ofUser, ofLogin] = ['', '/loginEndpointAuth'];
  const fixed = 'fixedHeaders: [{name: A, value: b}]';
  test.each([
    { user: fixed, at: ofUser, message: 'the user needs a name.' },
    { user: `name: a, name: a, ${fixed}`, at: '/name', message: 'the member is repeated.' },
    { user: 'name: [a]', at: '/name', message: 'expected text, found a list.' },
    { user: 'name: a, fixedHeaders: {A: b}', at: '/fixedHeaders', message: 'expected a list.' },
    { user: 'name: a, loginEndpointAuth: 7', at: ofLogin, message: 'expected an object.' },
    {
      user: login('contentType: text/plain'),
      at: ofLogin,
      message: 'the log-in needs expectCookies: true, or a token.',
    },
    {
      user: login('expectCookies: yes'),
      at: `${ofLogin}/expectCookies`,
      message: 'expected true or false, found text.',
    },
    {
      user: login('expectCookies: true, externalEndpointURL: "https://a.example"'),
      at: ofLogin,
      message: 'the request needs either endpoint or externalEndpointURL.',
    },
    {
      user: 'name: a, loginEndpointAuth: {externalEndpointURL: "ftp://a.example", verb: GET, expectCookies: true}',
      at: `${ofLogin}/externalEndpointURL`,
      message: 'ftp://a.example is not an http address.',
    },
    {
      user: 'name: a, loginEndpointAuth: {endpoint: /l, expectCookies: true}',
      at: ofLogin,
      message: 'the request needs a verb, such as POST.',
    },
    {
      user: login(`expectCookies: true, payloadUserPwd: {${payload}}`),
      at: ofLogin,
      message: 'the payload needs a contentType.',
    },
    {
      user: login(`expectCookies: true, contentType: text/xml, payloadUserPwd: {${payload}}`),
      at: `${ofLogin}/contentType`,
      message: 'text/xml: payloadUserPwd is written as JSON or as a form; use payloadRaw.',
    },
    {
      user: login(
        `expectCookies: true, contentType: text/json, payloadUserPwd: {${payload.replace('password: b, ', '')}}`,
      ),
      at: `${ofLogin}/payloadUserPwd`,
      message: 'the payload needs password.',
    },
    {
      user: token('extractFrom: body, extractSelector: "", sendIn: header'),
      at: `${ofLogin}/token`,
      message: 'the token needs sendName.',
    },
    {
      user: token('extractFrom: body, extractSelector: "", sendIn: query, sendName: t, sendTemplate: "{t}"'),
      at: `${ofLogin}/token`,
      message: 'sendTemplate needs the placeholder {token}.',
    },
    {
      user: `name: a, ${fixed}, createUsers: {endpoint: /u, verb: PUT, generators: [{prefix: a}]}`,
      at: '/createUsers/generators',
      message: 'each generator needs a placeHolder.',
    },
    {
      user: `name: a, naqqq: 1, ${fixed}`,
      at: '/naqqq',
      message:
        'the format has no such member. There are: name, requireMockHandling, fixedHeaders, loginEndpointAuth, createUsers.',
    },
  ])('of {$user}: $message', ({ user, at, message }) => {
    expect(read(`auth: [{${user}}]`).faults).toEqual([`auth.yaml:1 /auth/0${at}: ${message}`]);
  });
});
