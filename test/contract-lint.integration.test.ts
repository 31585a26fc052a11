import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getLineColLocation, type LocationObject, lint, loadConfig } from 'redocly-core';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { linters } from '../toolkit/fixtures/linters.ts';
import { fixes } from '../toolkit/lint/fixes.ts';
import { lintContract } from '../toolkit/lint/lint-contract.ts';
import { formatProblem } from '../toolkit/problem.ts';
import { contractRules, houseRules, validRules } from '../toolkit/rules/plugin.ts';

const fixtures = 'toolkit/fixtures/invalid';

/**
 * Each bad document has one fault; its neighbour `<rule>.good.yaml` is the same without it.
 * A rule that looks for several faults has a document for each further one, `<rule>.<variant>.yaml`.
 */
const faults: readonly (readonly [rule: string, place: string, pointer: string, variant?: string])[] = [
  ['lockstep/array-parameter-form', '12:11', '#/paths/~1visits/get/parameters/1'],
  ['lockstep/array-parameter-form', '12:11', '#/paths/~1visits/get/parameters/1', 'composed'],
  ['lockstep/default-responses-declared', '13:7', '#/paths/~1rooms/get/responses'],
  ['lockstep/error-has-example', '19:7', '#/components/responses/NotFound/x-error-codes', 'unmarked'],
  ['lockstep/error-has-example', '19:39', '#/components/responses/NotFound/x-error-codes/1'],
  [
    'lockstep/error-has-example',
    '28:13',
    '#/components/responses/NotFound/content/application~1json/examples/no_such_floor',
    'name',
  ],
  [
    'lockstep/error-has-example',
    '26:11',
    '#/components/responses/NotFound/content/application~1json/examples',
    'order',
  ],
  [
    'lockstep/example-member-described',
    '16:66',
    '#/paths/~1rooms/get/responses/200/content/application~1json/examples/attic/value/stpes',
  ],
  ['lockstep/example-member-described', '19:45', '#/components/examples/Attic/value/stpes', 'shared'],
  ['lockstep/extension-valid', '32:65', '#/components/schemas/Room/x-sensitive'],
  ['lockstep/extension-valid', '32:52', '#/components/schemas/Room/x-ambient', 'place'],
  ['lockstep/extension-valid', '25:7', '#/paths/~1searches/post/x-pagination', 'method'],
  [
    'lockstep/extension-valid',
    '18:80',
    '#/paths/~1rooms/get/responses/200/content/application~1json/schema/items/x-exension',
    'reference',
  ],
  ['lockstep/invalid-status-declared', '21:9', '#/paths/~1rooms~1{roomId}/get/responses/422'],
  ['lockstep/links-resolve', '18:63', '#/paths/~1rooms/get/responses/200/links/Room/parameters/roomId'],
  ['lockstep/links-resolve', '20:85', '#/paths/~1rooms/get/responses/200/links/Rename/requestBody', 'body'],
  ['lockstep/links-resolve', '18:80', '#/paths/~1rooms/get/responses/200/links/Room/requestBody', 'bodiless'],
  ['lockstep/oauth-url-absolute', '18:39', '#/components/securitySchemes/oauth2/flows/clientCredentials/tokenUrl'],
  ['lockstep/pattern-compiles', '12:116', '#/paths/~1visits/get/parameters/1/schema/items/pattern'],
  // Nor that four examples can't be checked against it.
  ['lockstep/pattern-compiles', '40:35', '#/components/schemas/Kind/pattern', 'examples'],
  ['lockstep/pattern-is-linear', '19:35', '#/components/schemas/Room/pattern'],
  ['lockstep/plain-for-generators', '29:11', '#/components/schemas/Room/properties/since/pattern'],
  ['lockstep/plain-for-generators', '22:9', '#/components/schemas/Room/properties/kind', 'enum'],
  ['lockstep/plain-for-generators', '23:5', '#/components/schemas/DOOR', 'name'],
  ['lockstep/plain-for-generators', '21:5', '#/components/schemas/Gate', 'reference'],
  ['lockstep/plain-for-generators', '19:20', '#/components/schemas/Room/allOf/0', 'choice'],
  ['lockstep/plain-for-generators', '37:15', '#/components/schemas/Room/properties/door/allOf/0', 'null'],
  ['lockstep/plain-for-generators', '24:17', '#/components/schemas/Room/properties/steps/type', 'types'],
  ['lockstep/plain-for-generators', '19:20', '#/components/schemas/Room/allOf/0', 'untyped'],
  ['lockstep/prose-names-titles', '6:16', '#/info/description'],
  ['lockstep/prose-names-titles', '6:16', '#/info/description', 'bare'],
  ['lockstep/prose-names-titles', '6:16', '#/info/description', 'link'],
  ['lockstep/refusal-declared', '13:7', '#/paths/~1visits/get/responses'],
  ['lockstep/required-is-described', '26:31', '#/components/schemas/Room/then/required/1'],
  ['lockstep/response-has-example', '16:15', '#/paths/~1rooms/get/responses/200/content/application~1json/example'],
  ['lockstep/security-on-every-operation', '7:5', '#/paths/~1rooms/get'],
  ['lockstep/security-on-every-operation', '10:18', '#/paths/~1rooms/get/security/0', 'empty'],
  ['lockstep/string-says-if-empty', '23:9', '#/components/schemas/Room/properties/name'],
  ['lockstep/success-declared', '10:7', '#/paths/~1rooms/get/responses'],
  ['lockstep/time-allows-reserved', '11:11', '#/paths/~1visits/get/parameters/0'],
  ['operation-operationId-unique', '22:7', '#/paths/~1halls/get/operationId'],
  ['operation-operationId-unique', '23:7', '#/paths/~1halls/get/operationId', 'order'],
  ['rule/operation-id-casing', '7:20', '#/paths/~1rooms/get/operationId'],
  ['rule/request-body-required', '11:9', '#/paths/~1rooms/post/requestBody/required'],
];

/** The same for the rules that our own contract alone is held to. */
const houseFaults: typeof faults = [
  ['lockstep/described', '28:67', '#/components/schemas/Room/properties/door/properties/open'],
  ['lockstep/described', '27:9', '#/components/schemas/Room/properties/area', 'reference'],
  ['lockstep/described', '12:11', '#/paths/~1rooms/get/parameters/0', 'parameter'],
  ['lockstep/described', '6:5', '#/paths/~1rooms/get', 'operation'],
];

/** The rules that the profile for any contract adds, in documents of 3.0 and 3.1. */
const validFaults: typeof faults = [
  ['lockstep/keyword-of-version', '15:60', '#/components/schemas/Room/properties/name/nullable'],
  ['lockstep/keyword-of-version', '15:46', '#/components/schemas/Room/properties/name/type', 'list'],
  ['lockstep/keyword-of-version', '15:60', '#/components/schemas/Room/properties/name/const', 'newer'],
  ['lockstep/keyword-of-version', '15:46', '#/components/schemas/Room/properties/name/nullable', 'untyped'],
  ['lockstep/keyword-value', '15:92', '#/components/schemas/Room/properties/area/multipleOf'],
  [
    'lockstep/nothing-beside-reference',
    '12:93',
    '#/paths/~1rooms/get/responses/200/content/application~1json/schema/properties/room/nullable',
  ],
  ['lockstep/security-scheme-exists', '7:19', '#/paths/~1rooms/get/security/0/kee'],
  ['struct', '15:122', '#/components/schemas/Room/properties/area/exclusiveMinimum', 'bound'],
  ['struct', '15:100', '#/components/schemas/Room/properties/area/exclusiveMinimum', 'number'],
];

const configPath = fileURLToPath(new URL('../redocly.yaml', import.meta.url));
const readingConfig = loadConfig({ configPath });

/** The problems that the rules for `openapi/service.yaml` report in another document, with their places. */
async function lintAsService(ref: string): Promise<readonly (readonly string[])[]> {
  const config = (await readingConfig).forAlias('service');
  return (await lint({ ref, config })).map(({ ruleId, location: [first] }) => {
    const { line, col } = getLineColLocation(first as LocationObject).start;
    return [ruleId, `${line}:${col}`, first?.pointer ?? ''];
  });
}

describe.concurrent('every rule of the house', () => {
  for (const [rule, place, pointer, variant] of houseFaults) {
    const name = [rule.slice(rule.indexOf('/') + 1), variant].filter(Boolean).join('.');
    test(`${name}: the fault at ${place} is reported for our own contract, and for no other`, async () => {
      const told = (await lintAsService(`${fixtures}/${name}.yaml`)).filter(([found]) => found === rule);
      expect(told).toEqual([[rule, place, pointer]]);
      expect(await lintContract(`${fixtures}/${name}.yaml`, 'house', { run: linters[0].run })).toEqual([]);
    });
  }

  for (const name of Object.keys(houseRules)) {
    test(`${name} lets the document without a fault pass`, async () => {
      const told = await lintAsService(`${fixtures}/${name}.good.yaml`);
      expect(told.filter(([found]) => found === `lockstep/${name}`)).toEqual([]);
    });
  }
});

describe('every rule of ours', () => {
  test('has a bad document and a good one', () => {
    const tested = faults.map(([rule]) => rule);
    expect(tested).toEqual(expect.arrayContaining(Object.keys(contractRules).map((name) => `lockstep/${name}`)));
  });

  test('is tested by every bad document that there is', async () => {
    const tested = [...faults, ...houseFaults, ...validFaults].map(([rule, , , variant]) => [
      rule.slice(rule.indexOf('/') + 1),
      variant,
      'yaml',
    ]);
    const bad = (await readdir(fixtures)).filter((file) => /\.yaml$/.test(file) && !/\.good\.|^several/.test(file));
    expect(bad.sort()).toEqual(tested.map((parts) => parts.filter(Boolean).join('.')).sort());
  });

  test('for a contract from anywhere has a bad document and a good one', () => {
    const tested = validFaults.map(([rule]) => rule);
    expect(tested).toEqual(expect.arrayContaining(Object.keys(validRules).map((name) => `lockstep/${name}`)));
  });
});

describe.each(linters)('Redocly $by', ({ run, options }) => {
  describe.concurrent('reports by a rule of ours', options, () => {
    for (const [rule, place, pointer, variant] of faults) {
      const name = `${rule.slice(rule.indexOf('/') + 1)}${variant === undefined ? '' : `.${variant}`}`;
      test(`${rule} reports its fault at ${place}, and nothing else`, async () => {
        const problems = await lintContract(`${fixtures}/${name}.yaml`, 'house', { run });
        expect(problems.map((p) => [p.rule, `${p.line}:${p.column}`, p.pointer])).toEqual([[rule, place, pointer]]);
        expect(problems[0]?.file).toBe(`${fixtures}/${name}.yaml`);
        expect(problems[0]?.fix).toMatch(/^[A-Z].{10,}[.?]$/);
      });
      if (variant !== undefined) continue;
      test(`${rule} lets the document without a fault pass`, async () => {
        expect(await lintContract(`${fixtures}/${name}.good.yaml`, 'house', { run })).toEqual([]);
      });
    }
  });

  describe.concurrent('reports by a rule for a contract from anywhere', options, () => {
    for (const [rule, place, pointer, variant] of validFaults) {
      const name = [rule.slice(rule.indexOf('/') + 1), variant].filter(Boolean).join('.');
      test(`${rule} reports its fault at ${place}, once, with a fix: ${name}`, async () => {
        const problems = await lintContract(`${fixtures}/${name}.yaml`, 'valid', { run });
        const told = problems.filter((problem) => problem.rule === rule);
        expect(told.map((p) => [`${p.line}:${p.column}`, p.pointer])).toEqual([[place, pointer]]);
        expect(told[0]?.fix).toMatch(/^[A-Z].{10,}\.$/);
        expect(told[0]?.fix).not.toBe(fixes[rule]);
      });
      if (variant !== undefined && rule !== 'struct') continue;
      test(`${rule} lets the document without a fault pass, before ${name}`, async () => {
        const problems = await lintContract(`${fixtures}/${rule.slice(rule.indexOf('/') + 1)}.good.yaml`, 'valid', {
          run,
        });
        expect(problems.filter((problem) => problem.rule === rule)).toEqual([]);
      });
    }
  });

  test.each([
    {
      name: 'a pattern that does not compile counts the examples that it keeps from being checked',
      given: 'pattern-compiles.examples',
      want: `${fixtures}/pattern-compiles.examples.yaml:40:35 lockstep/pattern-compiles
  at      #/components/schemas/Kind/pattern
  message The pattern ^[a-z$ does not compile: unterminated character class.
  fix     Write a JavaScript regular expression that compiles with the u flag: escape only special characters.
  and 4 more that follow from it
`,
    },
    {
      name: 'a duplicate operationId is reported with both locations',
      given: 'operation-operationId-unique',
      want: `${fixtures}/operation-operationId-unique.yaml:22:7 operation-operationId-unique
  at      #/paths/~1halls/get/operationId
  message The operationId listRooms is used here and at ${fixtures}/operation-operationId-unique.yaml:7:7.
  fix     Give each operation an operationId of its own.
`,
    },
    {
      name: 'a duplicate operationId is found at its own line, after a summary too',
      given: 'operation-operationId-unique.order',
      want: `${fixtures}/operation-operationId-unique.order.yaml:23:7 operation-operationId-unique
  at      #/paths/~1halls/get/operationId
  message The operationId listRooms is used here and at ${fixtures}/operation-operationId-unique.order.yaml:8:7.
  fix     Give each operation an operationId of its own.
`,
    },
  ])('$name', options, async ({ given, want }) => {
    expect((await lintContract(`${fixtures}/${given}.yaml`, 'house', { run })).map(formatProblem).join('')).toBe(want);
  });

  describe('a document with several faults', options, () => {
    test('gives all of them at once, in the order of its lines', async () => {
      const problems = await lintContract(`${fixtures}/several-faults.yaml`, 'house', { run });
      const transcript = problems.map(formatProblem).join('');
      expect(transcript).toBe(await readFile(`${fixtures}/several-faults.txt`, 'utf8'));
    });
  });
});

test('the contract is as easy to use by its description alone as it was: at least 90 of 100', async () => {
  const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const line = [cli, 'score', 'openapi/service.yaml', '--format=json'];
  const { stdout } = await promisify(execFile)(process.execPath, line, { env, maxBuffer: 16 * 1024 * 1024 });
  const { agentReadiness } = JSON.parse(stdout) as { readonly agentReadiness: number };
  expect(agentReadiness).toBeGreaterThanOrEqual(90);
});

test('every stock rule that a profile switches on has a fix, and no other', async () => {
  const isOn = (setting: unknown) =>
    setting !== 'off' && !(typeof setting === 'object' && (setting as { severity?: unknown }).severity === 'off');
  const { rules: house } = await loadConfig({ configPath });
  const { rules: valid }: { rules: Readonly<Record<string, unknown>> } = parse(
    await readFile('toolkit/lint/valid.yaml', 'utf8'),
  );
  const stock = [...Object.entries(house.oas3_1 ?? {}), ...Object.entries(valid)]
    .filter(([, setting]) => isOn(setting))
    .map(([rule]) => rule);
  const own = (rule: string) => rule.startsWith('lockstep/') || rule === 'assertions';
  expect(Object.keys(fixes).sort()).toEqual([...new Set(stock)].filter((rule) => !own(rule)).sort());
});
