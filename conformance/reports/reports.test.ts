import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../failures/finding.ts';
import type { RunResult } from '../run/run.ts';
import { formatConsole } from './console.ts';
import { formatAnnotations, showOnGitHub } from './github-actions.ts';
import { formatMarkdown } from './markdown.ts';
import { formatJunit, reports } from './reports.ts';

const open = { id: '', pointer: '#', keyword: undefined, polarity: 'valid' } as const;

const finding: Finding = {
  id: '1',
  check: 'body-schema',
  severity: 'defect',
  operation: 'read',
  operations: ['read', 'list'],
  count: 2,
  place: 'response 200 body /a',
  pointer: '#/a/type',
  line: 3,
  excerpt: { line: 3, first: 1, lines: ['a:', '  type: object', '  type: integer'] },
  keyword: 'type',
  clause: 'JSON Schema 2020-12, validation, 6.1.1',
  message: 'must be <integer> & "whole"\u0000',
  sent: 'GET /a',
  answered: '200',
  label: 'plain',
  shownRequest: 1,
  detectedAtRequest: 1,
  detectedAtMs: 1,
  curl: 'curl',
  curlNeeds: {},
  exchanges: [],
  occurrences: [],
};

const result: RunResult = {
  title: 'A & B',
  contractFile: 'a.yaml',
  baseUrl: '',
  authUrl: undefined,
  seed: 1,
  now: '',
  phases: ['baseline'],
  verdict: 'defects',
  message: '',
  fix: undefined,
  findings: [finding],
  known: [],
  gone: [],
  warnings: [],
  leftBehind: [],
  ledger: undefined,
  obligations: [
    { ...open, operation: 'read', check: 'body-schema', place: 'response 200', state: 'violated' },
    { ...open, operation: 'read', check: 'media-type', place: 'response 200', state: 'met' },
    { ...open, operation: 'list', check: 'body-schema', place: 'response 200', state: 'violated' },
    {
      ...open,
      operation: 'drop',
      check: 'http-law',
      place: 'every answer',
      state: 'not reached',
      reason: 'pass --writes all',
    },
  ],
  notTested: ['not built yet: wrong input', 'never accepted: drop'],
  coverage: {
    ...{ operations: [], reached: 0, responses: 0, responsesSeen: 0 },
    parts: [
      { kind: 'scopes', all: 2, covered: 1, uncovered: [{ name: 'A write', reason: 'not in any accepted request' }] },
    ],
    requestKeywords: [{ pointer: '#/a/type', keyword: 'type', line: 1, valid: true, invalid: false }],
    responseKeywords: [],
  },
  requests: 1,
  shrinkRequests: 0,
  durationMs: 1500,
};

test('a curl line with an item of the run has a warning that the item may be deleted', () => {
  const printed = (label: string): string => formatConsole({ ...result, findings: [{ ...finding, label }] });
  const message = 'The ids in the lines are those of this run: if an item no longer exists, use the id of another one.';
  expect([printed('recorded, example').includes(message), printed('plain').includes(message)]).toEqual([true, false]);
});

test('the last lines name the untested parts', () => {
  expect(formatConsole(result)).toMatch(/\nNot tested:\n {2}not built yet: wrong input\n {2}never accepted: drop\n$/);
});

test('every report has the coverage of the contract', () => {
  const figures = [
    'scopes 1 of 2',
    'keywords of requests: 1 of 1 by valid values, 0 by invalid ones; keywords of responses: 0 of 0',
  ];
  expect(formatConsole(result)).toContain(`\n  ${figures.join('\n  ')}\n`);
  const properties = figures.map((line) => `      <property name="coverage" value="${line}"/>\n`).join('');
  expect(formatJunit(result)).toContain(`    <properties>\n${properties}    </properties>\n    <testcase`);
  const { coverage } = JSON.parse(reports.json.format(result));
  expect(coverage.requestKeywords).toEqual(result.coverage.requestKeywords);
});

test('faults of the contract itself have their own suite, and a location has its own message', () => {
  const unsent = { ...finding, check: 'contract', operation: '', operations: [], curl: '' };
  const occurrence = { fingerprint: '1', pointer: '', count: 1 };
  const folded = {
    ...finding,
    occurrences: [
      { ...occurrence, operation: 'read', place: 'response 200 body /b', message: 'first' },
      { ...occurrence, operation: 'list', place: 'response 200 body /c', message: 'second' },
    ],
  };
  const text = formatJunit({ ...result, findings: [unsent, folded] });
  expect(text).toContain('<testsuite name="the contract" tests="1" failures="1" errors="0" skipped="0">');
  expect([...text.matchAll(/<failure message="([^"]*)/g)].map(([, message]) => message).slice(1)).toEqual([
    'response 200 body /b: first',
    'response 200 body /c: second',
  ]);
});

test('one case for each operation and check: failed if the cause occurred, passed, or skipped with the reason', () => {
  const lines = formatJunit(result).split('\n');
  expect(
    lines
      .filter((line) => /<test(case|suites? )|<skipped|<failure/.test(line))
      .map((line) => line.trim().replace(/">.*$/, '">')),
  ).toEqual([
    '<testsuites name="A &amp; B" tests="6" failures="2" errors="0" skipped="3" time="1.500">',
    '<testsuite name="read" tests="2" failures="1" errors="0" skipped="0">',
    '<testcase classname="read" name="body-schema">',
    '<failure message="response 200 body /a: must be &lt;integer&gt; &amp; &quot;whole&quot;\ufffd">',
    '<testcase classname="read" name="media-type"/>',
    '<testsuite name="list" tests="1" failures="1" errors="0" skipped="0">',
    '<testcase classname="list" name="body-schema">',
    '<failure message="response 200 body /a: must be &lt;integer&gt; &amp; &quot;whole&quot;\ufffd">',
    '<testsuite name="drop" tests="1" failures="0" errors="0" skipped="1">',
    '<testcase classname="drop" name="http-law">',
    '<skipped message="pass --writes all"/>',
    '<testsuite name="not tested" tests="2" failures="0" errors="0" skipped="2">',
    '<testcase classname="not tested" name="not built yet: wrong input">',
    '<skipped message="not built yet: wrong input"/>',
    '<testcase classname="not tested" name="never accepted: drop">',
    '<skipped message="never accepted: drop"/>',
  ]);
});

describe('the markdown summary', () => {
  test('has verdict, findings with links to the contract, warnings and untested parts', () => {
    const warnings = [{ message: 'No token: 401', fix: 'Check the client.' }];
    const message = '1 defect found.';
    const text = formatMarkdown({
      ...result,
      message,
      warnings,
      baseUrl: 'http://a',
      contractFile: 'api (1)/a b.yaml',
    });
    const [head, facts, table, ...rest] = text.split('\n\n');
    expect(head).toBe('## ❌ 1 defect found.');
    expect(facts).toBe(
      'A &amp; B at `http://a`: 0 of 0 operations accepted, 0 of 0 documented responses seen, 1 request in 1.50 s, seed 1',
    );
    expect(table?.split('\n').at(-1)).toBe(
      '| `body-schema` | read, list | response 200 body /a: must be &lt;integer> &amp; "whole"\\\\u0000 | [line 3](api%20%281%29/a%20b.yaml#L3) type, JSON Schema 2020-12, validation, 6.1.1 |',
    );
    expect(rest.slice(-5)).toEqual([
      '<details><summary>1 warning</summary>',
      '- No token: 401 *Check the client.*',
      '</details>',
      '**Not tested**',
      '- not built yet: wrong input\n- never accepted: drop\n',
    ]);
  });

  test('has no link to a contract at an address, and counts the findings that it omits', () => {
    const findings = Array.from({ length: 60 }, () => finding);
    const text = formatMarkdown({ ...result, findings, contractFile: 'https://a/openapi.json' });
    expect(text).not.toContain('](');
    expect(text.match(/^\| `body-schema` \|.* line 3 type/gm)).toHaveLength(50);
    expect(text).toContain('And 10 more findings.');
  });

  test('shows text of a deployment as text', () => {
    const hostile = '</td><img src=x> ![a](b) [c](d) <https://e> | f ` g ```\n# h $i$ &lt; \\| *j*';
    const hostileFinding = { ...finding, message: hostile, answered: hostile, check: hostile };
    const warnings = [{ message: hostile, fix: hostile }];
    const text = formatMarkdown({
      ...result,
      message: hostile,
      findings: [hostileFinding],
      warnings,
      notTested: [hostile],
    });
    const html = new MarkdownIt({ html: true }).render(text);
    const tags = new Set([...html.matchAll(/<\/?([a-z]\w*)/gi)].map(([, tag]) => tag));
    expect([...tags].sort()).toEqual([
      'a',
      'code',
      'details',
      'em',
      'h2',
      'li',
      'p',
      'pre',
      'strong',
      'summary',
      'table',
      'tbody',
      'td',
      'th',
      'thead',
      'tr',
      'ul',
    ]);
    expect(html.match(/<a /g)).toHaveLength(1);
    // The message is the same in heading, cell, warning and list.
    const shown =
      '&lt;/td&gt;&lt;img src=x&gt; ![a](b) [c](d) &lt;https://e&gt; | f ` g ```\\n# h $i$ &amp;lt; \\| *j*';
    expect(html.split(shown).length - 1).toBeGreaterThanOrEqual(6);
  });
});

describe('in GitHub Actions', () => {
  const repository = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: process.cwd() };
  const where = 'file=a.yaml,line=3,title=body-schema%3A read%2C list';

  test.each<{ name: string; change: Partial<RunResult>; want: readonly string[] }>([
    {
      name: 'a defect is an error at the line of the contract, with a request to paste',
      change: { findings: [{ ...finding, message: '100 %, a: b\r\n::warning::c', curl: 'curl' }] },
      want: [
        `::error ${where}::response 200 body /a: 100 %25, a: b\\u000d\\n::warning::c (JSON Schema 2020-12, validation, 6.1.1; finding 1)%0Acurl`,
      ],
    },
    {
      name: 'an inconclusive finding is a warning',
      change: { findings: [{ ...finding, severity: 'suspect', message: 'm', curl: '' }] },
      want: [`::warning ${where}::response 200 body /a: m (JSON Schema 2020-12, validation, 6.1.1; finding 1)`],
    },
    {
      name: 'a contract at an address has no line to annotate',
      change: { contractFile: 'https://a/b', findings: [{ ...finding, message: 'm', curl: '', operations: [] }] },
      want: ['::error title=body-schema::response 200 body /a: m (JSON Schema 2020-12, validation, 6.1.1; finding 1)'],
    },
    {
      name: 'a contract outside of the repository has none either',
      change: { contractFile: '../a.yaml', findings: [{ ...finding, message: 'm', curl: '', operations: ['read'] }] },
      want: [
        '::error title=body-schema%3A read::response 200 body /a: m (JSON Schema 2020-12, validation, 6.1.1; finding 1)',
      ],
    },
    {
      name: 'a run that proves nothing is an error',
      change: { findings: [], message: 'Nothing tested: 401.', fix: 'Check --token.' },
      want: ['::error title=lockstep-conform::Nothing tested: 401.%0ACheck --token.'],
    },
  ])('$name', ({ change, want }) => {
    expect(
      formatAnnotations({ ...result, ...change }, repository)
        .split('\n')
        .slice(0, -1),
    ).toEqual(want);
  });

  test('ten annotations of a kind are shown, and the rest is counted', () => {
    const defects = Array.from({ length: 12 }, () => finding);
    const findings = [...defects, ...defects.slice(1).map((one) => ({ ...one, severity: 'suspect' as const }))];
    const lines = formatAnnotations({ ...result, findings }, repository).split('\n');
    const kinds = lines.map((line) => line.split(' ')[0]);
    expect(['::error', '::warning', '::notice'].map((kind) => kinds.filter((one) => one === kind).length)).toEqual([
      10, 10, 1,
    ]);
    expect(lines.at(-2)).toBe(
      '::notice title=lockstep-conform::3 more findings: see the summary of the job, or the log of the step.',
    );
  });

  test('the summary is appended to that of the job, with links to its commit', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lockstep-conform-'));
    const file = join(folder, 'summary');
    await writeFile(file, 'of an earlier step\n');
    const commit = { GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'o/r', GITHUB_SHA: 'c0ffee' };
    const log: string[] = [];
    const show = (GITHUB_STEP_SUMMARY: string, GITHUB_ACTIONS = 'true') =>
      showOnGitHub(
        result,
        { ...repository, ...commit, GITHUB_ACTIONS, GITHUB_STEP_SUMMARY },
        { write: (text) => log.push(text) },
      );
    await show(file, 'false');
    expect([log, await readFile(file, 'utf8')]).toEqual([[], 'of an earlier step\n']);
    await show(file);
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^of an earlier step\n## ❌ /);
    expect(text).toContain('[line 3](https://github.example/o/r/blob/c0ffee/a.yaml#L3)');
    await show(folder);
    expect(log.at(-1)).toMatch(/^GITHUB_STEP_SUMMARY cannot be written: EISDIR/);
    await rm(folder, { recursive: true });
  });
});
