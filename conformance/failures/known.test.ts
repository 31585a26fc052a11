import { describe, expect, test } from 'vitest';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import type { Failure } from './failure.ts';
import { collectFindings, type KnownFailure } from './finding.ts';
import { divideFindings, findGone } from './known.ts';
import { createRedactor } from './redact.ts';

const responses = { 200: { description: 'OK' } };
const contract = contractOf(
  Object.fromEntries(['a', 'b', 'c'].map((name) => [`/${name}`, { get: { operationId: name, responses } }])),
);

type Shown = readonly [operation: string, change?: Partial<Failure>];

function collect(failures: readonly Shown[]) {
  const findings = collectFindings({
    ...createRedactor(contract),
    excerptAt: () => ({ line: 1, first: 1, lines: [] }),
    isDivided: true,
  });
  for (const [operation, change] of failures) {
    const failure: Failure = {
      ...{ check: 'body-schema', severity: 'defect', place: 'response 200 body /x', pointer: '#/x', keyword: 'type' },
      ...{ clause: '', message: 'must be string', causes: [['x']] },
      ...change,
    };
    findings.add(failure, operation === '' ? undefined : exchangeOf(contract, { operation }));
  }
  return findings.causes();
}

const [cause] = collect([['a']]);
const id = cause?.finding.id ?? '';
const fingerprint = cause?.finding.occurrences[0]?.fingerprint ?? '';
const otherPlace: Shown = ['a', { place: 'response 200 body /y', pointer: '#/y' }];

const entryOf = (change: Partial<KnownFailure> = {}): KnownFailure => ({
  ...{ id, reason: 'fixed in May', until: '2026-04-30' },
  ...change,
});

describe('a finding counts unless an entry accepts it', () => {
  const day = '2026-04-01';
  test.each<{
    name: string;
    found: readonly Shown[];
    entries: readonly KnownFailure[];
    day?: string;
    counts: readonly string[];
    known: readonly string[];
  }>([
    { name: 'no entry', found: [['a'], ['b']], entries: [], counts: ['a b'], known: [] },
    { name: 'an entry of all operations', found: [['a'], ['b']], entries: [entryOf()], counts: [], known: ['a b'] },
    {
      name: 'a new operation shows a known cause',
      found: [['a'], ['b'], ['b'], ['c']],
      entries: [entryOf({ operations: ['a', 'c'] })],
      counts: ['b'],
      known: ['a c'],
    },
    {
      name: 'two entries for one cause',
      found: [['a'], ['b']],
      entries: [entryOf({ operations: ['a'] }), entryOf({ operations: ['b'], reason: 'other' })],
      counts: [],
      known: ['a', 'b'],
    },
    {
      name: 'a fingerprint',
      found: [['a'], ['b']],
      entries: [entryOf({ id: fingerprint })],
      counts: ['b'],
      known: ['a'],
    },
    {
      name: 'a fingerprint of one place among two',
      found: [['a'], otherPlace],
      entries: [entryOf({ id: fingerprint })],
      counts: ['a'],
      known: [],
    },
    {
      name: 'the id of a cause that was found second and joined',
      found: [['b', { causes: [['y']] }], ['c', { causes: [['y'], ['x']] }], ['a']],
      entries: [entryOf()],
      counts: [],
      known: ['b c a'],
    },
    { name: 'another id', found: [['a']], entries: [entryOf({ id: '00000000' })], counts: ['a'], known: [] },
    { name: 'the last day', found: [['a']], entries: [entryOf()], day: '2026-04-30', counts: [], known: ['a'] },
    { name: 'the day after', found: [['a']], entries: [entryOf()], day: '2026-05-01', counts: ['a'], known: [] },
    {
      name: 'an expired and a valid entry',
      found: [['a']],
      entries: [entryOf({ until: '2026-01-01' }), entryOf()],
      counts: [],
      known: ['a'],
    },
    { name: 'the contract itself', found: [['']], entries: [entryOf()], counts: [], known: [''] },
  ])('$name', ({ found, entries, counts, known, ...at }) => {
    const noon = Date.parse(`${at.day ?? day}T23:59:59Z`);
    const divided = divideFindings(collect(found), entries, noon);
    expect(divided.findings.map(({ operations }) => operations.join(' '))).toEqual(counts);
    expect(divided.known.map(({ operations }) => operations.join(' '))).toEqual(known);
  });

  test('with a request, a count and places of its own operations', () => {
    const causes = collect([['a'], ['b'], ['b']]);
    const { findings } = divideFindings(causes, [entryOf({ operations: ['a'] })], 0);
    expect(findings).toMatchObject([
      { id, operation: 'b', sent: 'GET /b', count: 2, occurrences: [{ operation: 'b', count: 2 }] },
    ]);
  });

  test('and names the day on which its acceptance expired', () => {
    const { findings } = divideFindings(collect([['a']]), [entryOf()], Date.parse('2026-06-01'));
    expect(findings[0]?.expired).toEqual([entryOf()]);
  });
});

describe('an entry without a finding is gone only if the run tested its operations', () => {
  const tested = { checks: ['body-schema'], isEveryCheck: true, operations: ['a', 'b', 'c'], reached: ['a', 'b', 'c'] };
  const unmatched = (entry: KnownFailure) => divideFindings(collect([['a']]), [entry], 0).unmatched;
  test.each<{ name: string; entry: KnownFailure; change?: Partial<typeof tested>; want: readonly string[][] }>([
    { name: 'it occurred', entry: entryOf(), want: [] },
    { name: 'on no operation', entry: entryOf({ id: '00000000' }), want: [[]] },
    { name: 'on one of two', entry: entryOf({ operations: ['a', 'b'] }), want: [['b']] },
    { name: 'not accepted', entry: entryOf({ operations: ['b'] }), change: { reached: ['a'] }, want: [] },
    { name: 'not in the contract', entry: entryOf({ operations: ['z'] }), change: { reached: [] }, want: [['z']] },
    { name: 'not all accepted', entry: entryOf({ id: '00000000' }), change: { reached: ['a'] }, want: [] },
    { name: 'check left out', entry: entryOf({ operations: ['b'], check: 'slow' }), want: [] },
    { name: 'some checks left out', entry: entryOf({ operations: ['b'] }), change: { isEveryCheck: false }, want: [] },
    {
      name: 'of the contract',
      entry: entryOf({ id: '00000000', check: 'contract' }),
      change: { checks: ['contract'], reached: [] },
      want: [[]],
    },
  ])('$name', ({ entry, change, want }) => {
    expect(findGone(unmatched(entry), { ...tested, ...change }).map(({ operations }) => operations)).toEqual(want);
  });
});
