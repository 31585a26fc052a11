import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from 'redocly-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cures } from '../toolkit/lint/cures.ts';
import { lintContract } from '../toolkit/lint/lint-contract.ts';
import { formatProblem } from '../toolkit/problem.ts';
import { contractRules } from '../toolkit/rules/plugin.ts';

const fixtures = 'toolkit/fixtures/invalid';

/** Each bad document has one fault; its neighbour `<name>.good.yaml` is the same without it. */
const faults = [
  ['lockstep/array-parameter-form', '12:11', '#/paths/~1visits/get/parameters/1'],
  ['lockstep/error-has-example', '19:39', '#/components/responses/NotFound/x-error-codes/1'],
  [
    'lockstep/example-member-described',
    '16:66',
    '#/paths/~1rooms/get/responses/200/content/application~1json/examples/attic/value/stpes',
  ],
  ['lockstep/extension-valid', '19:65', '#/components/schemas/Room/x-sensitive'],
  ['lockstep/invalid-status-declared', '21:9', '#/paths/~1rooms~1{roomId}/get/responses/422'],
  ['lockstep/links-resolve', '18:63', '#/paths/~1rooms/get/responses/200/links/Room/parameters/roomId'],
  ['lockstep/oauth-url-absolute', '18:39', '#/components/securitySchemes/oauth2/flows/clientCredentials/tokenUrl'],
  ['lockstep/pattern-compiles', '12:116', '#/paths/~1visits/get/parameters/1/schema/items/pattern'],
  ['lockstep/pattern-is-linear', '19:35', '#/components/schemas/Room/pattern'],
  ['lockstep/refusal-declared', '13:7', '#/paths/~1visits/get/responses'],
  ['lockstep/required-is-described', '26:31', '#/components/schemas/Room/then/required/1'],
  ['lockstep/response-has-example', '16:15', '#/paths/~1rooms/get/responses/200/content/application~1json/example'],
  ['lockstep/security-on-every-operation', '7:5', '#/paths/~1rooms/get'],
  ['lockstep/string-says-if-empty', '23:9', '#/components/schemas/Room/properties/name'],
  ['lockstep/success-declared', '10:7', '#/paths/~1rooms/get/responses'],
  ['lockstep/time-allows-reserved', '11:11', '#/paths/~1visits/get/parameters/0'],
  ['rule/operation-id-casing', '7:20', '#/paths/~1rooms/get/operationId'],
  ['rule/request-body-required', '11:9', '#/paths/~1rooms/post/requestBody/required'],
] as const;

describe.concurrent('every rule of ours', () => {
  test('has a bad document and a good one', () => {
    const tested = faults.map(([rule]) => rule);
    expect(tested).toEqual(expect.arrayContaining(Object.keys(contractRules).map((name) => `lockstep/${name}`)));
  });

  for (const [rule, place, pointer] of faults) {
    const name = rule.slice(rule.indexOf('/') + 1);
    test(`${rule} reports its fault at ${place}, and nothing else`, async () => {
      const problems = await lintContract(`${fixtures}/${name}.yaml`);
      expect(problems.map((p) => [p.rule, `${p.line}:${p.column}`, p.pointer])).toEqual([[rule, place, pointer]]);
      expect(problems[0]?.file).toBe(`${fixtures}/${name}.yaml`);
      expect(problems[0]?.cure).toMatch(/^[A-Z].{10,}[.?]$/);
    });
    test(`${rule} lets the document without that fault pass`, async () => {
      expect(await lintContract(`${fixtures}/${name}.good.yaml`)).toEqual([]);
    });
  }
});

describe('a document with several faults', () => {
  test('gives all of them at once, in the order of its lines', async () => {
    const problems = await lintContract(`${fixtures}/several-faults.yaml`);
    const transcript = problems.map(formatProblem).join('');
    expect(transcript).toBe(await readFile(`${fixtures}/several-faults.txt`, 'utf8'));
  });
});

describe('a document that cannot be read whole', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'contract-lint-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const head = 'openapi: 3.1.1\ninfo: {title: T, version: 1.0.0, license: {name: MIT, identifier: MIT}}\n';
  const documents = [
    { name: 'is not YAML', given: `${head}servers: [\npaths: {}\n`, want: [['yaml', 4, '#', /Flow sequence/]] },
    { name: 'has a key twice', given: `${head}info: {}\n`, want: [['yaml', 3, '#', /Map keys must be unique/]] },
    { name: 'is no object', given: 'Rooms\n', want: [['document', 1, '#', /must be JSON object/]] },
    { name: 'is no OpenAPI', given: 'rooms: []\n', want: [['document', 1, '#', /Unsupported specification/]] },
    {
      name: 'refers to nothing',
      given: `${head}servers: [{url: 'https://museum.test'}]\npaths:\n  /rooms: {$ref: '#/components/pathItems/Rooms'}\n`,
      want: [['no-unresolved-refs', 5, '#/paths/~1rooms', /#\/components\/pathItems\/Rooms/]],
    },
    {
      name: 'refers to a file that is missing',
      given: `${head}servers: [{url: 'https://museum.test'}]\npaths:\n  /rooms: {$ref: rooms.yaml}\n`,
      want: [['no-unresolved-refs', 5, '#/paths/~1rooms', /rooms\.yaml/]],
    },
  ] as const;

  for (const [index, { name, given, want }] of documents.entries()) {
    test(`${name}: the problem has the form of all others`, async () => {
      const path = join(folder, `${index}.yaml`);
      await writeFile(path, given);
      const problems = await lintContract(path);
      expect(problems.map(({ rule, line, pointer }) => [rule, line, pointer])).toEqual(want.map((w) => w.slice(0, 3)));
      for (const [at, problem] of problems.entries()) {
        expect(problem.says).toMatch(want[at]?.[3] ?? /never/);
        expect(problem.cure).not.toBe('');
      }
    });
  }

  test('does not exist: the error of the file system comes through', async () => {
    await expect(lintContract(join(folder, 'none.yaml'))).rejects.toThrow(/ENOENT/);
  });
});

test('every stock rule that the configuration switches on has a cure, and no other', async () => {
  const { rules } = await loadConfig({ configPath: fileURLToPath(new URL('../redocly.yaml', import.meta.url)) });
  const isOn = (setting: unknown) =>
    setting !== 'off' && !(typeof setting === 'object' && (setting as { severity?: unknown }).severity === 'off');
  const stock = Object.entries(rules.oas3_1 ?? {})
    .filter(([, setting]) => isOn(setting))
    .map(([rule]) => rule);
  const own = (rule: string) => rule.startsWith('lockstep/') || rule === 'assertions';
  expect(Object.keys(cures).sort()).toEqual(stock.filter((rule) => !own(rule)).sort());
});
