import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Operation } from '@lockstep/contract/operations';
import { parseUrlEncoded } from '@lockstep/runtime/form/parse-url-encoded';
import { describe, expect, test } from 'vitest';
import { createPresenceCheck } from './authenticate.ts';
import { Fault } from './fault/fault.ts';

const authenticate = createPresenceCheck({
  info: { title: 'A "quoted" name' },
  components: {
    securitySchemes: {
      token: { type: 'oauth2', flows: {} },
      client: { type: 'http', scheme: 'Basic' },
      headerKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
      queryKey: { type: 'apiKey', in: 'query', name: 'key' },
      cookieKey: { type: 'apiKey', in: 'cookie', name: 'sid' },
    },
  },
});

interface Given {
  readonly alternatives: Operation['security'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** What is wrong; `undefined` where the request passes. */
function refusal({ alternatives, headers = {}, query = '' }: Given): Fault | undefined {
  const request = new IncomingMessage(new Socket());
  for (const [name, value] of Object.entries(headers)) {
    request.headers[name] = value;
    request.headersDistinct[name] = [value];
  }
  try {
    authenticate({ request, query: parseUrlEncoded(query), alternatives });
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

const cases: readonly (Given & { name: string; says: string | undefined })[] = [
  {
    name: 'a token',
    alternatives: [{ token: [] }],
    headers: { authorization: 'BEARER a.b-c_d~e+f/g==' },
    says: undefined,
  },
  {
    name: 'no token',
    alternatives: [{ token: [] }],
    says: 'The header Authorization is missing: send Bearer <access token>',
  },
  {
    name: 'a word before the scheme',
    alternatives: [{ token: [] }],
    headers: { authorization: 'x Bearer a' },
    says: 'The header Authorization is malformed: send Bearer <access token>',
  },
  { name: 'a client', alternatives: [{ client: [] }], headers: { authorization: 'basic YTpi' }, says: undefined },
  { name: 'a key in a header', alternatives: [{ headerKey: [] }], headers: { 'x-key': 'k' }, says: undefined },
  { name: 'no key in a header', alternatives: [{ headerKey: [] }], says: 'The header X-Key is missing' },
  { name: 'a key in the query', alternatives: [{ queryKey: [] }], query: 'key=1', says: undefined },
  {
    name: 'an empty key in the query',
    alternatives: [{ queryKey: [] }],
    query: 'key=',
    says: 'The query key is missing',
  },
  { name: 'a key in a cookie', alternatives: [{ cookieKey: [] }], headers: { cookie: 'a=1; sid=2' }, says: undefined },
  {
    name: 'the second alternative',
    alternatives: [{ token: [] }, { headerKey: [] }],
    headers: { 'x-key': 'k' },
    says: undefined,
  },
  {
    name: 'one of two that are both needed',
    alternatives: [{ token: [], headerKey: [] }],
    headers: { 'x-key': 'k' },
    says: 'The header Authorization is missing: send Bearer <access token>',
  },
];

describe('the presence check', () => {
  for (const { name, says, ...given } of cases) {
    test(`judges ${name}`, () => expect(refusal(given)?.message).toBe(says));
  }

  test('challenges with every scheme that would do, quoting nothing of the name', () => {
    expect(refusal({ alternatives: [{ token: [] }, { client: [] }] })?.challenge).toBe(
      'Bearer realm="A quoted name", Basic realm="A quoted name"',
    );
  });
});
