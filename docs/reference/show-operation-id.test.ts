import { expect, test } from 'vitest';
import { showOperationId } from './show-operation-id.ts';

test.each([
  [
    'appends the id to the description',
    { operationId: 'getDoor', description: 'Gets a door.\n' },
    'Gets a door.\n\nOperation id: `getDoor`',
  ],
  ['is the description where there is none', { operationId: 'getDoor' }, 'Operation id: `getDoor`'],
  ['leaves an operation without an id', { description: 'Gets a door.' }, 'Gets a door.'],
])('the id of an operation: %s', (_, operation: Record<string, unknown>, want) => {
  showOperationId(operation);
  expect(operation.description).toBe(want);
});
