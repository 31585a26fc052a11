import { expect, test } from 'vitest';
import { checks } from '../checks/checks.ts';
import { readPointer } from '../contract/document.ts';
import { readContractFile } from '../contract/read-contract.ts';
import { apis } from '../planted/apis.ts';
import { accepted, planObligations } from './obligations.ts';

const contract = await readContractFile(apis.library.file);

test('each obligation has an address of its own and names a part of the contract', () => {
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

test('what was violated once stays so, and is not counted as met', () => {
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

test('a place that no plan foresaw counts as well', () => {
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error('no operation');
  const obligations = planObligations([operation], []);
  obligations.settle(operation, 'body-schema', 'response 418 text/plain', true);
  expect(obligations.count()).toEqual({ met: 1, all: 2 });
});
