import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import schema from '../events.schema.json' with { type: 'json' };
import { conformHere } from '../fixtures/conform-here.ts';
import { apis } from '../seeded/apis.ts';
import { libraryKey } from '../seeded/library.ts';
import { type Served, serve } from '../seeded/serve.ts';

let served: Served;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-conform-'));
  const clean = apis.library.create();
  served = await serve(async (request) => {
    const answer = await clean(request);
    return request.path === '/v2/motto' ? { ...answer, status: 299 } : answer;
  });
});
afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

const args = (): string[] => {
  return ['--contract', apis.library.file, '--base-url', `${served.origin}/v2`, '--token', libraryKey];
};

/** The options of a run that finds the fault in its first requests. */
const short = (): string[] => [...args(), '--phase', 'baseline'];

/** The schema without undescribed members: consumers must ignore those, but this version has none. */
function closed(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(closed);
  if (typeof given !== 'object' || given === null) return given;
  const parts = Object.fromEntries(Object.entries(given).map(([name, part]) => [name, closed(part)]));
  return 'required' in parts ? { ...parts, additionalProperties: false } : parts;
}

test('every line matches the published schema, which describes every member', async () => {
  const file = join(folder, 'events.ndjson');
  const { code } = await conformHere([...args(), '--events', file, '--auth-url', `${served.origin}/auth`]);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  const validate = new Ajv2020().compile(closed(schema) as object);
  expect(events.filter((event) => !validate(event)).map((event) => [event, validate.errors])).toEqual([]);
  const names = events.map(({ event }) => event);
  expect([names[0], names.at(-1)]).toEqual(['start', 'end']);
  expect(new Set(names)).toEqual(new Set(['start', 'request', 'finding', 'progress', 'end']));
  const end = events.at(-1);
  expect(end).toMatchObject({ verdict: 'defects', exitCode: code, defects: 1 });
  expect(names.filter((name) => name === 'request')).toHaveLength(end.requests);
  const finding = events.find(({ event }) => event === 'finding').finding;
  expect(events.find(({ number }) => number === finding.shownRequest)).toMatchObject({ status: 299 });
});

test('a fault of the contract itself is an event too', async () => {
  const contract = join(folder, 'faulty.yaml');
  const text = await readFile(apis.library.file, 'utf8');
  await writeFile(contract, text.replace('type: integer', 'type: str'));
  const { out } = await conformHere([...short(), '--contract', contract, '--events', '-']);
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.filter(({ event }) => event === 'finding').map(({ finding }) => finding.check)).toContain('contract');
});

test('on the standard output there is nothing else, and the report is on the standard error', async () => {
  const { out, error } = await conformHere([...short(), '--events', '-']);
  for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
  expect(error).toContain('Defects: 1');
});

test.each([
  { name: '--json', more: ['--json', '--events', '-'], message: /^--json and --events - both use the standard output/ },
  { name: 'a folder', more: ['--events', '/'], message: /^--events \/ cannot be written: EISDIR/ },
])('2 with $name, before a request', async ({ more, message }) => {
  const before = served.requests.length;
  const { code, error } = await conformHere([...args(), ...more]);
  expect([code, served.requests.length]).toEqual([2, before]);
  expect(error).toMatch(message);
});

// The system has this file where a write must fail.
test.skipIf(!existsSync('/dev/full'))('2 if the disk is full, after the report', async () => {
  const { code, out, error } = await conformHere([...short(), '--events', '/dev/full']);
  expect(code).toBe(2);
  expect(out).toContain('1 defect found.');
  expect(error).toMatch(/--events \/dev\/full is incomplete: ENOSPC/);
});

test.each([
  {
    name: 'a pipe',
    shell: (run: string, pipe: string) => `head -n 1 '${pipe}' & ${run} '${pipe}' >&2; echo "exit $?" >&2`,
  },
  { name: 'the standard output', shell: (run: string) => `{ ${run} -; echo "exit $?" >&2; } | head -n 1` },
])('a reader of $name that leaves does not stop the run', async ({ shell }) => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const run = [process.execPath, main, ...short(), '--events'].map((part) => `'${part}'`).join(' ');
  const { out, error } = await new Promise<{ out: string; error: string }>((resolve) => {
    execFile('sh', ['-c', shell(run, pipe)], (_, out, error) => resolve({ out, error }));
  });
  await rm(pipe);
  expect(out).toMatch(/^\{"event":"start",.*\}\n$/);
  expect(error).toMatch(/\nexit 1\n$/);
});
