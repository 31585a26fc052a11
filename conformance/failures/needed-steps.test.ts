import { describe, expect, test } from 'vitest';
import type { NumberedExchange } from '../execute/exchange.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { neededSteps } from './needed-steps.ts';

// If these fail, a shrunk finding shows requests that a correct server answers in the same way.

const contract = contractOf({ '/books': { get: { operationId: 'list', responses: {} } } });

/** Steps such as `read: GET /books/1`, in their order; content follows the path. */
function turnOf(...steps: readonly string[]): readonly NumberedExchange[] {
  return steps.map((step, index) => {
    const [role = '', request = ''] = step.split(': ');
    const [method = '', path = '', body] = request.split(' ');
    const probe = { checks: ['any'], name: '', operation: 'list', role };
    const exchange = exchangeOf(contract, { intent: { probe }, request: { method, path } });
    return {
      ...exchange,
      number: index + 1,
      request: { ...exchange.request, body: body ? Buffer.from(body) : undefined },
    };
  });
}

const life = [
  'create: POST /books {}',
  'read: GET /books/1',
  'unknown: GET /books/9',
  'change: PUT /books/1 {"a":1}',
  'read after change: GET /books/1',
  'list: GET /books',
  'delete: DELETE /books/1',
  'deleted read: GET /books/1',
  'list after delete: GET /books',
] as const;

describe('steps that the check does not need are left out', () => {
  test.each<{
    name: string;
    steps: readonly string[];
    shown: string;
    needs: readonly string[];
    want: readonly string[];
  }>([
    { name: 'all after the last one', steps: life, shown: 'create', needs: ['read'], want: ['create', 'read'] },
    {
      name: 'a change with the read after it',
      ...{ steps: life, shown: 'delete', needs: ['read', 'deleted read'] },
      want: ['read', 'delete', 'deleted read'],
    },
    {
      name: 'but not the read between two writes',
      ...{ steps: life, shown: 'delete', needs: ['change', 'deleted read'] },
      want: ['read', 'change', 'read after change', 'delete', 'deleted read'],
    },
    {
      name: 'a list that is followed by the steps of the second object',
      steps: [...life, 'create, second object: POST /books {}', 'read, second object: GET /books/2'],
      ...{ shown: 'change', needs: ['read', 'read after change', 'create, second object', 'read, second object'] },
      want: ['create', 'read', 'change', 'read after change', 'create, second object', 'read, second object'],
    },
    {
      name: 'but not a write that is repeated later, nor the read after it',
      ...{
        steps: [
          'put: PUT /books/1 {"a":1}',
          'read: GET /books/1',
          'again: PUT /books/1 {"a":1}',
          'after: GET /books/1',
        ],
      },
      ...{ shown: 'again', needs: ['after'], want: ['put', 'read', 'again', 'after'] },
    },
    {
      name: 'a walk as a whole',
      ...{
        steps: [
          'a: GET /books?page=1',
          'a: GET /books?page=2',
          'b: GET /books?page=1',
          'b: GET /books?page=2',
          'c: GET /books',
        ],
      },
      ...{ shown: 'c', needs: ['b'], want: ['b', 'b', 'c'] },
    },
    {
      name: 'none, if the check finds nothing in the turn alone',
      ...{
        steps: life.slice(0, 3),
        shown: 'create',
        needs: ['a step of another turn'],
        want: ['create', 'read', 'unknown'],
      },
    },
  ])('$name', ({ steps, shown, needs, want }) => {
    const turn = turnOf(...steps);
    const roleOf = ({ intent }: NumberedExchange): string => intent.probe?.role ?? '';
    const judged = turn.find((one) => roleOf(one) === shown) as NumberedExchange;
    const needed = neededSteps(turn, judged, (part) => {
      const roles = turn.filter((one) => part.has(one)).map(roleOf);
      const count = (of: readonly string[], role: string) => of.filter((one) => one === role).length;
      return needs.every((role) => count(roles, role) > 0 && count(roles, role) === count(turn.map(roleOf), role));
    });
    expect(turn.filter((one) => needed.has(one)).map(roleOf)).toEqual(want);
  });
});
