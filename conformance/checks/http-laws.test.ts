import { expect, test } from 'vitest';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { httpLaw } from './http-laws.ts';

const responses = { 200: { description: '' } };
const requestBody = { content: { 'application/json': { schema: {} } } };
const contract = contractOf({
  '/items': {
    delete: { operationId: 'clear', responses },
    post: { operationId: 'create', requestBody, responses },
    put: { operationId: 'listed', responses: { ...responses, 415: { description: 'The printer is off' } } },
    get: { operationId: 'read', responses },
  },
  '/manifest': {
    get: { operationId: 'readManifest', responses: { 201: { description: '' } } },
  },
});

const content = { body: Buffer.from('{}') };

test.each([
  { operation: 'clear', status: 415, request: {}, law: 'content-refused-unsent' },
  { operation: 'clear', status: 413, request: {}, law: 'content-refused-unsent' },
  { operation: 'clear', status: 415, request: content, law: undefined },
  { operation: 'listed', status: 415, request: {}, law: undefined },
  { operation: 'create', status: 413, request: {}, law: 'content-refused-unsent' },
  { operation: 'create', status: 415, request: {}, law: undefined },
  { operation: 'read', status: 201, request: {}, law: '201-to-read' },
  { operation: 'readManifest', status: 201, request: {}, law: undefined },
])('$operation, answered $status to $request: $law', ({ operation, status, request, law }) => {
  const verdicts = httpLaw.judge(exchangeOf(contract, { operation, status, request }), contextOf(contract));
  expect(verdicts.flatMap(({ failures }) => failures.map(({ keyword }) => keyword))).toEqual(
    law === undefined ? [] : [law],
  );
});

const page = contractOf({ '/items': { get: { operationId: 'read', responses } } });

test.each([
  { headers: { date: '2026-03-01T12:00:00Z' }, law: 'date-value' },
  { headers: { date: 'Sun, 06 Nov 1994 08:49:37 GMT', age: '7' }, law: undefined },
  { headers: { age: '-1' }, law: 'age-value' },
  { headers: { 'content-type': 'application/json' }, body: '\ufeff{}', law: 'json-byte-order-mark' },
  { headers: { 'content-type': 'text/csv' }, body: '\ufeffa;b', law: undefined },
])('an answer with $headers and the content $body: $law', ({ headers, body = '{}', law }) => {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  const verdicts = httpLaw.judge(exchangeOf(page, { headers: given, body }), contextOf(page));
  expect(verdicts.flatMap(({ failures }) => failures.map(({ keyword }) => keyword))).toEqual(
    law === undefined ? [] : [law],
  );
});
