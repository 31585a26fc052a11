import { expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { kindOf } from './operation-kinds.ts';
import { type Permissions, refuseOperation } from './permissions.ts';

const text = `
openapi: 3.1.0
info: {title: T, version: '1'}
paths:
  /token: {post: {operationId: token, responses: {'200': {description: ok}}}}
  /books:
    get: {operationId: list, responses: {}}
    post: {operationId: add, responses: {'200': {description: ok}}}
  /books/{id}:
    put: {operationId: replace, responses: {}}
    delete: {operationId: remove, responses: {}}
  /books/{id}/reset: {post: {operationId: reset, responses: {'204': {description: ok}}}}
  /books/search: {post: {operationId: search, responses: {'200': {description: ok}}}}
  /count: {post: {operationId: count, x-effect: none, responses: {'200': {description: ok}}}}
  /pay: {post: {operationId: pay, x-idempotency: natural, responses: {'200': {description: ok}}}}
  /open: {post: {operationId: open, x-effect: physical, responses: {'200': {description: ok}}}}
  /letters: {post: {operationId: write, responses: {'201': {description: made}}}}
  /shutdown: {post: {operationId: halt, responses: {'201': {description: Default}}}}
  /books/{id}/clear: {post: {operationId: clear, responses: {'201': {description: Default}}}}
  /auth/refresh: {post: {operationId: renew, responses: {'201': {description: Default}}}}
  /notes: {post: {operationId: note, responses: {'204': {description: made, headers: {Location: {schema: {type: string}}}}}}}
components:
  securitySchemes:
    O: {type: oauth2, flows: {clientCredentials: {tokenUrl: https://id.example/token, scopes: {}}}}
`;
const contract = readContract('a.yaml', text);
const permissions: Permissions = { effects: [], readOnly: false, writes: 'restore' };

const kinds = [
  ['list', 'read'],
  ['token', 'read'],
  ['count', 'read'],
  ['add', 'create'],
  ['write', 'create'],
  ['note', 'create'],
  ['replace', 'change'],
  ['remove', 'remove'],
  ['reset', 'action'],
  ['search', 'action'],
  ['pay', 'action'],
  ['open', 'action'],
  ['halt', 'action'],
  ['clear', 'action'],
  ['renew', 'action'],
] as const;

function named(id: string) {
  const found = contract.operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
}

test.each(kinds)('the kind of %s is %s', (id, kind) => {
  expect(kindOf(contract, named(id))).toBe(kind);
});

test('an action is sent if all writes are allowed, if it is idempotent, or if its effect is allowed', () => {
  const sent = (change: Partial<Permissions>): string[] =>
    kinds.map(([id]) => id).filter((id) => !refuseOperation(contract, named(id), { ...permissions, ...change }));
  const plain = ['list', 'token', 'count', 'add', 'write', 'note', 'replace', 'remove', 'pay'];
  expect(sent({})).toEqual(plain);
  expect(sent({ writes: 'owned' })).toEqual(plain);
  expect(sent({ effects: ['physical'] })).toEqual([...plain, 'open']);
  expect(sent({ writes: 'all' })).toEqual([...plain.slice(0, -1), 'reset', 'search', 'pay', 'halt', 'clear', 'renew']);
  expect(sent({ readOnly: true })).toEqual(['list']);
});
