// Judge and generator run the required tests of the JSON-Schema-Test-Suite, draft 2020-12. No npm package that can be installed has the
// suite; the source package of Python's `jsonschema` contains it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Contract } from '../contract/contract.ts';
import type { JsonObject } from '../contract/document.ts';
import { type DataTools, valueCandidates } from '../data/value-candidates.ts';
import { violationsOf } from '../data/violations.ts';
import { createJudge } from './create-judge.ts';
import { createKeywordCoverage } from './keyword-coverage.ts';

const version = '4.23.0';
const folder = mkdtempSync(join(tmpdir(), 'json-schema-test-suite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** The reason why the judge differs from the suite, by file and words of the group. It accepts values that it cannot judge. */
const grey: readonly { file: string; group: RegExp; message: 'valid' | 'invalid'; because: string }[] = [
  { file: 'refRemote', group: /./, message: 'valid', because: 'the reference leads to another document' },
  { file: 'ref', group: /^remote ref/, message: 'valid', because: 'the reference leads to another document' },
  { file: 'defs', group: /metaschema/, message: 'valid', because: 'the reference leads to another document' },
  { file: 'dynamicRef', group: /./, message: 'valid', because: 'the way decides where a $dynamicRef leads' },
  {
    file: 'unevaluatedItems',
    group: /\$dynamicRef/,
    message: 'valid',
    because: 'the way decides where a $dynamicRef leads',
  },
  {
    file: 'unevaluatedProperties',
    group: /\$dynamicRef/,
    message: 'valid',
    because: 'the way decides where a $dynamicRef leads',
  },
  {
    file: 'properties',
    group: /Javascript object property/,
    message: 'valid',
    because: 'Ajv passes over properties.__proto__',
  },
  { file: 'format', group: /./, message: 'invalid', because: 'formats are asserted, on purpose' },
  { file: 'vocabulary', group: /custom metaschema/, message: 'invalid', because: 'metaschemas switch no keyword off' },
];

const fetched = fetchSuite();

describe.skipIf(typeof fetched === 'string')('the JSON-Schema-Test-Suite', () => {
  const { groups, remotes } = typeof fetched === 'string' ? { groups: [], remotes: [] } : fetched;
  beforeAll(() => {
    for (const [uri, schema] of remotes) register(schema, uri);
  });

  test('the judge agrees, except for a list with reasons', () => {
    const skipped = new Map<string, number>();
    const wrong: string[] = [];
    for (const group of groups) {
      const { judge, pointer } = read(group);
      for (const { description, data, valid } of group.tests) {
        const found = (judge.judge(pointer, 'response', data) ?? []).length === 0;
        if (found === valid) continue;
        const reason = grey.find(
          ({ file, group: words, message }) =>
            file === group.file && words.test(group.description) && message === (found ? 'valid' : 'invalid'),
        );
        if (reason === undefined) wrong.push(`${group.file}: ${group.description}: ${description}: ${found}`);
        else skipped.set(reason.because, (skipped.get(reason.because) ?? 0) + 1);
      }
    }
    const count = groups.reduce((sum, { tests }) => sum + tests.length, 0);
    console.info(`${count} tests in ${groups.length} groups; grey: ${JSON.stringify(Object.fromEntries(skipped))}`);
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(1_000);
  });

  test('a second validator accepts the value built for each satisfiable schema', async () => {
    const counts = { accepted: 0, unsatisfiable: 0, 'not read in full': 0, 'not read by the second': 0 };
    const wrong: string[] = [];
    for (const [index, group] of groups.entries()) {
      const { tools, judge, pointer } = read(group, index);
      const candidates = valueCandidates(tools, pointer, []);
      const uri = `https://suite.example/${index}`;
      const name = `${group.file}: ${group.description}`;
      const isWhole = judge.problems().length === 0;
      let values = 0;
      let isRead = true;
      for (let place = 0; place < 8; place += 1) {
        const candidate = candidates.at(place);
        if (candidate === undefined) break;
        values += 1;
        // An omitted and reported part may require another value.
        if (!isWhole || judge.problems().length > 0) continue;
        const valid = await validateBySecond(group, uri, candidate.value);
        if (valid === undefined) isRead = false;
        if (valid === false) wrong.push(`${name}: ${JSON.stringify(candidate.value)}`);
      }
      const isMet = group.tests.some(({ valid }) => valid);
      if (values > 0 && judge.problems().length > 0) counts['not read in full'] += 1;
      else if (values > 0 && !isRead) counts['not read by the second'] += 1;
      else if (values > 0) counts.accepted += 1;
      else if (!isMet) counts.unsatisfiable += 1;
      else wrong.push(`${name}: nothing was built: ${judge.problems()[0]?.message}`);
    }
    console.info(`of ${groups.length} schemas: ${JSON.stringify(counts)}`);
    expect(wrong).toEqual([]);
  });

  test('a second validator rejects every value that breaks a keyword', async () => {
    const counts = { schemas: 0, keywords: 0, broken: 0, values: 0, formats: 0, 'not read': 0 };
    const wrong: string[] = [];
    for (const [index, group] of groups.entries()) {
      const { judge, tools, contract, pointer } = read(group, index);
      const name = `${group.file}: ${group.description}`;
      const all = [...violationsOf(tools, pointer, undefined, 'json')];
      if (valueCandidates(tools, pointer, []).at(0) === undefined) continue;
      if (judge.problems().length > 0) {
        counts['not read'] += 1;
        continue;
      }
      counts.schemas += 1;
      const coverage = createKeywordCoverage(contract, judge, 'request', []);
      for (const { pointer: broken, keyword } of all) coverage.breakAt(broken, keyword);
      const keywords = coverage.list([pointer]);
      counts.keywords += keywords.length;
      counts.broken += keywords.filter(({ isBroken }) => isBroken).length;
      const uri = `https://suite.example/negative/${index}`;
      for (const { value, keyword, how } of all) {
        // Only this project asserts formats.
        if (keyword === 'format') {
          counts.formats += 1;
          continue;
        }
        counts.values += 1;
        const valid = await validateBySecond(group, uri, value);
        const isGrey = grey.some(
          ({ file, group: words, message }) =>
            file === group.file && words.test(group.description) && message === 'invalid',
        );
        if (valid === true && !isGrey) wrong.push(`${name}: ${how}: ${JSON.stringify(value)}`);
      }
    }
    console.info(`of ${groups.length} schemas: ${JSON.stringify(counts)}`);
    expect(wrong).toEqual([]);
    // The others cannot be broken alone: `anyOf` with `true`, or a bound that another branch does not ask for.
    expect(counts.broken / counts.keywords).toBeGreaterThan(0.85);
  });
});

test.runIf(typeof fetched === 'string')('the JSON-Schema-Test-Suite could not be fetched', ({ skip }) => {
  skip(String(fetched));
});

function read({ schema }: Group, seed = 1) {
  const root = typeof schema === 'boolean' ? { schema } : schema;
  const contract = { root, lineOf: () => 1 } as unknown as Contract;
  const judge = createJudge(contract);
  const tools: DataTools = { contract, judge, now: Date.parse('2026-04-01T09:30:00Z'), tag: 'conform-1', seed };
  return { contract, judge, tools, pointer: typeof schema === 'boolean' ? '#/schema' : '#' };
}

/** Undefined if the second validator cannot read the schema. */
async function validateBySecond({ schema }: Group, uri: string, value: unknown): Promise<boolean | undefined> {
  try {
    register(schema, uri);
    const { valid } = await validate(uri, value as never);
    return valid;
  } catch {
    return undefined;
  } finally {
    unregisterSchema(uri);
  }
}

function register(schema: JsonObject | boolean, uri: string): void {
  registerSchema(schema as never, uri, 'https://json-schema.org/draft/2020-12/schema');
}

function fetchSuite(): { groups: Group[]; remotes: [string, JsonObject][] } | string {
  try {
    const options = ['--quiet', '--no-deps', '--no-binary', 'jsonschema', '--dest', folder];
    execFileSync('python3', ['-m', 'pip', 'download', ...options, `jsonschema==${version}`], { stdio: 'pipe' });
    execFileSync('tar', ['-xzf', join(folder, `jsonschema-${version}.tar.gz`), '-C', folder], { stdio: 'pipe' });
  } catch (error) {
    return `pip could not fetch it: ${String(error).slice(0, 300)}`;
  }
  const json = join(folder, `jsonschema-${version}`, 'json');
  const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  const tests = join(json, 'tests', 'draft2020-12');
  const groups = readdirSync(tests)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) =>
      (readJson(join(tests, name)) as Omit<Group, 'file'>[]).map((group) => ({ ...group, file: name.slice(0, -5) })),
    );
  const remotes = readdirSync(join(json, 'remotes', 'draft2020-12'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name): [string, JsonObject] => [
      `http://localhost:1234/draft2020-12/${name}`,
      readJson(join(json, 'remotes', 'draft2020-12', name)) as JsonObject,
    ]);
  return { groups, remotes };
}
