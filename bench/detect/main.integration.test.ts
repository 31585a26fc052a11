import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { subjects } from './subjects.ts';

const main = join(import.meta.dirname, 'main.ts');
const start = (...args: readonly string[]) => promisify(execFile)(process.execPath, [main, ...args]);

test.each([
  [['--tool', 'dredd'], '--tool is one of lockstep, schemathesis, not dredd'],
  [['--tool', 'lockstep', '--server', 'kites'], '--server is one of all, library, meters, roster, not kites'],
  [['--tool', 'lockstep', '--class', 'A,G'], '--class lists some of A, B, C, D, E, F, not G'],
  [['--tool', 'lockstep', '--budget', '7s'], '--budget is one of 100req, 300req, 1000req, 5s, not 7s'],
  [['--tool', 'lockstep', '--profile', 'fast'], '--profile is one of default, guide, guide-auto, not fast'],
  [['--tool', 'lockstep', '--seeds', '0'], '--seeds is a whole number of 1 or more, not 0'],
])('refuses %j', async (args, message) => {
  await expect(start(...args)).rejects.toMatchObject({ code: 2, stderr: `${message}\n`, stdout: '' });
});

test('continues a bench: runs what is missing, and counts all runs of the same tool and budget', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'detect-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [library] = subjects;
  const setting = 'lockstep, at most 100req a run';
  const runs = (library?.faults ?? []).map(({ id: fault, operation }, index) => ({
    ...{ server: 'library', setting, fault, seed: 4, exitCode: 1, requests: 20, seconds: 1 },
    triggered: { atRequest: 5, atMs: 500 },
    detections: [{ check: 'c', severity: 'defect', operation, place: 'p', atRequest: index + 50, atMs: 500 }],
  }));
  const others = runs.map((run) => ({ ...run, setting: 'lockstep, at most 300req a run' }));
  const lines = [...runs, ...others].map((run) => JSON.stringify(run));
  await writeFile(join(folder, 'runs.ndjson'), `${lines.join('\n')}\n`);
  const options = ['--server', 'library', '--seed', '4', '--budget', '100req', '--out', folder];
  const { stdout, stderr } = await start('--tool', 'lockstep', ...options);
  expect(stderr).toMatch(`library, seed 4: run 1/${runs.length + 1}, `);
  expect(stdout).toContain(`| library | all | 51 / ${runs.length} / ${runs.length} | `);
  expect(stdout).toContain(`| library | ${50 + (runs.length - 1) / 2} | 500 | 2.000 | `);
  const written = await readFile(join(folder, 'runs.ndjson'), 'utf8');
  expect(written.split('\n').length).toBe(lines.length + 2);
  expect(JSON.parse(written.split('\n').at(-2) ?? '')).toMatchObject({ server: 'library', setting, seed: 4 });
  expect(await readdir(folder)).toEqual(['missed-library.json', 'results.json', 'run-library', 'runs.ndjson']);
});
