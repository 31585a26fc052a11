import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { apis } from './seeded/apis.ts';
import { injectFault, withHeaders } from './seeded/faults.ts';
import { libraryKey } from './seeded/library.ts';
import { type Served, serve } from './seeded/serve.ts';

// If these fail, a job that uses the action is green over defects, or runs a text of a pull request as a command.

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const action: Action = parse(await readFile(join(import.meta.dirname, 'action.yml'), 'utf8'));

let folder: string;
let served: Served | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-action-'));
});
afterEach(async () => {
  await served?.close();
  served = undefined;
  await rm(folder, { recursive: true });
});

/** Runs the scripts of the action as a job does, in an empty folder, until one of them fails. */
async function runAction(inputs: Readonly<Record<string, string>>) {
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') };
  const job = { ...files, GITHUB_ACTIONS: 'true', GITHUB_ACTION_PATH: import.meta.dirname, GITHUB_WORKSPACE: folder };
  const given = (text: string): string =>
    text.replaceAll(
      /\$\{\{ inputs\.([\w-]+) \}\}/g,
      (_, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '',
    );
  let code = 0;
  let text = '';
  for (const { run, env = {} } of action.runs.steps) {
    if (run === undefined || code !== 0) continue;
    const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, given(value)]));
    const variables = { ...process.env, ...job, ...own, LOCKSTEP_TOKEN: libraryKey };
    code = await new Promise((resolve) => {
      const args = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', run];
      execFile('bash', args, { cwd: folder, env: variables }, (error, out, log) => {
        text += `${out}${log}`;
        resolve(Number(error?.code ?? 0));
      });
    });
  }
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8').catch(() => '');
  const outputs = Object.fromEntries((await read('output')).split('\n').map((line) => line.split('=')));
  return { code, text, outputs, summary: await read('summary') };
}

const inputsFor = ({ origin }: Served) => ({
  contract: apis.library.file,
  'base-url': `${origin}${apis.library.base}`,
  options: '--phase baseline\n\n--read-only\n--rate 1000/s',
});

test('inputs reach a script as variables only, and each output has its step', () => {
  const scripts = action.runs.steps.flatMap(({ run = '' }) => run);
  expect(scripts.join()).not.toContain('${{');
  const ids = action.runs.steps.flatMap(({ id }) => id ?? []);
  for (const { value } of Object.values(action.outputs))
    expect(ids).toContain(/^\$\{\{ steps\.(\w+)\.outputs\.[\w-]+ \}\}$/.exec(value)?.[1]);
  expect(action.runs.steps.flatMap(({ uses }) => uses ?? [])).toEqual([expect.stringMatching(/^actions\/setup-node@/)]);
});

test('the step in the README has inputs and outputs of the action', async () => {
  const page = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  const [, block = ''] = /```yaml\n(- id: conform\n.+?)```/s.exec(page) ?? [];
  const [own, upload] = parse(block);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(own.with)));
  expect(upload.with.sarif_file).toBe('$'.concat('{{ steps.conform.outputs.sarif }}'));
  expect(Object.keys(action.outputs)).toContain('sarif');
});

test('defects fail the step, after reports, outputs, annotations and the summary were written', async () => {
  const broken = injectFault({ at: /^GET /, change: withHeaders({ 'x-total': '' }) }, apis.library.create());
  served = await serve(broken);
  const { code, text, outputs, summary } = await runAction(inputsFor(served));
  expect([code, outputs['exit-code']]).toEqual([1, '1']);
  expect(text).toMatch(/^::error .*header-schema/m);
  expect(summary).toMatch(/^## ❌/);
  const files = await readdir(join(folder, 'lockstep-conform-report'));
  expect(files).toEqual(expect.arrayContaining(['junit.xml', 'report.html', 'report.sarif']));
  const sarif = JSON.parse(await readFile(join(folder, outputs.sarif ?? ''), 'utf8'));
  expect(sarif.runs[0].results.length).toBeGreaterThan(0);
  expect(text).not.toContain(libraryKey);
});

test('with fail: false, defects leave the step green; a run that proves nothing does not', async () => {
  const broken = injectFault({ at: /^GET /, change: withHeaders({ 'x-total': '' }) }, apis.library.create());
  served = await serve(broken);
  const inputs = { ...inputsFor(served), fail: 'false', report: 'junit' };
  const green = await runAction(inputs);
  expect([green.code, green.outputs['exit-code'], green.outputs.sarif]).toEqual([0, '1', undefined]);
  const wrong = await runAction({ ...inputs, options: '--phase "$(touch taken)"' });
  expect(wrong.code).toBe(2);
  expect(await readdir(folder)).not.toContain('taken');
});
