import { expect, test } from 'vitest';
import { formatProof } from './format-proof.ts';
import { type Cell, families, type ProvenOperation } from './proof.ts';

const cellsOf = (change: (family: string) => Partial<Cell> | undefined): readonly Cell[] =>
  families.map(({ name }) => ({ family: name, check: 'body-schema', state: 'caught', ...change(name) }));

const blind = {
  state: 'missed',
  injected: 'without /id in the answer 200',
  reason: 'body-schema reported nothing',
  fix: 'Report it.',
} as const;

const unused = (...names: readonly string[]) => {
  return (family: string): Partial<Cell> | undefined =>
    names.includes(family) ? { state: 'not applicable', reason: 'no 2xx has a JSON schema' } : undefined;
};

const list: ProvenOperation = { operation: 'listBooks', cells: cellsOf(() => undefined) };

test('the table has a column for each kind of fault, and totals', () => {
  const [head, row, total, ...rest] = formatProof({ operations: [list], passThrough: [] }).split('\n');
  expect(head?.trim().split(/ {2,}/)).toEqual(families.map(({ name }) => name));
  expect(row).toMatch(/^listBooks( +ok)+$/);
  expect(total).toMatch(/^caught( +1\/1)+$/);
  expect(rest.join('\n')).toContain(`Caught ${families.length} of ${families.length} injected faults`);
});

test('a missed fault comes with the change, the reason and the fix', () => {
  const cells = cellsOf((family) => (family === 'property' ? blind : undefined));
  const text = formatProof({ operations: [{ operation: 'readBook', cells }], passThrough: [] });
  expect(text).toContain(`Missed: 1. A deployment with such a fault passes.

readBook   property: an answer lacks a required property   (body-schema)
  injected   without /id in the answer 200
  missed    body-schema reported nothing
  fix       Report it.`);
});

test('a few cells that do not apply are grouped by their reason', () => {
  const operations = [list, { operation: 'removeBook', cells: cellsOf(unused('property', 'type')) }, list, list];
  expect(formatProof({ operations, passThrough: [] })).toContain(
    'Does not apply:\n  2 cells  property, type: no 2xx has a JSON schema\n',
  );
});

test('if more than a fifth do not apply, each operation has its reasons', () => {
  const cells = cellsOf(unused('property', 'type', 'enum', 'status'));
  const operations = [
    { operation: 'removeBook', cells },
    { operation: 'readMotto', cells },
  ];
  expect(formatProof({ operations, passThrough: [] })).toContain(`Does not apply:
  removeBook  property, type, enum, status: no 2xx has a JSON schema
  readMotto   property, type, enum, status: no 2xx has a JSON schema`);
});

test('a failure without a change is printed', () => {
  const text = formatProof({ operations: [list], passThrough: ['body-schema response 200 body: must be integer'] });
  expect(text).toContain('Reported without a change');
  expect(text).toContain('  body-schema response 200 body: must be integer');
});
