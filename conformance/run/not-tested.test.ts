import { expect, test } from 'vitest';
import type { Obligation } from '../plan/plan.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { describeExcluded, describeNotReached, describeUnsent } from './not-tested.ts';

const responses = { 200: { description: 'OK' } };
const contract = contractOf({
  '/a': { get: { operationId: 'readA', responses } },
  '/b': { get: { operationId: 'readB', responses } },
});

test('parts that are not built, and parts that the options exclude, are named', () => {
  const all = describeExcluded({
    contract,
    selected: contract.operations.slice(1),
    checks: ['http-law'],
    allChecks: ['http-law', 'slow'],
  });
  const left = all.filter((reason) => !reason.startsWith('not built yet: '));
  expect(all.join('\n')).toMatch(/^not built yet: .*paging.*\nnot built yet: invalid input\n/);
  expect(left).toEqual(['excluded by the options: 1 of 2 operations, readA', 'excluded by --check: slow']);
});

test('open obligations are listed by reason: never accepted, not judged, not seen', () => {
  const open: Obligation = {
    ...{ id: '', pointer: '#', keyword: undefined, polarity: 'valid', operation: 'readA' },
    ...{ check: 'body-schema', place: 'response 200', state: 'not reached', reason: 'why' },
  };
  const met: Obligation = { ...open, state: 'met' };
  expect(describeNotReached([met, { ...open, state: 'violated' }], [])).toEqual([]);
  expect(describeNotReached([met, open, { ...open, isUnjudged: true }, { ...open, operation: 'b' }], ['b'])).toEqual([
    'never accepted: b, with 1 obligation',
    'not judged, as why: readA body-schema response 200',
    'no answer that could prove it: 1 obligation of 4, 1 of body-schema',
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
