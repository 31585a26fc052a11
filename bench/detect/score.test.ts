import { describe, expect, test } from 'vitest';
import { formatTable, summarise } from './format-table.ts';
import {
  concerns,
  countWithin,
  type Detection,
  detectionsPerSecond,
  falsePositives,
  firstTrigger,
  judge,
  listMissed,
  median,
  type Outcome,
  type RunRecord,
  requestBounds,
  type SeededFault,
} from './score.ts';

const declared = new Set(['GET /kites', 'POST /kites', 'GET /kites/{kite}']);
const fault: SeededFault = { id: 'lost-tail', class: 'A', operation: 'GET /kites' };
const report: Detection = {
  check: 'body-schema',
  severity: 'defect',
  operation: 'GET /kites',
  place: '/tail #/components/schemas/Kite',
  atRequest: 7,
  atMs: 900,
};
const run = (change: Partial<RunRecord> = {}): RunRecord => ({
  server: 'kites',
  setting: 'a tool',
  seed: 1,
  exitCode: 1,
  requests: 40,
  seconds: 2,
  triggered: { atRequest: 6, atMs: 880 },
  detections: [report],
  ...change,
});

describe('a fault is', () => {
  const triggered = { atRequest: 6, atMs: 880 };
  const { triggered: _, ...untriggered } = run();
  const table: readonly {
    readonly name: string;
    readonly given: RunRecord;
    readonly clean?: readonly Detection[];
    readonly want: Partial<Outcome>;
  }[] = [
    {
      name: 'detected by a report that the clean server lacks',
      given: run(),
      want: { triggered, detected: { atRequest: 7, atMs: 900 } },
    },
    {
      name: 'triggered only, if the clean server has the report too',
      given: run(),
      clean: [report],
      want: { triggered },
    },
    {
      name: 'detected, if the clean server has that report at another place',
      given: run(),
      clean: [{ ...report, place: '/string' }],
      want: { triggered, detected: { atRequest: 7, atMs: 900 } },
    },
    {
      name: 'not detected by a report about another operation',
      given: run({ detections: [{ ...report, operation: 'POST /kites' }] }),
      want: { triggered },
    },
    { name: 'neither, if it changed no answer, whatever is reported', given: untriggered, want: {} },
    {
      name: 'reported without certainty, if the report is inconclusive',
      given: run({ detections: [{ ...report, severity: 'suspect' }] }),
      want: { triggered, inconclusive: { atRequest: 7, atMs: 900 } },
    },
    {
      name: 'detected by the earliest of several reports',
      given: run({ detections: [report, { ...report, place: '/string', atRequest: 3, atMs: 400 }] }),
      want: { triggered, detected: { atRequest: 3, atMs: 400 } },
    },
  ];
  for (const { name, given, clean = [], want } of table) {
    test(name, () => {
      const known = falsePositives([{ ...untriggered, detections: clean }]);
      expect(judge(fault, { ...given, fault: fault.id }, known, declared)).toEqual({ fault, seconds: 2, ...want });
    });
  }
});

test.each([
  ['*', 'POST /kites', true],
  ['GET /kites', 'GET /kites', true],
  ['GET /kites', 'POST /kites', false],
  ['GET /kites', 'GET /kites/{kite}', false],
  ['HEAD /kites', 'GET /kites', true],
  ['GET /kites', 'DELETE /kites', true],
  ['HEAD /kites', 'GET /kites/{kite}', false],
  ['GET /kites', '', false],
])('a fault of %s concerns a report about %s: %s', (operation, reported, want) => {
  expect(concerns({ ...fault, operation }, reported, declared)).toBe(want);
});

test('a fault of state concerns a report about each operation that it names', () => {
  const stateful: SeededFault = { id: 'lost-kite', class: 'F', operation: 'POST /kites', also: ['GET /kites/{kite}'] };
  const reported = ['POST /kites', 'GET /kites/{kite}', 'GET /kites', ''];
  expect(reported.filter((operation) => concerns(stateful, operation, declared))).toEqual(reported.slice(0, 2));
});

test('the log gives the first answer that the fault changed', () => {
  const line = (n: number, triggered: boolean) => ({ n, ms: n * 10.4, triggered });
  expect(firstTrigger([line(1, false), line(2, true), line(3, true)])).toEqual({ atRequest: 2, atMs: 21 });
  expect(firstTrigger([line(1, false)])).toBeUndefined();
});

describe('over several runs', () => {
  const at = (atRequest: number) => ({ atRequest, atMs: atRequest * 10 });
  const other: SeededFault = { id: 'open-gate', class: 'D', operation: '*' };
  const outcomes: readonly Outcome[] = [
    { fault, seconds: 4, triggered: at(90), detected: at(100) },
    { fault, seconds: 4, triggered: at(101), detected: at(301) },
    { fault: other, seconds: 4, triggered: at(20), inconclusive: at(30) },
    { fault: other, seconds: 4 },
  ];

  test('a column counts what happened within its bound, as a mean over the seeds', () => {
    const counts = requestBounds.map((bound) => countWithin(outcomes, bound, 2));
    expect(counts).toEqual([
      { detected: 0.5, inconclusive: 0.5, triggered: 1, all: 2 },
      { detected: 0.5, inconclusive: 0.5, triggered: 1.5, all: 2 },
      { detected: 1, inconclusive: 0.5, triggered: 1.5, all: 2 },
    ]);
  });

  test('a run without a detection counts in full, another until its detection', () => {
    expect(detectionsPerSecond(outcomes)).toBeCloseTo(2 / (1 + 3.01 + 4 + 4));
  });

  test('a fault is missed if no seed detects it', () => {
    expect(listMissed(outcomes)).toEqual({ triggered: ['open-gate'], untriggered: [] });
    expect(listMissed(outcomes.slice(3))).toEqual({ triggered: [], untriggered: ['open-gate'] });
  });

  test('the table has a row for each class, and lists the reports of the clean server', () => {
    const { triggered: _, ...clean } = run({ exitCode: null });
    const result = summarise('kites', [clean, run({ fault: fault.id }), run({ fault: other.id, seed: 2 })], outcomes, {
      requests: 100,
    });
    const table = formatTable('a tool', [result]);
    expect(table).toContain('| server | class | 100 requests | 5 s |');
    expect(table).toContain('| kites | A | 0.5 / 0.5 / 1 | 1 / 1 / 1 |');
    expect(table).toContain('| kites | D | 0 (0.5) / 0.5 / 1 | 0 (0.5) / 0.5 / 1 |');
    expect(table).toContain('| kites | 200.5 | 2005 | 0.167 | 40 | 20 | 1 | 0 | stopped × 1, exit 1 × 2 |');
    expect(table).not.toContain('| A to D |');
    expect(table).toContain('- kites: defect body-schema GET /kites /tail #/components/schemas/Kite');
  });
});

test('the table sums up the classes A to D apart from those of lists and state', () => {
  const listed: SeededFault = { id: 'lost-page', class: 'E', operation: 'GET /kites' };
  const moment = { atRequest: 9, atMs: 90 };
  const outcomes: readonly Outcome[] = [
    { fault, seconds: 4, triggered: moment, detected: moment },
    { fault: listed, seconds: 4, triggered: moment },
  ];
  const runs = outcomes.map(({ fault: { id } }) => run({ fault: id }));
  const table = formatTable('a tool', [summarise('kites', runs, outcomes, { seconds: 5 })]);
  const rows = table.split('\n').filter((line) => line.startsWith('| kites | ') && line.includes(' / '));
  expect(rows).toEqual([
    '| kites | A | 1 / 1 / 1 |',
    '| kites | E | 0 / 1 / 1 |',
    '| kites | A to D | 1 / 1 / 1 |',
    '| kites | all | 1 / 2 / 2 |',
  ]);
});

test.each([
  [[], undefined],
  [[3], 3],
  [[9, 1, 2], 2],
  [[4, 1, 2, 9], 3],
])('the median of %j is %s', (values, want) => {
  expect(median(values)).toBe(want);
});
