import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conformHere, type Ended } from '../fixtures/conform-here.ts';
import { apis } from '../seeded/apis.ts';
import { libraryKey } from '../seeded/library.ts';
import { type Handler, type Served, serve } from '../seeded/serve.ts';
import { readConfigFile } from './config-file.ts';

// If these fail, a pipeline is green although a new failure came, or red although its only failures are accepted.

let folder: string;
let served: Served | undefined;
const home = process.cwd();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-known-'));
  process.chdir(folder);
});
afterEach(async () => {
  process.chdir(home);
  await served?.close();
  served = undefined;
  await rm(folder, { recursive: true });
});

/** A server whose list has no X-Total, and whose motto has a malformed tag if asked. */
const faulty =
  (clean: Handler, hasTag: boolean): Handler =>
  async (request) => {
    const answer = await clean(request);
    const { 'x-total': _, ...headers } = answer.headers ?? {};
    const tag = hasTag && request.path === '/v2/motto' ? { etag: 'seven' } : {};
    return { ...answer, headers: { ...headers, ...tag } };
  };

async function run(handle: Handler, ...more: readonly string[]): Promise<Ended> {
  await served?.close();
  served = await serve(handle);
  const args = ['--contract', apis.library.file, '--base-url', `${served.origin}/v2`, '--token', libraryKey];
  // The baseline alone finds both faults.
  return conformHere([...args, '--phase', 'baseline', '--now', '2026-04-01T09:30:00Z', ...more]);
}

const withoutTotal = (): Handler => faulty(apis.library.create(), false);
const withBoth = (): Handler => faulty(apis.library.create(), true);

async function writeKnown(operations = '[listBooks]'): Promise<string> {
  const { findings } = JSON.parse((await run(withoutTotal(), '--json')).out);
  const [{ id }] = findings;
  await writeFile(
    'lockstep-conform.yaml',
    `known:\n  - id: "${id}"\n    check: header-schema\n    operations: ${operations}\n    reason: fixed in <May>\n    until: 2026-04-30\n`,
  );
  return id;
}

test('an accepted failure is listed apart, with its reason, and the exit code is 0', async () => {
  const id = await writeKnown();
  const { code, out, error } = await run(withoutTotal(), '--report', 'json,junit', '--out', 'reports');
  expect(code).toBe(0);
  expect(error).toContain(', options of lockstep-conform.yaml\n');
  expect(out).toContain(`Known (not in the exit code): 1

${id}   header-schema   listBooks   response 200 header X-Total
  X-Total is missing
  until 2026-04-30: fixed in <May>
`);
  expect(out).toContain('\nNo new defect found. ');
  expect(out).not.toContain('Defects');
  const { verdict, findings, known } = JSON.parse(await readFile('reports/report.json', 'utf8'));
  expect({ verdict, findings, known }).toMatchObject({
    verdict: 'passed',
    findings: [],
    known: [{ id, operations: ['listBooks'], known: { reason: 'fixed in <May>', until: '2026-04-30' } }],
  });
  expect(await readFile('reports/junit.xml', 'utf8')).toContain(
    '<testcase classname="listBooks" name="header-schema">\n      <skipped message="known until 2026-04-30: fixed in &lt;May&gt;">X-Total is missing</skipped>',
  );
});

test('a new failure counts next to an accepted one', async () => {
  await writeKnown();
  const { code, out } = await run(withBoth());
  expect(code).toBe(1);
  expect(out).toMatch(/^Defects: 1\n\nhttp-law {3}readMotto {3}.* {3}etag-grammar/);
  expect(out).toContain('\n1 defect found. ');
});

test('after its last day a failure counts again', async () => {
  await writeKnown();
  const { code, out } = await run(withoutTotal(), '--now', '2026-05-01T00:00:00Z');
  expect(code).toBe(1);
  expect(out).toContain('\n  known     until 2026-04-30, which is over: fixed in <May>\n');
});

test('an accepted failure that is gone is a warning', async () => {
  const id = await writeKnown();
  const gone = `Known failure ${id} of header-schema is gone: listBooks.\n  Remove it from \`known\``;
  const complete = await run(apis.library.create(), '--fail-on', 'warning');
  expect([complete.code, complete.out]).toEqual([1, expect.stringContaining(gone)]);
  for (const options of [
    ['--operation', 'readBook'],
    ['--check', 'slow'],
    ['--budget', '3req'],
  ]) {
    const { out } = await run(apis.library.create(), ...options);
    expect(out, options.join(' ')).not.toContain('is gone');
  }
});

const before = `# options
check: [header-schema, http-law]   # two

# accepted
known:
  # reviewed
  - id: "00000000"   # gone
    check: header-schema
    operations: [listBooks, dropped]
    reason: old
    until: 2027-01-01

# last
seed: 3
`;

describe('--update-known', () => {
  test('creates the file, and the next run passes', async () => {
    const { code, error } = await run(withBoth(), '--update-known');
    expect(code).toBe(0);
    expect(error).toMatch(
      /\nlockstep-conform\.yaml: 2 known failures: 2 added, 0 renewed, 0 kept, 0 removed\.\n {2}added [0-9a-f]{8} header-schema listBooks\n {2}added [0-9a-f]{8} http-law readMotto\n$/,
    );
    expect(await readFile('lockstep-conform.yaml', 'utf8')).toMatch(
      /^known:\n {2}- id: "?[0-9a-f]{8}"?\n {4}check: header-schema\n {4}reason: accepted on 2026-04-01\n {4}until: 2026-06-30\n {4}operations: \[listBooks\]\n {2}- id: /,
    );
    expect((await run(withBoth())).code).toBe(0);
    expect((await run(withBoth(), '--now', '2026-07-01T00:00:00Z')).code).toBe(1);
  });

  test('adds, renews and removes entries, and leaves the rest of the file as it is', async () => {
    const id = await writeKnown('[listBooks, gone]');
    const expired = `  - id: "${id}"\n    reason: mine\n    until: 2026-01-01\n`;
    await writeFile('lockstep-conform.yaml', before.replace('\n# last', `${expired}\n# last`));
    const { code, error } = await run(withBoth(), '--update-known');
    expect(code).toBe(0);
    expect(error).toMatch(
      /2 known failures: 1 added, 1 renewed, 0 kept, 1 removed\.\n {2}added [0-9a-f]{8} http-law readMotto\n {2}removed 00000000 listBooks dropped\n$/,
    );
    const after = await readFile('lockstep-conform.yaml', 'utf8');
    const added = after.match(/ {2}- id: [^\n]+\n {4}check: http-law\n.+?\[readMotto\]\n/s)?.[0];
    expect(after).toBe(
      `# options
check: [header-schema, http-law]   # two

# accepted
known:
  # reviewed
  - id: "${id}"
    reason: mine
    until: 2026-06-30
${added}
# last
seed: 3
`,
    );
    expect(await readdir('.')).toEqual(['lockstep-conform-report', 'lockstep-conform.yaml']);
  });

  const adds = async ({ text }: { readonly text: string }): Promise<void> => {
    await writeFile('lockstep-conform.yaml', text);
    expect((await run(withoutTotal(), '--update-known')).error).toContain(': 1 known failure: 1 added, ');
    expect((await run(withoutTotal())).code).toBe(0);
    const { options } = await readConfigFile(undefined, false);
    expect(options).toEqual(text.startsWith('#') ? {} : { seed: '3', workers: '4' });
  };
  const toFile = 'adds to a file with $name';
  test.each([{ name: 'an empty list', text: 'seed: 3\nknown: []\nworkers: 4\n' }])(toFile, adds);
  test.each([
    { name: 'no list', text: 'seed: 3\nworkers: 4' },
    { name: 'comments alone', text: '# nothing yet\n' },
    { name: 'JSON', text: '{"seed": 3, "workers": 4}\n' },
  ])(toFile, { tags: ['full'] }, adds);

  test.each([
    { name: 'the run proves nothing', handle: (): Handler => () => ({ status: 401 }), reason: 'proves nothing' },
    {
      name: 'the file changes during the run',
      handle: (): Handler => {
        const answer = withoutTotal();
        return async (request) => {
          await writeFile('lockstep-conform.yaml', `${before}#\n`);
          return answer(request);
        };
      },
      reason: 'it was changed during the run',
    },
  ])('2 without a change if $name', async ({ handle, reason }) => {
    await writeFile('lockstep-conform.yaml', before);
    const { code, error } = await run(handle(), '--update-known');
    expect([code, error]).toEqual([2, expect.stringContaining(reason)]);
    expect(await readFile('lockstep-conform.yaml', 'utf8')).toMatch(/^# options\n/);
  });

  test('2 before the first request if the folder cannot be written', async () => {
    let requests = 0;
    const count: Handler = () => {
      requests += 1;
      return { status: 500 };
    };
    const { code, error } = await run(count, '--config', 'absent/conform.yaml', '--update-known');
    expect([code, requests]).toEqual([2, 0]);
    expect(error).toMatch(/^--update-known: absent\/conform\.yaml cannot be written: ENOENT/);
  });
});
