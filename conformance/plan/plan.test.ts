import { expect, test } from 'vitest';
import { checks } from '../checks/checks.ts';
import { readPointer } from '../contract/document.ts';
import { readContract, readContractFile } from '../contract/read-contract.ts';
import { apis } from '../seeded/apis.ts';
import { accepted, orderOperations, planObligations } from './plan.ts';

const circles = `
openapi: 3.1.0
info: {title: T, version: '1'}
paths:
  /pets/{petId}/toys/{toyId}: {delete: {operationId: dropToy, responses: {}}}
  /pets/{petId}/toys: {post: {operationId: addToy, responses: {}}}
  /pets/{petId}:
    delete: {operationId: dropPet, responses: {}}
    put: {operationId: putPet, responses: {}}
    get: {operationId: getPet, responses: {'200': {links: {Self: {operationId: getPet}}}}}
  /shops: {get: {operationId: shops, responses: {'200': {links: {Pets: {operationId: pets}}}}}}
  /pets: {get: {operationId: pets, responses: {'200': {links: {Back: {operationId: shops}}}}}}
`;

test('an operation that needs an id comes after its producers, deletions last, children first, even with cycles', () => {
  const rounds = orderOperations(readContract('a.yaml', circles).operations).map((round) => round.map(({ id }) => id));
  const at = (id: string): number => rounds.findIndex((round) => round.includes(id));
  expect(at('getPet')).toBeGreaterThan(at('pets'));
  expect(at('putPet')).toBeGreaterThan(at('getPet'));
  expect(rounds.slice(-2)).toEqual([['dropToy'], ['dropPet']]);
  expect(rounds.flat().sort()).toEqual(['addToy', 'dropPet', 'dropToy', 'getPet', 'pets', 'putPet', 'shops']);
});

const contract = await readContractFile(apis.library.file);

test('each obligation has its own key and names a part of the contract', () => {
  const all = planObligations(contract.operations, checks).close(() => undefined);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.filter(({ pointer }) => readPointer(contract.root, pointer) === undefined)).toEqual([]);
  expect(all.find(({ place }) => place === 'response 200 header X-Total')).toMatchObject({
    id: 'listBooks header-schema response 200 header X-Total',
    pointer: '#/paths/~1books/get/responses/200/headers/X-Total',
    polarity: 'valid',
    state: 'not reached',
  });
});

test('a violated obligation stays violated, and does not count as met', () => {
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error('no operation');
  const obligations = planObligations([operation], []);
  const settle = (isMet: boolean): void => obligations.settle(operation, 'baseline', accepted, isMet);
  settle(true);
  settle(true);
  expect(obligations.count()).toEqual({ met: 1, all: 1 });
  settle(false);
  settle(true);
  expect([obligations.count(), obligations.close(() => undefined).map(({ state }) => state)]).toEqual([
    { met: 0, all: 1 },
    ['violated'],
  ]);
});

test('an unplanned place counts too', () => {
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error('no operation');
  const obligations = planObligations([operation], []);
  obligations.settle(operation, 'body-schema', 'response 418 text/plain', true);
  expect(obligations.count()).toEqual({ met: 1, all: 2 });
});
