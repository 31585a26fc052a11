import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { conformHere } from '../fixtures/conform-here.ts';
import { accessFaults } from '../seeded/access-faults.ts';
import { apis } from '../seeded/apis.ts';
import { depotCredentials } from '../seeded/depot.ts';
import { injectFault } from '../seeded/faults.ts';
import { protocolFaults } from '../seeded/protocol-faults.ts';
import { serve } from '../seeded/serve.ts';
import { reports } from './reports.ts';

const names = [
  'an object needs neither cookie nor token',
  'text is read as a merge patch',
  'If-None-Match: * is ignored',
];
const session = depotCredentials.byScheme.Session;
const [widest] = [...depotCredentials.scopedTokens].sort((a, b) => b.scopes.length - a.scopes.length);

// Two runs of Vitest in processes of their own.
test('the file fails in an empty folder while the faults are there, and passes when they are fixed', {
  timeout: 90_000,
}, async () => {
  let isOn = true;
  const faults = [...accessFaults, ...protocolFaults].filter(
    ({ api, name }) => api === 'depot' && names.includes(name),
  );
  expect(faults.length).toBe(names.length);
  const handle = faults.reduce((inner, fault) => injectFault(fault, inner, () => isOn), apis.depot.create());
  const served = await serve(handle);
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-vitest-'));
  try {
    const tokens = depotCredentials.scopedTokens.flatMap(({ scopes, text }) => [
      '--token',
      `${scopes.join(' ')}=${text}`,
    ]);
    const given = [...tokens, '--credential', `Session=${session}`, '--phase', 'auth', 'protocol'];
    const target = ['--contract', apis.depot.file, '--base-url', `${served.origin}${apis.depot.base}`];
    await conformHere([...target, ...given, '--report', 'vitest', '--out', join(folder, 'out')]);
    const empty = join(folder, 'empty');
    await mkdir(join(empty, 'node_modules'), { recursive: true });
    await copyFile(join(folder, 'out', reports.vitest.file), join(empty, reports.vitest.file));
    const vitest = fileURLToPath(new URL('.', import.meta.resolve('vitest/package.json')));
    await symlink(vitest, join(empty, 'node_modules/vitest'));
    const run = () =>
      new Promise<string>((resolve) => {
        const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env;
        const own = { ...env, LOCKSTEP_CREDENTIAL_SESSION: session, LOCKSTEP_TOKEN: widest?.text, NO_COLOR: '1' };
        const args = [join(vitest, 'vitest.mjs'), 'run'];
        execFile(process.execPath, args, { cwd: empty, env: own }, (_error, out, log) => resolve(`${out}${log}`));
      });
    const summary = async (): Promise<string | undefined> => /Tests +(.*?) \(\d+\)/.exec(await run())?.[1];
    expect(await summary()).toBe('3 failed');
    isOn = false;
    expect(await summary()).toBe('3 passed');
  } finally {
    await served.close();
    await rm(folder, { recursive: true });
  }
});
