import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linters } from '@lockstep/toolkit/fixtures/linters';
import type { RunLinter } from '@lockstep/toolkit/lint/run-redocly';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, lockstepHere } from './fixtures/lockstep-here.ts';

// If this fails, a derived file no longer agrees with the contract, and misleads its readers and callers.

const root = fileURLToPath(new URL('..', import.meta.url));
const home = process.cwd();

// `npm test` runs the same command as one of its steps.
test('everything derived matches openapi/service.yaml', { tags: ['full'] }, async () => {
  const { code, out } = await lockstep(root, ['check']);
  expect(out).toBe('generated: 5 files match openapi/service.yaml\n');
  expect(code).toBe(0);
});

for (const { by, run, options } of linters) {
  test.each([
    { folder: 'mock/sandbox/control', allowed: [] },
    { folder: 'mock/control', allowed: ['--allow-files', 'mock/sandbox/control'] },
  ])(
    `the contract of $folder is of the house, and everything derived from it matches, by Redocly ${by}`,
    options,
    async ({ folder, allowed }) => {
      const contract = `${folder}/contract.yaml`;
      const out = `${folder}/generated`;
      const checked = await lockstep(root, ['check', '--contract', contract, ...allowed, '--out', out]);
      expect(checked.out).toBe(`${out}: 5 files match ${contract}\n`);
      const linted = await lockstep(root, ['lint', '--profile', 'house', '--contract', contract, ...allowed], run);
      expect(linted.out).toBe(`${contract}: no problems\n`);
    },
  );

  describe(`in a copy of contract and derivation, by Redocly ${by},`, options, () => {
    let copy: string;
    let contract: string;

    beforeEach(async () => {
      copy = await mkdtemp(join(tmpdir(), 'drift-'));
      contract = join(copy, 'openapi/service.yaml');
      await cp(join(root, 'openapi'), join(copy, 'openapi'), { recursive: true });
      await cp(join(root, 'generated'), join(copy, 'generated'), { recursive: true });
    });
    afterEach(() => rm(copy, { recursive: true }));
    const lockstepThere = (...args: string[]) => lockstep(copy, args, run);

    test('a field edited without deriving again is named with file, contract line and fix', async () => {
      const text = await readFile(contract, 'utf8');
      const line = text.split('\n').findIndex((one) => one.includes('maximum: 300')) + 1;
      expect(line).toBeGreaterThan(0);
      await writeFile(contract, text.replace('maximum: 300', 'maximum: 500'));

      const { code, out } = await lockstepThere('check');
      expect(code).toBe(1);
      expect(out).toContain('generated/contract.gen.json differs from the contract');
      expect(out).toMatch(/^-\s+"maximum": 300,?$/m);
      expect(out).toMatch(/^\+\s+"maximum": 500,?$/m);
      expect(out).toContain(`openapi/service.yaml:${line} #/components/schemas/Limit/maximum\n    was 300, is 500`);
      expect(out).toContain('Fix: npm run generate\n');
    });

    test('a field edited is derived again by the fix', { tags: ['full'] }, async () => {
      const text = await readFile(contract, 'utf8');
      await writeFile(contract, text.replace('maximum: 300', 'maximum: 500'));
      expect((await lockstepThere('generate')).code).toBe(0);
      expect((await lockstepThere('check')).code).toBe(0);
    });

    test('a contract with lint problems is reported, and has to be fixed before anything is derived from it', async () => {
      const text = await readFile(contract, 'utf8');
      await writeFile(contract, text.replace("pattern: '^", "pattern: '^("));

      const { code, out } = await lockstepThere('check');
      expect(code).toBe(1);
      expect(out).toMatch(
        /\nopenapi\/service\.yaml has lint problems: 1 problem\n {2}openapi\/service\.yaml:\d+:\d+ lockstep\/pattern-compiles\n {4}The pattern .+\n\nFix: fix the problems of npm run lint:contract, then run npm run generate\n$/,
      );
    });

    test('generate writes the responses that every operation shares to those that lack them', {
      tags: ['full'],
    }, async () => {
      const text = await readFile(contract, 'utf8');
      const [, defaults = ''] = /^x-default-responses:\n((?: {2}.+\n)+)/m.exec(text) ?? [];
      const shared = defaults.split('\n').filter(Boolean);
      expect(shared).toHaveLength(6);
      const bare = shared.reduce((rest, line) => rest.replaceAll(`\n      ${line}\n`, '\n'), text);
      expect(bare.split('\n').length).toBeLessThan(text.split('\n').length - 60);
      await writeFile(contract, bare);

      const { code, out } = await lockstepThere('generate', '--profile', 'house');
      expect(out).toContain('completed openapi/service.yaml: get /jobs/{jobId} by 401, 402, 403, 429, 500, 503\n');
      expect(out).not.toMatch(/oauth2|login|wrote/);
      expect(code).toBe(0);
      expect(await readFile(contract, 'utf8')).toBe(text);
    });

    test('generate by a profile derives nothing from a contract with lint problems, and reports them with their location', async () => {
      const text = await readFile(contract, 'utf8');
      await writeFile(contract, text.replace("pattern: '^", "pattern: '^("));
      await rm(join(copy, 'generated/types.gen.ts'));
      const before = await readdir(join(copy, 'generated'));

      const { code, out } = await lockstepThere('generate', '--profile', 'house');
      expect(code).toBe(1);
      expect(out).toMatch(
        /^openapi\/service\.yaml:\d+:\d+ lockstep\/pattern-compiles\n {2}at {6}#\/\S+\n {2}message .+\n {2}fix {5}.+\n(?: {2}and .+\n)?\n1 problem\ngenerated was not changed: fix the contract first\.\n$/,
      );
      const { out: json } = await lockstepThere('generate', '--profile', 'house', '--json');
      expect(JSON.parse(json)).toMatchObject({ completed: [], problems: [{ rule: 'lockstep/pattern-compiles' }] });
      expect(await readdir(join(copy, 'generated'))).toEqual(before);
    });

    test('a contract that cannot be read is said not to be compared', async () => {
      const text = await readFile(contract, 'utf8');
      await writeFile(contract, text.replace('\npaths:\n', '\n paths:\n'));

      const { code, error } = await lockstepThere('check');
      expect(code).toBe(2);
      expect(error).toMatch(
        /^openapi\/service\.yaml has problems, and nothing was compared\. Fix it first:\n\nopenapi\/service\.yaml:\d+:\d+ yaml\n/,
      );
      expect(error).not.toContain('npm run generate');
    });

    test('a broken contract is reported with file, line, pointer and reason, and nothing is written', async () => {
      const before = await readdir(join(copy, 'generated'));
      const text = await readFile(contract, 'utf8');
      await writeFile(contract, text.replace("$ref: '#/components/schemas/", "$ref: '#/components/schemas/Missing"));
      await rm(join(copy, 'generated/types.gen.ts'));

      const { code, out, error } = await lockstepThere('generate', '--strict');
      expect(code).toBe(2);
      expect(out).toBe('');
      expect(error).toMatch(
        /^openapi\/service\.yaml:\d+:\d+ no-unresolved-refs\n {2}at {6}#\/\S+\n {2}message \$ref "#\/components\/schemas\/Missing\w+" can't be resolved: there is nothing at that pointer\n {2}fix {5}.+\n$/,
      );
      expect(await readdir(join(copy, 'generated'))).toEqual(before.filter((name) => name !== 'types.gen.ts'));
    });
  });
}

test.each([
  { name: 'an unknown command, with the nearest one', args: ['chek'], message: 'Did you mean check?' },
  { name: 'an unknown option', args: ['check', '--outt', 'x'], message: 'Did you mean --out?' },
  {
    name: 'a contract that is not there',
    args: ['generate', '--contract', 'no.yaml'],
    message: 'the file does not exist',
  },
])('the command line refuses $name', async ({ args, message }) => {
  const { code, error } = await lockstep(root, args);
  expect(code).toBe(2);
  expect(error).toContain(message);
});

test('--json is one value, on stdout even when the contract is refused', async () => {
  const { code, out } = await lockstep(root, ['check', '--contract', 'no.yaml', '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({ problems: [{ file: 'no.yaml', message: 'the file does not exist' }] });
});

async function lockstep(cwd: string, args: readonly string[], linter?: RunLinter): Promise<Ended> {
  process.chdir(cwd);
  try {
    return await lockstepHere(args, linter);
  } finally {
    process.chdir(home);
  }
}
