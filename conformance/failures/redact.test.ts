import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { Exchange, OutgoingRequest } from '../execute/exchange.ts';
import { plainIntent } from '../seeded/apis.ts';
import { curlLine } from './curl-line.ts';
import { createRedactor } from './redact.ts';

const secretData = {
  properties: {
    data: {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: { properties: { pin: { 'x-sensitive': true } } },
    },
    password: { format: 'password' },
  },
};
const contract = readContract(
  'a.json',
  JSON.stringify({
    openapi: '3.1.0',
    info: {},
    paths: {
      '/a': {
        post: {
          operationId: 'changeDoor',
          requestBody: { content: { 'application/json': { schema: secretData } } },
          responses: {
            200: {
              content: {
                'application/json': {
                  schema: { anyOf: [{ properties: { code: { format: 'password' }, pin: { 'x-sensitive': true } } }] },
                },
              },
            },
          },
        },
      },
    },
  }),
);

function exchangeOf(requestBody: unknown, responseBody: unknown): Exchange {
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error('no operation');
  const body = Buffer.from(JSON.stringify(responseBody));
  return {
    operation,
    intent: plainIntent,
    request: {
      method: 'POST',
      base: '',
      path: '/a',
      headers: [],
      body: requestBody === undefined ? undefined : Buffer.from(JSON.stringify(requestBody)),
    },
    outcome: { kind: 'answer', status: 200, headers: [], body, durationMs: 1 },
    seen: { path: {}, query: {}, requestHeaders: {}, requestBody, responseBody },
    isPause: false,
    atMs: 0,
  };
}

describe('a secret value in an answer', () => {
  test('is redacted in any spelling, and words that only contain it are not', () => {
    const redactor = createRedactor(contract);
    const found = redactor.learn(exchangeOf(undefined, { code: 'a b/c"d+e', pin: 4711 }));
    expect(found.map(({ text }) => text)).toEqual(['a b/c"d+e', '4711']);
    expect(redactor.redact('pin 4711, id 947110, a b/c"d+e, a%20b%2Fc%22d%2Be, a+b%2Fc%22d%2Be, "a b/c\\"d+e"')).toBe(
      'pin ***, id 947110, ***, ***, ***, "***"',
    );
  });

  test('is redacted only at its own place if it is too short, or too common a word', () => {
    const redactor = createRedactor(contract);
    redactor.learn(exchangeOf(undefined, { code: 'no', pin: 12 }));
    redactor.learn(exchangeOf(undefined, { code: 'changeDoor', pin: true }));
    expect(redactor.redact('{"code":"no", "pin": 12, "age": 12, "said": "no"}')).toBe(
      '{"code":"***", "pin": ***, "age": 12, "said": "no"}',
    );
    expect(redactor.redact('changeDoor took {"code":"changeDoor","by":"changeDoor2"}')).toBe(
      'changeDoor took {"code":"***","by":"changeDoor2"}',
    );
  });

  test('is redacted in later requests', () => {
    const redactor = createRedactor(contract);
    redactor.learn(exchangeOf(undefined, { code: 'from-the-server-1' }));
    redactor.learn(exchangeOf({ password: 'from-the-server-1' }, {}));
    expect(redactor.redact('{"password":"from-the-server-1"}')).toBe('{"password":"***"}');
  });
});

test('a generated value stays readable, even if the server returns it as a secret', () => {
  const redactor = createRedactor(contract);
  const invented = { password: 'made-up-password', data: '{"pin":"8812"}' };
  redactor.learn(exchangeOf(invented, { code: 'made-up-password', pin: '8812' }));
  redactor.learn(exchangeOf(undefined, { code: 'made-up-password' }));
  const text = '{"code":"made-up-password","pin":"8812"}';
  expect(redactor.redact(text)).toBe(text);
});

describe('a header that the user gave', () => {
  const headers = [
    ['X-Api-Key', 'k3y-of-the-user'],
    ['X-Tenant', 'eu'],
    ['Authorization', 'Basic dXNlcjpwYXNzLXdvcmQtMQ=='],
    ['Cookie', 'session=abcdef012345; theme=dark'],
  ] as const;
  const redactor = createRedactor(contract, headers);

  test('is redacted as a whole, in its secret parts, and as the value of that header', () => {
    const shown = 'k3y-of-the-user, dXNlcjpwYXNzLXdvcmQtMQ==, pass-word-1, abcdef012345, eu, dark';
    expect(redactor.redact(shown)).toBe('***, ***, ***, ***, eu, dark');
    expect(redactor.headerText('x-tenant', 'eu')).toBe('***');
    expect(redactor.headerText('accept-language', 'eu')).toBe('eu');
  });

  test('is not redacted if it describes content or negotiation', () => {
    const { redact } = createRedactor(contract, [['Accept', 'application/vnd.a+json; version=20260101']]);
    expect(redact('application/vnd.a+json; version=20260101')).toBe('application/vnd.a+json; version=20260101');
  });

  test('is a variable of the curl line, whose name describes it', () => {
    const request = { method: 'GET', base: '', path: '/a?key=k3y-of-the-user', headers, body: undefined };
    const { line, needs } = curlLine(request, { target: 'api' }, redactor);
    expect(line).toBe(
      `curl -i -g --path-as-is -H 'X-Api-Key: '"$HEADER_X_API_KEY" -H 'X-Tenant: '"$HEADER_X_TENANT" -H 'Authorization: '"$HEADER_AUTHORIZATION" -H 'Cookie: '"$HEADER_COOKIE" "$BASE"'/a?key='"$HEADER_X_API_KEY"`,
    );
    expect(Object.keys(needs)).toEqual([
      'BASE',
      'HEADER_X_API_KEY',
      'HEADER_X_TENANT',
      'HEADER_AUTHORIZATION',
      'HEADER_COOKIE',
    ]);
    expect(needs.HEADER_X_API_KEY).toBe('the value of --header X-Api-Key');
  });
});

describe('a curl line, pasted with its variables set, sends the same request', () => {
  const redactor = createRedactor(contract);
  redactor.keep('to"ken 1/', 'TOKEN');
  redactor.keep('narrow-token-2', 'TOKEN');
  redactor.learn(exchangeOf(undefined, { code: 'pass word 77' }));
  const basic = Buffer.from('user:to%22ken+1%2F').toString('base64');
  const values = {
    BASE: 'http://host.example',
    TOKEN: 'to"ken 1/',
    TOKEN_2: 'narrow-token-2',
    SECRET: 'pass word 77',
    SECRET_ENCODED: 'pass%20word%2077',
    TOKEN_FORM: 'to%22ken+1%2F',
    TOKEN_JSON: 'to\\"ken 1/',
  };
  const plain = { method: 'GET', base: '', path: '/a', headers: [], body: undefined };
  const rows: readonly { name: string; request: OutgoingRequest; sends: readonly string[] }[] = [
    {
      name: 'two tokens of one kind',
      request: { ...plain, headers: [['authorization', 'Bearer narrow-token-2']] },
      sends: ['-H', 'authorization: Bearer narrow-token-2'],
    },
    {
      name: 'a secret in the path',
      request: { ...plain, path: '/a/pass%20word%2077?b=1' },
      sends: ['http://host.example/a/pass%20word%2077?b=1'],
    },
    {
      name: 'a secret in JSON, with quotes of a shell around it',
      request: {
        ...plain,
        method: 'POST',
        headers: [['content-type', 'application/json']],
        body: Buffer.from(JSON.stringify({ it: "it's", code: 'pass word 77', token: 'to"ken 1/' })),
      },
      sends: ['--data-raw', '{"it":"it\'s","code":"pass word 77","token":"to\\"ken 1/"}'],
    },
    {
      name: 'a body that curl would read as a file name, without a type',
      request: { ...plain, method: 'PUT', body: Buffer.from('@/etc/hosts') },
      sends: ['-X', 'PUT', '-H', 'content-type:', '--data-raw', '@/etc/hosts'],
    },
    {
      name: 'Basic',
      request: { ...plain, headers: [['authorization', `Basic ${basic}`]] },
      sends: ['-u', 'user:to%22ken+1%2F'],
    },
    { name: 'an empty header', request: { ...plain, headers: [['x-a', '']] }, sends: ['-H', 'x-a;'] },
    { name: 'HEAD', request: { ...plain, method: 'HEAD' }, sends: ['-I'] },
  ];
  test.each(rows)('$name', ({ request, sends }) => {
    const { line, needs } = curlLine(request, { target: 'api' }, redactor);
    for (const value of Object.values(values).slice(1)) expect(line).not.toContain(value);
    for (const name of Object.keys(needs)) expect(values).toHaveProperty(name);
    const shown = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`], { env: values }).toString();
    expect(shown.trimEnd().split('\n')).toEqual(expect.arrayContaining([...sends]));
  });

  test('an address outside the API on the same host, which no option names', () => {
    const { line, needs } = curlLine(
      { ...plain, base: 'http://127.0.0.1:1/token' },
      { target: 'auth', address: '/token' },
      redactor,
    );
    expect(line).toContain(`'http://127.0.0.1:1/token${plain.path}'`);
    expect(needs).not.toHaveProperty('AUTH');
  });

  test('bytes that are not text', () => {
    const body = Buffer.from([0, 0xff, 0x27, 0x41, 0x0a]);
    const request = { ...plain, method: 'POST', headers: [['content-type', 'image/png']] as const, body };
    const { line } = curlLine(request, { target: 'api' }, redactor);
    const sent = execFileSync('sh', ['-c', `curl() { cat; }; ${line}`], { env: values });
    expect(sent).toEqual(body);
  });
});

test('a key that is too long for a regular expression is redacted, as a whole and cut', () => {
  const key = 'a7/'.repeat(100_000);
  const redactor = createRedactor(contract);
  redactor.keep(key);
  expect(redactor.redact(`key=${key}; end`)).toBe('key=***; end');
  expect(redactor.redact(`key=${key.slice(0, 1_200)}; end`)).not.toContain(key.slice(0, 300));
  expect(redactor.pieces(`key=${key}&on`)).toEqual([{ text: 'key=' }, { variable: 'SECRET' }, { text: '&on' }]);
});
