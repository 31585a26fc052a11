import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { locks, type RemovedLock } from './lock-table.ts';
import { makeCopy } from './make-copy.ts';

const help = `Usage: npm run mutants:locks -- [NAME...]

Removes each lock and each condition that keeps several processes from disturbing each other, one at a time, in a copy of the last commit,
and runs the test that has to fail. Prints a table.
  NAME       only locks whose name contains it
Exit codes: 0 each removal was noticed, 1 some were not.
`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } });

if (values.help) process.stdout.write(help);
else main();

function main(): void {
  const chosen = locks.filter(
    ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
  );
  const { path: copy, remove } = makeCopy();
  try {
    for (const file of new Set(chosen.map((lock) => lock.test.file))) requirePass(copy, file);
    process.stdout.write('| lock or condition | place | test | without it |\n|---|---|---|---|\n');
    for (const lock of chosen) {
      const { isNoticed, error } = judge(copy, lock);
      const { name, file, test } = lock;
      process.stdout.write(
        `| ${name} | ${file} | ${test.name} | ${isNoticed ? `failed: ${error}` : '**survived**'} |\n`,
      );
      if (!isNoticed) process.exitCode = 1;
    }
  } finally {
    remove();
  }
}

function judge(copy: string, { file, from, to, test }: RemovedLock): { isNoticed: boolean; error: string } {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    const { status, output } = run(copy, test.file, ['-t', test.name]);
    // A pattern that matches no test must not count as a failure.
    if (!/Tests .*\d+ (passed|failed)/.test(output))
      throw new Error(`${test.file} has no test "${test.name}":\n${output}`);
    const error =
      /^(?:AssertionError|\w*Error|error|StoreUnavailable): (.*)$/m.exec(output)?.[1] ?? 'the test timed out';
    return { isNoticed: status !== 0, error: error.slice(0, 80).replaceAll('|', '\\|') };
  } finally {
    writeFileSync(path, text);
  }
}

function requirePass(copy: string, file: string): void {
  const { status, output } = run(copy, file, []);
  if (status !== 0) throw new Error(`${file} fails without any change:\n${output}`);
}

function run(copy: string, file: string, more: readonly string[]): { status: number | null; output: string } {
  const project = file.includes('.integration.') ? 'integration' : 'unit';
  const bin = join(copy, 'node_modules/.bin');
  const { status, stdout, stderr } = spawnSync(
    join(bin, 'vitest'),
    ['run', '--project', project, file, '--testTimeout', '60000', '--hookTimeout', '180000', ...more],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, FC_SEED: '1' } },
  );
  return { status, output: stripVTControlCharacters(stdout + stderr) };
}
