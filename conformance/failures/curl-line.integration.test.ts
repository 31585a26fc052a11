// A shell runs each line of a report: the server has to receive the same request.
import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { serve, type TestRequest } from '../seeded/serve.ts';

const text = { type: 'string' };
const enumOf = (...values: readonly unknown[]) => ({ enum: values });
const param = (name: string, where: string, schema: object, more: object = {}) => {
  return { name, in: where, required: true, schema, ...more };
};
const bodyOf = (type: string, schema: object) => ({ required: true, content: { [type]: { schema } } });
const object = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** Requests that a shell or curl may change. */
const operations: Readonly<Record<string, object>> = {
  plain: { get: {} },
  quotes: { get: { parameters: [param('q', 'query', enumOf(`it's "50 %" & $HOME \`id\` \\ #1`))] } },
  globs: { get: { parameters: [param('filter', 'query', enumOf('[a-z]{1,2}'), { allowReserved: true })] } },
  unicode: { get: { parameters: [param('name', 'query', enumOf('Zoë 🚪 ／'))] } },
  'dots/{place}': { get: { parameters: [param('place', 'path', enumOf('..', '.', 'a/../b'))] } },
  headers: {
    get: { parameters: [param('X-Empty', 'header', enumOf('')), param('X-Odd', 'header', enumOf('a \'b\' "c"'))] },
  },
  cookies: { get: { parameters: [param('taste', 'cookie', enumOf('dark; sweet'))] } },
  head: { head: {} },
  options: { options: {} },
  json: {
    put: { requestBody: bodyOf('application/json', object({ a: enumOf("it's\n@file \\n $x"), n: enumOf(1e21) })) },
  },
  controls: { post: { requestBody: bodyOf('text/plain', enumOf("it's \u001b[2J\u2028 %s \\n\n\n")) } },
  empty: { post: {} },
  'at-sign': { post: { requestBody: bodyOf('text/plain', enumOf('@/etc/hostname')) } },
  form: {
    post: {
      requestBody: bodyOf('application/x-www-form-urlencoded', object({ a: enumOf('1&2=3 %'), b: enumOf('é') })),
    },
  },
  bytes: { post: { requestBody: bodyOf('application/octet-stream', { type: 'string', format: 'binary' }) } },
  parts: {
    post: {
      requestBody: bodyOf('multipart/form-data', object({ name: text, file: { type: 'string', format: 'binary' } })),
    },
  },
  patch: {
    patch: { requestBody: bodyOf('application/merge-patch+json', object({ password: { ...text, writeOnly: true } })) },
  },
  deletion: { delete: { requestBody: bodyOf('application/json', { type: 'array', items: text, minItems: 1 }) } },
  'by-query': { get: { security: [{ InQuery: [] }] } },
  'by-cookie': { get: { security: [{ InCookie: [] }] } },
  basic: { get: { security: [{ Basic: [] }] } },
};

const token = "token-31-with-$-and-'";
const contract = contractOf(
  Object.fromEntries(
    Object.entries(operations).map(([name, item]) => [
      `/${name}`,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          { operationId: name, responses: { 200: { description: 'OK' }, '4XX': { description: 'No' } }, ...operation },
        ]),
      ),
    ]),
  ),
  {
    securitySchemes: {
      InQuery: { type: 'apiKey', in: 'query', name: 'key' },
      InCookie: { type: 'apiKey', in: 'cookie', name: 'session' },
      Basic: { type: 'http', scheme: 'basic' },
    },
  },
);

const credentials = { token, clientId: 'the client', clientSecret: 'se:cr et"31' };

test.each(Object.keys(operations))('%s', async (name) => {
  const seen: TestRequest[] = [];
  const served = await serve((request) => {
    seen.push(request);
    return { status: 299 };
  });
  const result = await runConformance(
    contract,
    testOptions('library', served.origin, {
      baseUrl: served.origin,
      authUrl: undefined,
      credentials,
      headers: [['X-Partner', "partner's key 31"]],
      selection: { only: [name], exclude: [] },
      permissions: { effects: [], readOnly: false, writes: 'all' },
    }),
  );
  const first = seen[0];
  const [finding] = result.findings;
  expect([finding?.check, finding?.pointer.startsWith('#/paths/'), finding?.clause]).toEqual([
    'status-undocumented',
    true,
    'OpenAPI, Responses Object',
  ]);
  const secrets: Readonly<Record<string, string>> = {
    BASE: served.origin,
    TOKEN: token,
    TOKEN_ENCODED: encodeURIComponent(token),
    TOKEN_FORM: encodeURIComponent(token),
    CLIENT_SECRET: credentials.clientSecret,
    CLIENT_SECRET_FORM: new URLSearchParams([['', credentials.clientSecret]]).toString().slice(1),
    HEADER_X_PARTNER: "partner's key 31",
  };
  const needs = Object.keys(finding?.curlNeeds ?? {});
  const own = needs.filter((variable) => secrets[variable] === undefined);
  // A value that the run generated and the contract calls secret is known only to the server.
  const made = /"password":"([^"]*)"/.exec(first?.body ?? '')?.[1];
  const env = { PATH: process.env.PATH, ...secrets, ...Object.fromEntries(own.map((variable) => [variable, made])) };
  const pasted = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', finding?.curl ?? ''], { env }, (error, out, complaint) => resolve(error ? complaint : out));
  });
  const again = seen.at(-1);
  await served.close();
  expect(pasted).toContain('HTTP/1.1 299');
  expect(finding?.curl).not.toMatch(/31-with|se:cr|partner's key|[\p{Cc}\u2028]/u);
  expect(again === undefined ? again : comparable(again)).toEqual(first === undefined ? first : comparable(first));
  expect(seen.length).toBeGreaterThan(1);
});

function comparable({ method, path, query, headers, body }: TestRequest) {
  const { host, connection, 'user-agent': agent, ...own } = headers;
  void [host, connection, agent];
  return { method, path, query: String(query), headers: own, body };
}
