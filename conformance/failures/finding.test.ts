import { describe, expect, test } from 'vitest';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { echoesOf, type Failure, normaliseBody } from './failure.ts';
import { collectFindings, type Finding, formatFinding, mostOccurrences } from './finding.ts';
import { createRedactor } from './redact.ts';

const responses = { 200: { description: 'OK' } };
const contract = contractOf(
  Object.fromEntries(['a', 'b', 'c'].map((name) => [`/${name}`, { get: { operationId: name, responses } }])),
);

function failureOf(change: Partial<Failure>): Failure {
  return {
    check: 'body-schema',
    severity: 'defect',
    place: 'response 200 body /0/x',
    pointer: '#/x',
    keyword: 'type',
    clause: 'JSON Schema 2020-12, validation, 6.1.1',
    message: 'must be string',
    causes: [['2XX', 'x']],
    ...change,
  };
}

function collect(failures: readonly (readonly [operation: string, change: Partial<Failure>])[]) {
  const findings = collectFindings({
    ...createRedactor(contract),
    excerptAt: () => ({ line: 1, first: 1, lines: [] }),
  });
  const isNew = failures.map(
    ([operation, change]) => findings.add(failureOf(change), exchangeOf(contract, { operation })) !== undefined,
  );
  return { findings: findings.all(), facts: findings.facts(), isNew };
}

describe('one cause is one finding', () => {
  test('across all operations and locations, which are listed', () => {
    const { findings, isNew } = collect([
      ['a', {}],
      ['b', {}],
      ['a', { place: 'response 200 body /7/x' }],
      ['a', { place: 'response 200 body /7/y', pointer: '#/y' }],
      ['b', { place: 'response 200 body /z', pointer: '#/z', message: 'must be integer' }],
      ['b', { place: 'response 200 body /v', message: 'must be string, also at 2 more places' }],
    ]);
    expect(isNew).toEqual([true, false, false, false, false, false]);
    expect(findings.map(({ count, operations }) => ({ count, operations }))).toEqual([
      { count: 6, operations: ['a', 'b'] },
    ]);
    expect(findings[0]?.occurrences.map(({ operation, place, count }) => `${operation} ${place} ${count}`)).toEqual([
      'a response 200 body /0/x 2',
      'b response 200 body /0/x 1',
      'a response 200 body /7/y 1',
      'b response 200 body /z 1',
      'b response 200 body /v 1',
    ]);
    const [finding] = findings;
    if (finding === undefined) throw new Error('no finding');
    expect(formatFinding(finding).split('\n').slice(0, 4)).toEqual([
      'body-schema   on 2 operations   response 200 body /0/x   type   JSON Schema 2020-12, validation, 6.1.1',
      '  must be string',
      '  on        a, b',
      '  also at   response 200 body /7/y, response 200 body /z (must be integer), response 200 body /v',
    ]);
  });

  test('if instances that break several requirements share one of them', () => {
    const shared = (...names: string[]): Partial<Failure> => ({ causes: names.map((name) => ['2XX', name]) });
    const { findings } = collect([
      ['a', shared('x', 'y')],
      ['b', shared('y', 'z')],
      ['c', shared('z')],
      ['c', shared('q')],
    ]);
    expect(findings.map(({ operations }) => operations)).toEqual([['a', 'b', 'c'], ['c']]);
  });

  test('if a third instance shows that two of them have one cause', () => {
    const { findings } = collect([
      ['a', { severity: 'suspect', causes: [['2XX', 'x']] }],
      ['b', { causes: [['2XX', 'y']], pointer: '#/y' }],
      [
        'c',
        {
          causes: [
            ['2XX', 'x'],
            ['2XX', 'y'],
          ],
        },
      ],
      ['b', { causes: [['2XX', 'y']], pointer: '#/y' }],
    ]);
    expect(findings.map(({ severity, operations, count }) => [severity, operations, count])).toEqual([
      ['defect', ['a', 'b', 'c'], 4],
    ]);
  });

  test('with the highest severity that was shown', () => {
    const { findings, isNew } = collect([
      ['a', { severity: 'suspect' }],
      ['b', {}],
      ['c', { severity: 'suspect' }],
    ]);
    expect(isNew).toEqual([true, true, false]);
    expect(findings.map(({ severity, operation, count }) => [severity, operation, count])).toEqual([
      ['defect', 'b', 3],
    ]);
  });

  test('with a valid request before an invalid one, and a grey one last', () => {
    const findings = collectFindings({
      ...createRedactor(contract),
      excerptAt: () => ({ line: 1, first: 1, lines: [] }),
      isDivided: true,
    });
    const polarities = ['grey', 'invalid', 'grey', 'valid', 'invalid'] as const;
    for (const [index, polarity] of polarities.entries()) {
      const exchange = exchangeOf(contract, { operation: index === 1 ? 'b' : 'a', intent: { polarity } });
      findings.add(failureOf({ message: polarity }), { ...exchange, number: index + 1 });
    }
    const [finding] = findings.all();
    expect(finding).toMatchObject({ message: 'valid', operation: 'a', shownRequest: 4, detectedAtRequest: 1 });
    expect(formatFinding(finding as Finding)).toContain(', seen 5 times, first at request 1, 0.00 s   ');
    const [collected] = findings.causes();
    expect(['a', 'b'].map((operation) => collected?.ofOperations([operation]).message)).toEqual(['valid', 'invalid']);
  });

  test('with the operation that ignores a requirement of the whole document', () => {
    const excerptAt = (pointer: string) => ({ line: 1, first: 1, lines: [pointer] });
    const findings = collectFindings({ ...createRedactor(contract), excerptAt });
    const exchange = exchangeOf(contract, { operation: 'a' });
    findings.add(failureOf({ pointer: '#/security' }), { ...exchange, number: 1 });
    const [finding] = findings.all();
    expect([finding?.pointer, finding?.excerpt.lines]).toEqual(['#/security', [exchange.operation.pointer]]);
  });

  test('a fact about the deployment is no finding', () => {
    const { findings, facts } = collect([['a', { severity: 'warning' }]]);
    expect([findings.length, facts.length]).toEqual([0, 1]);
  });

  test('with an id that does not depend on order and values', () => {
    const first = collect([
      ['a', {}],
      ['b', { causes: [['2XX', 'y']] }],
    ]);
    const second = collect([
      ['b', { causes: [['2XX', 'y']] }],
      ['c', { message: 'other' }],
    ]);
    expect(second.findings.map(({ id }) => id).sort()).toEqual(first.findings.map(({ id }) => id).sort());
  });

  test('with a readable number of places, and a count of all', () => {
    const many = Array.from({ length: mostOccurrences + 7 }, (_, index) => ['a', { pointer: `#/${index}` }] as const);
    const [finding] = collect(many).findings;
    expect([finding?.occurrences.length, finding?.count]).toEqual([mostOccurrences, mostOccurrences + 7]);
  });
});

test.each([
  { a: 'No book 17 (2026-01-02T10:00:00Z)', b: 'No book 4711 (2025-12-31T23:59:59.5+01:00)', isSame: true },
  { a: 'GET /books/17?x=1 failed', b: 'GET /readers/a-b/loans failed', isSame: true },
  { a: "no such column 'titel'", b: "no such column 'x'", isSame: true },
  {
    a: 'id 550e8400-e29b-41d4-a716-446655440000',
    b: 'id 550e8400-e29b-41d4-a716-446655449999',
    isSame: true,
  },
  {
    a: '{"trace": "4bf92f3577b34da6a3ce929d0e0e4736"}',
    b: '{"trace": "00f067aa0ba902b7a3ce929d0e0e4731"}',
    isSame: true,
  },
  { a: "Can't find 'delete_tags' in actions", b: "Can't find 'delete_posts' in actions", isSame: true },
  { a: 'invalid signature: 0x666e6f63', b: 'invalid signature: 0x656c6966', isSame: true },
  { a: 'error jvbGcWLCXjDJPzgVbZvPXT', b: 'error QUaLCiuhBqrHbyxaLrAedY', isSame: true },
  { a: 'error 97RZtrGcWLCXjDJPzgVbZ', b: 'error QUaLCiuhBqrHbyxaLrAedY', isSame: true },
  { a: 'NoSuchMethodException', b: 'IllegalArgumentException', isSame: false },
  { a: 'SQLITE_CONSTRAINT_FOREIGNKEY', b: 'SQLITE_CONSTRAINT_NOTNULLABLE', isSame: false },
  { a: 'Internal Server Error', b: 'Bad Gateway', isSame: false },
  { a: '{"code":"E_BOOK"}', b: '{"code":"E_READER"}', isSame: false },
])('$a and $b are one account: $isSame', ({ a, b, isSame }) => {
  expect(normaliseBody(a) === normaliseBody(b)).toBe(isSame);
});

test('request text that the answer repeats does not distinguish failures', () => {
  const seen = {
    path: { shelf: 'north-wing' },
    query: { q: 'a' },
    requestHeaders: {},
    requestBody: { tags: ['novel'] },
  };
  const other = { ...seen, path: { shelf: 'cellar' }, requestBody: { tags: ['atlas'] } };
  const accounts = [
    normaliseBody('no shelf north-wing for novel: a', echoesOf(seen)),
    normaliseBody('no shelf cellar for atlas: a', echoesOf(other)),
  ];
  expect(accounts).toEqual(['no shelf <sent> for <sent>: a', 'no shelf <sent> for <sent>: a']);
});
