import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conformHere } from '../fixtures/conform-here.ts';
import { apis } from '../seeded/apis.ts';
import { createConfigSchema, readConfigFile } from './config-file.ts';

let folder: string;
const home = process.cwd();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-config-'));
  process.chdir(folder);
});
afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true });
});

const write = (text: string, file = 'lockstep-conform.yaml') => writeFile(file, text);

test('the published schema is that of the table of options', async () => {
  // `npx vitest run conformance/command/config-file.test.ts -u` writes it.
  await expect(`${JSON.stringify(createConfigSchema(), null, 2)}\n`).toMatchFileSnapshot('../config.schema.json');
});

test('reads options of all forms, and paths from the folder of the file', async () => {
  await mkdir('ci');
  await write(
    `# for CI
contract: ../openapi.yaml
base-url: http://localhost:8080/v1
workers: 4
read-only: true
json: false
budget: 300req
header:
  - 'X-Tenant: acme'
operation: listBooks
report: [junit, json]
fail-on: warning,unreached
allow-files: [shared]
`,
    'ci/conform.yaml',
  );
  const { options, labelOf, faults } = await readConfigFile('ci/conform.yaml', false);
  expect([options, faults]).toEqual([
    {
      contract: 'openapi.yaml',
      baseUrl: 'http://localhost:8080/v1',
      workers: '4',
      readOnly: true,
      json: undefined,
      budget: '300req',
      header: ['X-Tenant: acme'],
      operation: ['listBooks'],
      report: 'junit,json',
      failOn: 'warning,unreached',
      allowFiles: ['ci/shared'],
    },
    [],
  ]);
  expect([labelOf('workers'), labelOf('seed')]).toEqual(['ci/conform.yaml:4 workers', undefined]);
});

test('the files in the README are valid', async () => {
  const page = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n(.+?)```/gs)].flatMap(([, text = '']) => text);
  // Files of users, and steps of a job.
  const texts = blocks.filter((text) => !/^(auth:|- id:)/.test(text));
  expect(texts).toHaveLength(2);
  for (const text of texts) {
    await write(text);
    expect((await readConfigFile(undefined, false)).faults).toEqual([]);
  }
});

test.each([
  { name: 'no file', text: undefined },
  { name: 'a file without options', text: '# base-url: http://localhost\n\n' },
])('$name gives no options', async ({ text }) => {
  if (text !== undefined) await write(text);
  expect(await readConfigFile(undefined, false)).toMatchObject({ options: {}, faults: [] });
});

describe('2 for a wrong file, with file, line, member and expectation', () => {
  test.each<{ text: string; message: string }>([
    { text: 'seed: 1\nbaseurl: http://a\n', message: ':2 baseurl is unknown. Did you mean base-url?' },
    { text: 'baseUrl: http://a\n', message: ':1 baseUrl is unknown. Did you mean base-url?' },
    { text: 'config: x.yaml\n', message: ':1 config is unknown.' },
    { text: '\n\nworkers: many\n', message: ':3 workers must be a whole number.' },
    { text: 'workers: -1\n', message: ':1 workers must be at least 0.' },
    { text: 'workers: 0\n', message: ':1 workers 0: give a whole number of at least 1.' },
    { text: 'read-only: yes\n', message: ':1 read-only must be true or false.' },
    { text: 'budget: 300\n', message: ':1 budget must be a text, in quotes if it contains a colon or only digits.' },
    {
      text: 'header:\n  - X-Tenant: acme\n',
      message: ':2 header/0 must be a text, in quotes if it contains a colon or only digits.',
    },
    {
      text: 'check:\n  - slow\n  - body-shema\n',
      message: ':3 check/1 body-shema does not exist. Did you mean body-schema? There are: no-answer, ',
    },
    {
      text: 'report: jnuit\n',
      message: ':1 report jnuit does not exist. Did you mean junit? There are: console, json, junit',
    },
    { text: 'writes: al\n', message: ':1 writes al does not exist. Did you mean all? There are: owned, restore, all.' },
    { text: 'base-url: localhost\n', message: ':1 base-url localhost is not an http address. Did you mean http://l' },
    { text: 'base-url: ""\n', message: ':1 base-url is empty.' },
    { text: 'token: abc\n', message: ':1 token is a secret, which must not be in a file: set LOCKSTEP_TOKEN.' },
    {
      text: 'header: ["Authorization: Bearer hunter2"]\n',
      message: ':1 header/0 is a credential, which must not be in a file: set LOCKSTEP_TOKEN or LOCKSTEP_CREDENTIAL.',
    },
    { text: 'known: {id: abcdef01}\n', message: ':1 known must be a list.' },
    { text: 'known:\n  - id: "abcdef01"\n    reason: x\n', message: ':2 known/0 needs the member until.' },
    {
      text: 'known:\n  - {id: body-schema, reason: x, until: 2026-01-01}\n',
      message: ':2 known/0/id body-schema is not the id of a finding, or the fingerprint of one of its places: eight',
    },
    {
      text: 'known:\n  - id: 12345678\n',
      message: ':2 known/0/id must be a text, in quotes if it contains a colon or only digits.',
    },
    {
      text: 'known:\n  - {id: abcdef01, reason: x, until: 2026-02-30}\n',
      message:
        ':2 known/0/until 2026-02-30 is not the last day on which the failure is accepted, in UTC, as in 2026-12',
    },
    {
      text: 'known:\n  - {id: abcdef01, reson: x, until: 2026-01-01}\n',
      message: ':2 known/0/reson is unknown. Did you mean reason?',
    },
    { text: 'seed: 1\nseed: 2\n', message: ':2 seed is repeated.' },
    { text: 'seed: [\n', message: ':2 ' },
    { text: '- seed\n', message: ':1 The document is not an object.' },
  ])('$message', async ({ text, message }) => {
    await write(text);
    const { code, out, error } = await conformHere(['plan', '--contract', apis.library.file]);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(`lockstep-conform.yaml${message}`);
    expect(error).not.toContain('hunter2');
  });

  test('reports all faults at once', async () => {
    await write('sed: 1\nworkers: x\n');
    const { error } = await conformHere(['plan', '--contract', apis.library.file]);
    expect(error).toBe(
      'lockstep-conform.yaml:1 sed is unknown. Did you mean seed?\nlockstep-conform.yaml:2 workers must be a whole number.\n',
    );
  });

  test('a file that --config names has to exist', async () => {
    const { code, error } = await conformHere(['plan', '--config', 'absent.yaml']);
    expect([code, error]).toEqual([2, expect.stringMatching(/^--config absent\.yaml cannot be read: ENOENT/)]);
  });
});

test('the command line replaces the environment, which replaces the file', async () => {
  const before = process.env.LOCKSTEP_CONTRACT;
  await write(`contract: ${apis.weather.file}\noperation: [listBooks]\n`);
  try {
    process.env.LOCKSTEP_CONTRACT = apis.library.file;
    const { code, out } = await conformHere(['plan', '--operation', 'readBook']);
    expect([code, out.includes('readBook   GET'), out.includes('listBooks   GET')]).toEqual([0, true, false]);
  } finally {
    if (before === undefined) delete process.env.LOCKSTEP_CONTRACT;
    else process.env.LOCKSTEP_CONTRACT = before;
  }
});
