import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, glob, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// If these fail, what is packed works here alone: a file stays behind, a dependency is not named, or Node finds TypeScript where it takes none.

const root = join(import.meta.dirname, '..');
const minutes = 60_000;

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
/** Of the tarballs: within the repository, where what they depend on is found without an install. */
let dist: string;
let packed: Readonly<Record<string, { readonly name: string; readonly file: string; readonly bytes: number }>>;
/** Processes that a test has started and not stopped. */
const running = new Set<ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-pack-'));
  await mkdir(join(root, 'dist'), { recursive: true });
  dist = await mkdtemp(join(root, 'dist/pack-'));
  packed = JSON.parse((await must(process.execPath, [join(root, 'pack.ts'), '--json', '--out', dist], root)).stdout);
}, minutes);
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  for (const place of [folder, dist]) await rm(place, { recursive: true, force: true });
});

/** Every file of an unpacked tarball, from its folder. */
async function unpack(tarball: string): Promise<{ place: string; files: readonly string[] }> {
  const place = await mkdtemp(join(dist, 'unpacked-'));
  await must('tar', ['-xzf', join(root, tarball), '-C', place, '--strip-components=1'], place);
  const files: string[] = [];
  for await (const entry of glob('**', { cwd: place, withFileTypes: true }))
    if (entry.isFile()) files.push(relative(place, join(entry.parentPath, entry.name)));
  return { place, files };
}

interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly bundleDependencies?: readonly string[];
}

const imports = /^(?:import|export) (?:[^'"\n;]*? from )?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;

describe.each(['runtime', 'cli', 'conformance', 'mock', 'server', 'generated'])(
  'the tarball of %s',
  { tags: ['full'] },
  (name) => {
    let place: string;
    let files: readonly string[];
    let manifest: Manifest;
    beforeAll(async () => {
      ({ place, files } = await unpack(packed[name]?.file ?? ''));
      manifest = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
    });

    // Node takes types out of no file below `node_modules`. The files that are copied into projects belong to these.
    const isCopied = (file: string) => /(^|\/)(emit\/verbatim|project)\//.test(file);
    const isOwn = (file: string) => /^(?!node_modules\/)|^node_modules\/@lockstep\//.test(file);

    test('has what its manifest names, what a reader needs, and no TypeScript but types', () => {
      const { bin = {}, exports = {} } = manifest;
      const targets = Object.values(exports).flatMap((one) =>
        typeof one === 'string' ? [one] : [one.types, one.default],
      );
      const named = [...Object.values(bin), ...targets].map((path) => path.replace(/^\.\//, ''));
      expect(named.filter((path) => !path.includes('*') && !files.includes(path))).toEqual([]);
      expect(named.filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'NOTICE', 'README.md', 'package.json']));
      expect(files.filter((file) => isOwn(file) && /(?<!\.d)\.ts$/.test(file) && !isCopied(file))).toEqual([]);
      expect(files.filter((file) => /\.test\.|(^|\/)fixtures\//.test(file) && isOwn(file) && !isCopied(file))).toEqual(
        [],
      );
    });

    test('has or names everything that it imports', async () => {
      const { dependencies = {}, bundleDependencies = [] } = manifest;
      const missing: string[] = [];
      for (const file of files.filter((one) => one.endsWith('.js') && isOwn(one) && !isCopied(one)))
        for (const [, still, late] of (await readFile(join(place, file), 'utf8')).matchAll(imports)) {
          const asked = still ?? late ?? '';
          if (isBuiltin(asked)) continue;
          const [, ofPackage = ''] = /^((?:@[^/]+\/)?[^/]+)/.exec(asked) ?? [];
          const isThere = asked.startsWith('.')
            ? files.includes(join(file, '..', asked))
            : ofPackage in dependencies || files.includes(`node_modules/${ofPackage}/package.json`);
          if (!isThere) missing.push(`${file}: ${asked}`);
        }
      expect(missing).toEqual([]);
      for (const one of bundleDependencies) expect(files, one).toContain(`node_modules/${one}/package.json`);
      for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
    });

    test('has commands that load what they need to print their help', async () => {
      for (const [command, file] of Object.entries(manifest.bin ?? {}))
        expect((await must(process.execPath, [join(place, file), '--help'], place)).stdout).toContain(
          `Usage: ${command}`,
        );
    });
  },
);

test('the tarball of the command carries that of the runtime', { tags: ['full'] }, async () => {
  const { place } = await unpack(packed.cli?.file ?? '');
  expect(await readdir(join(place, 'packages'))).toEqual(['lockstep-runtime-0.1.0.tgz']);
  const carried = await readFile(join(place, 'packages/lockstep-runtime-0.1.0.tgz'));
  expect(carried.equals(await readFile(join(root, packed.runtime?.file ?? '')))).toBe(true);
});

describe('a project made by the packed command', { tags: ['full'] }, () => {
  const at = (...names: string[]): string => join(folder, 'api', ...names);
  const edit = async (name: string, change: (text: string) => string): Promise<void> => {
    const text = await readFile(at(name), 'utf8');
    const changed = change(text);
    expect(changed, `${name} is changed`).not.toBe(text);
    await writeFile(at(name), changed);
  };

  beforeAll(async () => {
    const tool = join(folder, 'tool');
    await mkdir(tool);
    await install(tool, packed.cli?.file ?? '');
    const contract = join(root, 'cli/project/contract.yaml');
    const lockstep = join(tool, 'node_modules/.bin/lockstep');
    expect((await must(lockstep, ['new', at(), '--contract', contract], tool)).stdout).toContain(
      'a project for Reading room, 3 operations\n',
    );
    await must('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], at());
  }, 10 * minutes);

  test('is green as it was made', { timeout: 2 * minutes }, async () => {
    const { stdout } = await must('npm', ['test'], at());
    expect(stdout).toMatch(/pass 4\b[\s\S]*fail 0\b/);
    expect((await must('npm', ['run', 'check'], at())).stdout).toContain('5 files match contract.yaml');
    expect((await must('npm', ['run', 'lint'], at())).stdout).toContain('contract.yaml: no problems');
  });

  test('carries the tarballs that it was made from', async () => {
    expect((await readdir(at('vendor'))).sort()).toEqual(['lockstep-cli-0.1.0.tgz', 'lockstep-runtime-0.1.0.tgz']);
    const carried = await readFile(at('vendor/lockstep-runtime-0.1.0.tgz'));
    expect(carried.equals(await readFile(join(root, packed.runtime?.file ?? '')))).toBe(true);
  });

  test('builds the reference, and its mock keeps the contract', { timeout: 2 * minutes }, async () => {
    await must('npm', ['run', 'docs', '--', '--build-only', '--out', 'reference'], at());
    expect(await readFile(at('reference/index.html'), 'utf8')).toContain('Reading room');
    const mock = await start('npm', ['run', '-s', 'mock', '--', '--port', '0', '--json'], at());
    const base = `${mock.origin}/v1`;
    const answer = await fetch(`${base}/books`);
    expect([answer.status, await answer.json()]).toEqual([200, [{ bookId: 'b-1', title: 'The waves' }]]);
    // The mock checks the form of credentials alone: a wrong token is accepted, which the phase `auth` reports.
    const phases = 'baseline,protocol,negative,boundary,text,story,random';
    const asked = ['conform', '--contract', 'contract.yaml', '--base-url', base, '--token', 'any', '--phase', phases];
    const { stdout } = await must(at('node_modules/.bin/lockstep'), asked, at());
    expect(stdout).toContain('listBooks');
    await mock.stop();
  });

  test('names a forgotten operation and a wrong status when it is compiled', { timeout: minutes }, async () => {
    const before = await readFile(at('handlers.ts'), 'utf8');
    await edit('handlers.ts', (text) => text.replace('  addBook: notImplemented,\n', ''));
    const forgotten = await end('npm', ['run', '-s', 'types'], at());
    expect([forgotten.status === 0, forgotten.stdout]).toEqual([
      false,
      expect.stringMatching(/^handlers\.ts\(\d+,\d+\): error TS\d+: [\s\S]*'addBook' is missing/),
    ]);
    await writeFile(at('handlers.ts'), before);
    await edit('handlers.ts', (text) => text.replace('addBook: notImplemented', 'addBook: () => ({ status: 204 })'));
    const wrong = await end('npm', ['run', '-s', 'types'], at());
    expect([wrong.status === 0, wrong.stdout]).toEqual([
      false,
      expect.stringMatching(/^handlers\.ts\(\d+,\d+\): error TS\d+: [\s\S]*204/),
    ]);
    await writeFile(at('handlers.ts'), before);
  });

  test('serves written operations, and reports the rest as unwritten', { timeout: 2 * minutes }, async () => {
    await edit('handlers.ts', (text) =>
      text
        .replace(
          'listBooks: notImplemented',
          "listBooks: () => ({ status: 200, body: [{ bookId: 'b-7', title: 'Orlando' }] })",
        )
        .replace(
          'addBook: notImplemented',
          'addBook: ({ body, principal }) => (body.title === principal.name ? { status: 409 } : { status: 201 })',
        ),
    );
    await edit('security.ts', (text) =>
      text.replace(
        'token: bearer(refuse)',
        "token: bearer((token) => (token === 'of-ann' ? { kind: 'good', principal: { name: 'ann' } } : refuse()))",
      ),
    );
    expect((await must('npm', ['test'], at())).stdout).toMatch(/fail 0\b/);
    const server = await start('npm', ['run', '-s', 'start'], at(), { PORT: '0' });
    const ask = async (path: string, init: RequestInit = {}): Promise<[number, string]> => {
      const answer = await fetch(`${server.origin}${path}`, init);
      return [answer.status, await answer.text()];
    };
    const post = (body: object, token: string) =>
      ask('/v1/books', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      });
    expect(await ask('/healthz')).toEqual([200, 'ok\n']);
    expect(await ask('/v1/books')).toEqual([200, '[{"bookId":"b-7","title":"Orlando"}]']);
    expect(await post({ bookId: 'b-8', title: 'Flush' }, 'of-ann')).toEqual([201, '']);
    expect(await post({ bookId: 'b-8', title: 'ann' }, 'of-ann')).toEqual([409, '']);
    expect(await post({ bookId: 'b-8' }, 'of-ann')).toEqual([400, expect.stringContaining('title')]);
    expect(await post({ bookId: 'b-8', title: 'Flush' }, 'of-bob')).toEqual([401, expect.any(String)]);
    const unwritten = await ask('/v1/books/b-7', { headers: { Authorization: 'Bearer of-ann' } });
    expect(unwritten).toEqual([501, expect.stringContaining('read-book')]);
    await server.stop();
    // The same handlers behind the command, whose copy of the runtime is another one.
    const lines = ['--contract', 'contract.yaml', '--handlers', 'served.ts', '--port', '0', '--json'];
    await writeFile(
      at('served.ts'),
      "import { notImplemented } from '@lockstep/runtime/rejection';\nexport const handlers = { listBooks: notImplemented };\n",
    );
    const serve = await start(at('node_modules/.bin/lockstep'), ['serve', ...lines], at());
    expect((await fetch(`${serve.origin}/v1/books`)).status).toBe(501);
    await serve.stop();
  });

  test('on a store works as it was made, and keeps working once a handler is written', {
    timeout: 4 * minutes,
  }, async () => {
    const place = join(folder, 'stored');
    const asked = ['new', place, '--contract', join(root, 'cli/project/contract.yaml'), '--state', 'memory'];
    const { stdout } = await must(join(folder, 'tool/node_modules/.bin/lockstep'), asked, folder);
    expect(stdout).toContain('3 of them answer from a store in memory\n');
    // The dependencies of both projects are the same.
    await symlink(at('node_modules'), join(place, 'node_modules'));
    expect((await must('npm', ['test'], place)).stdout).toMatch(/pass 4\b[\s\S]*fail 0\b/);
    const ask = async (origin: string): Promise<readonly unknown[]> => {
      const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer of-the-demo' };
      const body = JSON.stringify({ bookId: 'b-8', title: 'Flush' });
      const made = await fetch(`${origin}/v1/books`, { method: 'POST', body, headers });
      const [read, list] = await Promise.all(
        ['/v1/books/b-8', '/v1/books'].map((path) => fetch(`${origin}${path}`, { headers })),
      );
      return [made.status, read?.status, await list?.json()];
    };
    const first = { bookId: 'b-1', title: 'The waves' };
    const closed = await start('npm', ['run', '-s', 'start'], place, { PORT: '0' });
    expect(await ask(closed.origin)).toEqual([401, 401, [first]]);
    await closed.stop();
    const open = await start('npm', ['run', '-s', 'start'], place, { PORT: '0', DEMO_TOKEN: 'of-the-demo' });
    expect(await ask(open.origin)).toEqual([201, 200, [first, { bookId: 'b-8', title: 'Flush' }]]);
    await open.stop();
    const handlers = join(place, 'handlers/books.ts');
    const text = await readFile(handlers, 'utf8');
    const own = '(request) => (request.body.title ? stored.addBook(request) : { status: 409 })';
    await writeFile(handlers, text.replace('addBook: stored.addBook', `addBook: ${own}`));
    await must('npm', ['run', '-s', 'types'], place);
    const changed = await start('npm', ['run', '-s', 'start'], place, { PORT: '0', DEMO_TOKEN: 'of-the-demo' });
    expect(await ask(changed.origin)).toEqual([201, 200, [first, { bookId: 'b-8', title: 'Flush' }]]);
    await changed.stop();
  });

  test('fails its check, with file and fix, once the contract has moved, and derives at its start', {
    timeout: minutes,
  }, async () => {
    await edit('contract.yaml', (text) => text.replace('minLength: 1', 'minLength: 2'));
    const { status, stdout } = await end('npm', ['run', '-s', 'check'], at());
    expect(status).toBe(1);
    expect(stdout).toContain('generated/contract.gen.json differs from the contract');
    expect(stdout).toMatch(/contract\.yaml:\d+ #\/components\/schemas\/Book\/properties\/title/);
    expect(stdout).toMatch(/^Fix: .*\bgenerate\b/m);
    await (await start('npm', ['start'], at(), { PORT: '0' })).stop();
    expect((await end('npm', ['run', '-s', 'check'], at())).status).toBe(0);
  });
});

describe('a package on its own', { tags: ['full'] }, () => {
  test.each([
    { folder: 'conformance', bin: 'lockstep-conform' },
    { folder: 'mock', bin: 'lockstep-mock' },
    { folder: 'server', bin: 'lockstep-server' },
  ])('$folder: installs in an empty folder, and $bin prints its help', { timeout: 5 * minutes }, async (row) => {
    const place = join(folder, row.folder);
    await mkdir(place);
    await install(place, packed[row.folder]?.file ?? '');
    expect((await must(join(place, 'node_modules/.bin', row.bin), ['--help'], place)).stdout).toContain(
      `Usage: ${row.bin}`,
    );
  });

  test('mock: starts a sandbox from a program, with types', { timeout: 5 * minutes }, async () => {
    const place = join(folder, 'sandbox');
    await mkdir(place);
    await install(place, packed.mock?.file ?? '');
    const program = [
      "import { startMock, type Fault } from '@lockstep/mock';",
      "const mock = await startMock({ scenario: 'empty', clock: '2026-06-01T12:00:00Z' });",
      "const fault: Fault = await mock.control.addFault({ operationId: 'getDevices', times: 1, status: 503 });",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is one in the program.
      'const ask = async () => (await fetch(`${mock.baseUrl}/devices`, { headers: { authorization: `Bearer ${await mock.token()}` } })).status;',
      'process.stdout.write(JSON.stringify([fault.left, await ask(), await ask(), (await mock.control.readClock()).now]));',
      'await mock.close();',
    ];
    await writeFile(join(place, 'it.mts'), `${program.join('\n')}\n`);
    const { stdout } = await must(process.execPath, ['it.mts'], place);
    expect(JSON.parse(stdout)).toEqual([1, 503, 200, expect.stringMatching(/^2026-06-01T12:00:/)]);
    await writeFile(
      join(place, 'wrong.mts'),
      "import { startMock } from '@lockstep/mock';\nconst mock = await startMock();\nawait mock.control.useScenario('bigg');\n",
    );
    await cp(join(root, 'node_modules/@types/node'), join(place, 'node_modules/@types/node'), { recursive: true });
    await cp(join(root, 'node_modules/undici-types'), join(place, 'node_modules/undici-types'), { recursive: true });
    const tsc = [
      join(root, 'node_modules/typescript/bin/tsc'),
      '--module',
      'nodenext',
      '--target',
      'esnext',
      '--noEmit',
      '--strict',
    ];
    const types = ['--skipLibCheck', 'false', '--types', 'node'];
    expect((await end(process.execPath, [...tsc, ...types, 'it.mts'], place)).stdout).toBe('');
    expect((await end(process.execPath, [...tsc, ...types, 'wrong.mts'], place)).stdout).toMatch(
      /^wrong\.mts\(3,32\): error TS2345/,
    );
  });

  test('generated: brings nothing, and its types can be imported', { timeout: 5 * minutes }, async () => {
    const place = join(folder, 'generated');
    await mkdir(place);
    await install(place, packed.generated?.file ?? '');
    expect(await readdir(join(place, 'node_modules/@lockstep'))).toEqual(['contract']);
    await cp(join(root, 'node_modules/openapi-fetch'), join(place, 'node_modules/openapi-fetch'), { recursive: true });
    await writeFile(
      join(place, 'it.ts'),
      "import { operations } from '@lockstep/contract/operations';\nimport type { paths } from '@lockstep/contract/types';\nexport const path: keyof paths = operations.getDevices.path;\nconst wrong: keyof paths = '/nowhere';\n",
    );
    const tsc = [
      join(root, 'node_modules/typescript/bin/tsc'),
      '--module',
      'nodenext',
      '--noEmit',
      '--strict',
      'it.ts',
    ];
    const { stdout } = await end(process.execPath, tsc, place);
    expect(stdout).toMatch(/^it\.ts\(4,7\): error TS2322: .*\n[^\n]*$/);
  });
});

/** Upper bounds of the sizes, a third above the sizes at the time of writing. */
test('tarballs are small', { tags: ['full'] }, () => {
  const limits = { runtime: 260, cli: 2800, conformance: 720, mock: 1080, server: 740, generated: 170 };
  for (const [name, kilobytes] of Object.entries(limits))
    expect(packed[name]?.bytes, name).toBeLessThan(kilobytes * 1000);
});

async function install(place: string, tarball: string): Promise<void> {
  await writeFile(join(place, 'package.json'), '{"private":true}');
  await must('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(root, tarball)], place);
}

/** Variables that npm, vitest and their callers set for this very run. Registry, cache and certificates of a machine stay. */
const notHanded =
  /^npm_(lifecycle|package)_|^npm_config_local_prefix$|^NODE_(OPTIONS|PATH|ENV|TEST_CONTEXT)$|^VITEST|^TEST$|^PORT$|^HOST$|^FORCE_COLOR$/i;

/** Runs with the Node of this test before all others. */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !notHanded.test(name));
  const path = `${join(process.execPath, '..')}${delimiter}${process.env.PATH}`;
  return { ...Object.fromEntries(own), PATH: path, NO_COLOR: '1', SCARF_ANALYTICS: 'false', ...more };
}

async function end(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  const options = { cwd, env: environment(), maxBuffer: 64 * 1024 * 1024 };
  return promisify(execFile)(command, [...args], options).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ status: code, stdout, stderr }),
  );
}

async function must(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  const ended = await end(command, args, cwd);
  expect(ended.status, `${command} ${args.join(' ')}\n${ended.stdout}${ended.stderr}`).toBe(0);
  return ended;
}

/** Starts what runs until it is stopped. @returns the address that it prints first */
async function start(command: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, [...args], { cwd, env: environment(more), detached: true });
  running.add(child);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let printed = '';
  const origin = await new Promise<string>((resolve, reject) => {
    const read = (text: string): void => {
      printed += text;
      const [address] = /http:\/\/localhost:\d+/.exec(printed) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    void ended.then(() => reject(new Error(`${command} ${args.join(' ')} ended:\n${printed}`)));
  });
  return {
    origin,
    /** As Ctrl-C does: to all processes of the group. */
    stop: async (): Promise<void> => {
      process.kill(-(child.pid ?? 0), 'SIGINT');
      await ended;
      running.delete(child);
    },
  };
}
