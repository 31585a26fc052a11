import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

// If these fail, CI reports green without having looked, or red without a way to see the same again.
// The script runs for real, in a folder of its own, with npm replaced by a stub that writes down how it was called.

const scripts = fileURLToPath(new URL('../.ci', import.meta.url));

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ci-'));
  await mkdir(join(root, 'bin'));
  await cp(scripts, join(root, '.ci'), { recursive: true });
  for (const name of ['chromium', 'nginx', 'pg_dump', 'apt-get']) await stub(name, '');
});
afterEach(() => rm(root, { recursive: true }));

test('every run has a seed and the browser that was found', async () => {
  await stub('npm', 'echo "npm $1 $2 CI=$CI FC_SEED=$FC_SEED CHROMIUM=$CHROMIUM" >> calls');
  await run();
  const calls = (await readFile(join(root, 'calls'), 'utf8')).split('\n');
  const environment = `CI=true FC_SEED=\\d+ CHROMIUM=${root}/bin/chromium`;
  expect(calls[1]).toMatch(new RegExp(`^npm test {2}${environment}$`));
  expect(calls[2]).toMatch(new RegExp(`^npm run test:full ${environment}$`));
  expect(calls.slice(3, 5)).toEqual([
    expect.stringMatching(/^npm ci /),
    expect.stringMatching(/^npm run types:peers /),
  ]);
});

test('a browser that is named is the one that is looked with', async () => {
  await stub('npm', 'echo "$CHROMIUM" >> calls');
  await run({ CHROMIUM: '/opt/my-browser' });
  expect(await readFile(join(root, 'calls'), 'utf8')).toBe('/opt/my-browser\n'.repeat(5));
});

test.each(['none', 'vitest', 'test:postgres', 'test:node26'])(
  'test:full runs all lanes where %s fails',
  async (bad) => {
    for (const name of ['vitest', 'npm'])
      await stub(name, `echo "${name} $2" >> calls; [ ${name} != ${bad} ] && [ "$2" != ${bad} ]`);
    const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    const { code } = await run({}, 'sh', ['-c', `cd ${root} && ${scripts['test:full']}`]);
    expect(code).toBe(bad === 'none' ? 0 : 1);
    const calls = await readFile(join(root, 'calls'), 'utf8');
    expect(calls.trim().split('\n')).toEqual(['vitest --project', 'npm test:postgres', 'npm test:node26']);
  },
);

const report = '{\\"numPassedTests\\":3,\\"numFailedTests\\":0,\\"testResults\\":[]}';
const outcomes = [
  { name: 'all pass', npm: `echo ${report} > dist/ci/test.json`, want: [0, '3 passed, 0 failed'] },
  {
    name: 'a step fails outside of tests',
    npm: `echo ${report} > dist/ci/test.json; [ $1 != test ]`,
    want: [1, '3 passed, 1 failed'],
  },
  { name: 'nothing was tested', npm: '', want: [1, '0 passed, 0 failed'] },
];
for (const { name, npm, want } of outcomes) {
  test(`reports it when ${name}`, async () => {
    await stub('npm', npm);
    const { code, stdout } = await run();
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual(want);
  });
}

test('failures are printed before the count, since readers look at the end of a long log', async () => {
  const frames = Array.from({ length: 20 }, (_, at) => `    at frame${at} (${at === 1 ? '/node_modules/' : '/'}x.ts)`);
  const failed = {
    numPassedTests: 3,
    numFailedTests: 1,
    testResults: [
      {
        name: join(root, 'door.test.ts'),
        status: 'failed',
        message: '',
        assertionResults: [
          { fullName: 'a door opens', status: 'passed', failureMessages: [] },
          { fullName: 'a door closes', status: 'failed', failureMessages: [['AssertionError', ...frames].join('\n')] },
        ],
      },
      { name: join(root, 'lock.test.ts'), status: 'failed', message: 'Cannot find module', assertionResults: [] },
      { name: join(root, 'key.test.ts'), status: 'passed', message: '', assertionResults: [] },
    ],
  };
  await writeFile(join(root, 'report.json'), JSON.stringify(failed));
  await stub('npm', 'cp report.json dist/ci/test.json; [ $1 != test ]');
  const { code, stdout } = await run();
  expect(code).toBe(1);
  const shown = frames.toSpliced(1, 1).slice(0, 14);
  expect(stdout.slice(stdout.indexOf('\n\n== failed: test'))).toBe(
    [
      '\n',
      '== failed: test door.test.ts > a door closes',
      '  AssertionError',
      ...shown.map((line) => `  ${line}`),
      '',
      '== failed: test lock.test.ts',
      '  Cannot find module',
      '',
      '3 passed, 2 failed',
      '',
    ].join('\n'),
  );
});

test('a step that breaks outside of every test is named as such', async () => {
  await stub('npm', `echo ${report} > dist/ci/test.json; [ $1 != test ]`);
  expect((await run()).stdout).toMatch(
    /== failed: npm test\n.*== failed: a step, outside of every test.*\n\n3 passed, 1 failed\n$/s,
  );
});

async function stub(name: string, line: string): Promise<void> {
  await writeFile(join(root, 'bin', name), `#!/bin/sh\n${line}\n`);
  await chmod(join(root, 'bin', name), 0o755);
}

/** In an environment of its own: no setting of this run reaches the script. */
function run(
  env: NodeJS.ProcessEnv = {},
  command = 'bash',
  words: readonly string[] = [join(root, '.ci/run')],
): Promise<{ code: unknown; stdout: string }> {
  const path = [join(root, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  return new Promise((resolve) => {
    execFile(command, words, { env: { PATH: path, ...env } }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
  });
}
