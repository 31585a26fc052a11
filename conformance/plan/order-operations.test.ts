import { expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { orderOperations } from './order-operations.ts';

const text = `
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

test('whoever needs an id comes after those that hand it out, removals at the end, children first, circles or not', () => {
  const rounds = orderOperations(readContract('a.yaml', text).operations).map((round) => round.map(({ id }) => id));
  const at = (id: string): number => rounds.findIndex((round) => round.includes(id));
  expect(at('getPet')).toBeGreaterThan(at('pets'));
  expect(at('putPet')).toBeGreaterThan(at('getPet'));
  expect(rounds.slice(-2)).toEqual([['dropToy'], ['dropPet']]);
  expect(rounds.flat().sort()).toEqual(['addToy', 'dropPet', 'dropToy', 'getPet', 'pets', 'putPet', 'shops']);
});
