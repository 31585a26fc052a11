import { expect, test } from 'vitest';
import { expressionsIn, parseExpression } from './runtime-expression.ts';

const expressions = [
  { given: '$url', want: { of: 'url' } },
  { given: '$statusCode', want: { of: 'statusCode' } },
  { given: '$response.body', want: { of: 'response', in: 'body', pointer: '' } },
  { given: '$response.body#/payload/0/deviceId', want: { of: 'response', in: 'body', pointer: '/payload/0/deviceId' } },
  { given: '$request.path.deviceId', want: { of: 'request', in: 'path', name: 'deviceId' } },
  { given: '$response.header.Location', want: { of: 'response', in: 'header', name: 'Location' } },
  { given: '$response.body.deviceId', want: undefined },
  { given: '$respons.body#/id', want: undefined },
];

for (const { given, want } of expressions) {
  test(`${given} ${want === undefined ? 'is no expression' : `points at ${want.of}`}`, () => {
    expect(parseExpression(given)).toEqual(want);
  });
}

const values = [
  { name: 'an expression alone', given: '$url', want: ['$url'] },
  { name: 'expressions within text', given: 'a {$url} and {$request.path.id}', want: ['$url', '$request.path.id'] },
  { name: 'a constant', given: 'Cleaner', want: [] },
  { name: 'a number', given: 3, want: [] },
];

for (const { name, given, want } of values) {
  test(`finds the expressions in ${name}`, () => expect(expressionsIn(given)).toEqual(want));
}
