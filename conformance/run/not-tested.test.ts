import { expect, test } from 'vitest';
import type { Obligation } from '../plan/plan.ts';
import { contractOf } from '../seeded/by-hand.ts';
import type { Reason } from './contract-coverage.ts';
import {
  describeExcluded,
  describeNotReached,
  describeUncovered,
  describeUnreached,
  describeUnsent,
} from './not-tested.ts';

const responses = { 200: { description: 'OK' } };
const contract = contractOf({
  '/a': { get: { operationId: 'readA', responses } },
  '/b': { get: { operationId: 'readB', responses } },
});

test('parts that the options exclude are named', () => {
  const all = describeExcluded({
    contract,
    selected: contract.operations.slice(1),
    checks: ['http-law'],
    allChecks: ['http-law', 'slow'],
  });
  expect(all).toEqual(['excluded by the options: 1 of 2 operations, readA', 'excluded by --check: slow']);
});

test('open obligations are listed by reason: not seen, not judged, never accepted', () => {
  const open: Obligation = {
    ...{ id: '', pointer: '#', keyword: undefined, polarity: 'valid', operation: 'readA' },
    ...{ check: 'body-schema', place: 'response 200', state: 'not reached', reason: 'why' },
  };
  const met: Obligation = { ...open, state: 'met' };
  expect(describeNotReached([met, { ...open, state: 'violated' }], [])).toEqual([]);
  const all = [met, open, { ...open, isUnjudged: true }, { ...open, operation: 'b' }] as const;
  expect(describeNotReached(all, ['b'])).toEqual([
    'no answer that could prove it: 1 obligation of 4, 1 of body-schema',
    'not judged, as why: readA body-schema response 200',
  ]);
  expect([describeUnreached(all, []), describeUnreached(all, ['b'])]).toEqual([
    [],
    ['never accepted: b, with 1 obligation'],
  ]);
});

test('uncovered parts are listed by kind and reason, unless a larger part implies them', () => {
  const keyword = (pointer: string, reason: Reason) => ({ pointer, keyword: 'type', line: 1, seen: false, reason });
  const lines = describeUncovered({
    operations: [{ operation: 'readA', isReached: true, requests: 1, seen: [200], unseen: ['404', '4XX'] }],
    ...{ reached: 1, responses: 3, responsesSeen: 1, requestKeywords: [] },
    parts: [
      { kind: 'scopes', all: 1, covered: 0, uncovered: [{ name: 'A write', reason: 'not in any accepted request' }] },
      { kind: 'parameters', all: 2, covered: 2, uncovered: [] },
    ],
    responseKeywords: [
      ...['type', 'enum', 'const'].map((name) => keyword(`#/a/${name}`, 'not in any answer')),
      ...['b', 'c', 'd'].map((name) => keyword(`#/${name}/type`, 'not in any answer')),
      keyword('#/e/type', 'only in responses that were not seen'),
    ],
  });
  expect(lines).toEqual([
    '6 of 7 response keywords not in any answer: #/a, #/b, #/c and 1 more',
    '1 of 1 scopes not in any accepted request: A write',
    '2 of 3 documented responses were not seen: 1 of 404, 1 of 4XX',
  ]);
});

test('operations that a run would not call are grouped by reason', () => {
  const unsent = [
    { id: 'a', notSent: 'x' },
    { id: 'b', notSent: 'y' },
    { id: 'c', notSent: 'x' },
  ];
  expect(describeUnsent(unsent)).toEqual(['not sent: a, c: x', 'not sent: b: y']);
});
