import { expect, test } from 'vitest';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { watchContamination } from './contamination.ts';

const responses = { 200: { description: 'OK' } };
const contract = contractOf({
  '/books': { get: { operationId: 'list', responses } },
  '/shelves/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    delete: { operationId: 'drop', responses },
  },
});

test.each([
  { status: 500, since: { writes: ['drop'], control: 'list', status: 500 } },
  { status: 404, since: { writes: ['drop'], control: 'list', status: 404 } },
  { status: 401, since: undefined },
  { status: 429, since: undefined },
])(
  'a control that is answered $status excuses a failure only where that is about the data',
  async ({ status, since }) => {
    const read = (came: number) => exchangeOf(contract, { operation: 'list', status: came });
    const controls = watchContamination(contract, { isOwned: () => false }, async () => read(status));
    controls.onRound([read(200), exchangeOf(contract, { operation: 'drop', status: 200 })]);
    const [failure] = await controls.beginControls()([exchangeOf(contract, { operation: 'drop', status: 500 })], 9);
    expect(failure?.since).toEqual(since);
  },
);
