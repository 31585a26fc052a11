import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const cases = [
  { name: '--help', line: ['--help'], want: [0, /^Usage: npm run bench -- \[NAME\.\.\.\]/] },
  { name: 'a question that nobody asks', line: ['sorting'], want: [2, /^there is no question sorting$/m] },
  { name: 'a name that every object has', line: ['constructor'], want: [2, /^there is no question constructor$/m] },
  { name: 'an unknown option', line: ['--sav'], want: [2, /--sav/] },
] as const;

for (const { name, line, want } of cases) {
  test(`npm run bench with ${name} exits with ${want[0]}`, async () => {
    const { code, printed } = await run(line);
    expect(code).toBe(want[0]);
    expect(printed).toMatch(want[1]);
    expect(printed).not.toMatch(/^\s+at /m);
  });
}

test.each(['detect', 'mocks'])('the bench %s has a help, and exits with 2 on an unknown option', async (name) => {
  const main = `${name}/main.ts`;
  expect(await run(['--help'], main)).toEqual({ code: 0, printed: expect.stringMatching(/^Usage: node bench/) });
  expect(await run(['--sav'], main)).toEqual({ code: 2, printed: expect.stringContaining('--sav') });
});

function run(line: readonly string[], main = 'main.ts'): Promise<{ code: unknown; printed: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, main), ...line], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, printed: `${stderr}${stdout}` }),
    );
  });
}
