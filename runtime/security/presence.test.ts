import { expect, test } from 'vitest';
import type { Operation } from '../operation.ts';
import { lookForCredentials } from './presence.ts';

const document = {
  components: {
    securitySchemes: {
      token: { type: 'oauth2' },
      key: { type: 'apiKey', in: 'cookie', name: 'sid' },
      basic: { type: 'http', scheme: 'basic' },
      digest: { type: 'http', scheme: 'digest' },
      certificate: { type: 'mutualTLS' },
    },
  },
};

const operationWith = (security: Operation['security']): Operation => ({
  operationId: 'a',
  method: 'get',
  basePath: '',
  path: '/',
  pointer: '#/paths/~1/get',
  parameters: [],
  requestBody: null,
  security,
  extensions: {},
});

const mutualTls = (open: readonly string[]) => [{ name: 'certificate', type: 'mutualTLS', open, closed: [] }];

test.each([
  { name: 'nothing of nobody', security: [], left: [], blind: [] },
  { name: 'what may be left out', security: [{}, { key: [] }], left: [{}, { key: [] }], blind: [] },
  {
    name: 'the rest of an alternative',
    security: [{ certificate: [], key: [] }],
    left: [{ key: [] }],
    blind: mutualTls([]),
  },
  {
    name: 'the other alternative',
    security: [{ certificate: [] }, { token: ['x'] }],
    left: [{ token: ['x'] }],
    blind: mutualTls([]),
  },
  { name: 'nothing where there is no other', security: [{ certificate: [] }], left: [], blind: mutualTls(['a']) },
  {
    name: 'a scheme that is not declared, which nobody satisfies',
    security: [{ gone: [] }],
    left: [{ gone: [] }],
    blind: [{ name: 'gone', type: 'undeclared', open: [], closed: ['a'] }],
  },
  {
    name: 'the other alternative of a scheme that is not declared',
    security: [{ gone: [] }, { token: [] }],
    left: [{ gone: [] }, { token: [] }],
    blind: [{ name: 'gone', type: 'undeclared', open: [], closed: [] }],
  },
])('credentials are looked for as far as a request shows them: $name', ({ security, left, blind }) => {
  const found = lookForCredentials(document, { a: operationWith(security as Operation['security']) });
  expect([found.operations.a.security, found.blind]).toEqual([left, blind]);
});

test('one check for each scheme that is asked for and can be looked at', () => {
  const { security } = lookForCredentials(document, {
    a: operationWith([{ digest: [], key: [] }, { certificate: [] }]),
  });
  expect(Object.entries(security).map(([name, { takes }]) => [name, takes])).toEqual([
    ['digest', 'credentials'],
    ['key', 'apiKey'],
  ]);
});

const encoded = (text: string): string => Buffer.from(text).toString('base64');

test.each([
  { scheme: 'token', known: undefined, sent: 'any', kind: 'good' },
  { scheme: 'token', known: ['t1', 't2'], sent: 't2', kind: 'good' },
  { scheme: 'token', known: ['t1'], sent: 't1x', kind: 'bad' },
  { scheme: 'key', known: ['t1'], sent: 'T1', kind: 'bad' },
  { scheme: 'digest', known: ['t1'], sent: 't1', kind: 'good' },
  { scheme: 'basic', known: ['ada:x:y'], sent: encoded('ada:x:y'), kind: 'good' },
  { scheme: 'basic', known: ['ada:x'], sent: encoded('ada:'), kind: 'bad' },
])('of the credentials $known, $sent for $scheme is $kind', ({ scheme, known, sent, kind }) => {
  const found = lookForCredentials(document, { a: operationWith([{ [scheme]: [] }]) }, known);
  expect(found.security[scheme]?.judge(sent, undefined)).toMatchObject({ kind });
});
