import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { conform } from '@lockstep/conformance/command-line';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newProject } from './commands/new-project.ts';
import { keepPrinted } from './fixtures/keep-printed.ts';
import { type Ended, lockstepHere } from './fixtures/lockstep-here.ts';

// If these fail, a command from the help does nothing, or prints a stack.

const at = (place: string): string => fileURLToPath(new URL(place, import.meta.url));
const main = at('main.ts');
const museum = at('../toolkit/fixtures/museum/contract.yaml');
const kiosk = at('fixtures/kiosk.yaml');

const home = process.cwd();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-cli-'));
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true });
});

function lockstep(...args: string[]): Promise<Ended> {
  return lockstepHere(args);
}

/** Runs the command as a user types it. */
function spawned(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { maxBuffer: 1 << 26 }, (failure, out, error) =>
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error }),
    );
  });
}

async function within<Outcome>(cwd: string, work: () => Promise<Outcome>): Promise<Outcome> {
  process.chdir(cwd);
  try {
    return await work();
  } finally {
    process.chdir(folder);
  }
}

const full = { tags: ['full'] };

describe('help', () => {
  test('names every command, and the exit codes', async () => {
    const { code, out, error } = await spawned('--help');
    expect([code, error]).toEqual([0, '']);
    for (const name of ['generate', 'check', 'lint', 'serve', 'mock', 'docs', 'conform'])
      expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(out).toContain('Exit codes: 0 fine');
  });

  test.each(['generate', 'check', 'lint', 'serve', 'mock', 'docs', 'conform'])(
    '%s explains itself, and takes a contract',
    async (command) => {
      const { code, out, error } = await lockstep(command, '--help');
      expect([code, error]).toEqual([0, '']);
      expect(out).toContain(`Usage: lockstep ${command}`);
      expect(out).toContain('--contract <file|url>');
    },
  );
});

describe('wrong input', () => {
  beforeAll(async () => {
    await writeFile(join(folder, 'broken.yaml'), 'openapi: 3.1.0\ninfo: {title: a\n');
    await writeFile(join(folder, 'other.yaml'), 'swagger: "2.0"\ninfo: {title: a, version: "1"}\npaths: {}\n');
  });

  const transcripts: readonly { args: readonly string[]; message: readonly string[] }[] = [
    { args: ['srve'], message: ["error: unknown command 'srve'", 'Did you mean serve?'] },
    { args: ['serve', '--contrat', 'x'], message: ["error: unknown option '--contrat'", 'Did you mean --contract?'] },
    { args: ['mock', '--port', 'http'], message: ['A port is a number from 0 to 65535.'] },
    { args: ['mock', '--contract', 'gone.yaml', '--token', ''], message: ['A token has at least one character.'] },
    { args: ['conform', '--bse-url', 'x'], message: ["unknown option '--bse-url'", 'Did you mean --base-url?'] },
    {
      args: ['serve', '--contract', museum, '--port', '0', '--host', '192.0.2.1'],
      message: ['192.0.2.1 is not an address of this machine'],
    },
    {
      args: ['docs', '--contract', museum, '--out', 'broken.yaml', '--build-only'],
      message: ["broken.yaml can't be the output folder: it is a file."],
    },
    ...['generate', 'check', 'lint', 'serve', 'mock', 'docs'].flatMap((command) => [
      { args: [command, '--contract', 'gone.yaml'], message: ['gone.yaml:1:1', 'the file does not exist', 'fix '] },
      { args: [command, '--contract', 'broken.yaml'], message: ['broken.yaml:', ' yaml', 'fix '] },
      { args: [command, '--contract', 'http://127.0.0.1:1/a.yaml'], message: ['http://127.0.0.1:1/a.yaml', 'fix '] },
    ]),
    ...['generate', 'serve', 'mock', 'docs'].map((command) => ({
      args: [command, '--strict', '--contract', 'other.yaml'],
      message: ['other.yaml:1:', 'openapi-version', 'fix '],
    })),
  ];
  test.each(transcripts)('$args', async ({ args, message }) => {
    expectRefused(await lockstep(...args), message);
  });

  const asProcess = [
    // A run handles the signals of its process.
    {
      args: ['conform', '--contract', 'gone.yaml', '--base-url', 'http://localhost:1'],
      message: ['gone.yaml', 'Name a file that exists'],
    },
    { args: ['srve'], message: ["error: unknown command 'srve'"] },
    {
      args: ['lint', '--contract', 'gone.yaml'],
      message: ['gone.yaml:1:1', 'the file does not exist', 'fix '],
      options: full,
    },
  ];
  for (const { args, message, options = {} } of asProcess)
    test(`${args.join(' ')}, as a process`, options, async () => {
      expectRefused(await spawned(...args), message);
    });

  function expectRefused({ code, out, error }: Ended, message: readonly string[]): void {
    expect([code, out]).toEqual([2, '']);
    for (const text of message) expect(error).toContain(text);
    expect(error).not.toMatch(/^ +at (?! +#)\S+ \(/m);
  }

  test.each(['generate', 'serve', 'mock'])('%s --json prints it as one value', async (command) => {
    const { code, out, error } = await lockstep(command, '--contract', 'gone.yaml', '--json');
    expect([code, error]).toEqual([2, '']);
    expect(JSON.parse(out)).toMatchObject({ problems: [{ file: 'gone.yaml', message: 'the file does not exist' }] });
  });
});

describe('a contract at an address', () => {
  test.each([
    { command: ['lint'], message: '/museum.yaml:' },
    { command: ['generate', '--out', 'fetched'], message: 'wrote     fetched/types.gen.ts' },
    { command: ['docs', '--out', 'fetched-docs', '--build-only'], message: 'Reference: fetched-docs' },
    { command: ['conform', 'plan'], message: 'Round 1' },
  ])('$command takes it', async ({ command: [name = '', ...args], message }) => {
    // Its first answer breaks a rule, so that the linter reports a problem.
    const text = (await readFile(museum, 'utf8')).replace("description: 'One page'", "description: ''");
    const host = createServer((_, response) => response.end(text)).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const contract = `http://127.0.0.1:${(host.address() as AddressInfo).port}/museum.yaml`;
    const words = name === 'conform' ? ['--contract', contract, ...args] : [...args, '--contract', contract];
    const { out, error } = await lockstep(name, ...words);
    host.close();
    expect(out + error).toContain(message);
    expect(error).not.toMatch(/^ +at \S+ \(/m);
  });
});

describe('an address whose document leads to files of this machine', () => {
  const secret = 'fortyTwoRedHerrings';
  const places = [
    ['a schema', (at: string) => `components: {schemas: {T: {$ref: '${at}'}}}`],
    ['data', (at: string) => `components: {schemas: {T: {type: object, example: {$ref: '${at}'}}}}`],
    ['an extension', (at: string) => `x-note: {$ref: '${at}'}`],
    ['an external value', (at: string) => `components: {examples: {T: {externalValue: '${at}'}}}`],
    [
      'the mapping of a discriminator',
      (at: string) =>
        `components: {schemas: {T: {type: object, discriminator: {propertyName: a, mapping: {b: '${at}'}}}}}`,
    ],
  ] as const;
  test.each(places)('in %s is refused by docs and lint, without the text of the file', async (_, given) => {
    const file = join(folder, 'private.yaml');
    await writeFile(file, `${secret}: 1\ntype: ${secret}\n`);
    const text = `openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\n${given(file)}\n`;
    const host = createServer((_request, response) => response.end(text)).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const contract = `http://127.0.0.1:${(host.address() as AddressInfo).port}/ref`;
    const told = await Promise.all([
      lockstep('docs', '--build-only', '--out', 'leaked', '--contract', contract),
      lockstep('lint', '--contract', contract),
    ]);
    host.close();
    for (const { code, out, error } of told) {
      expect([code, out]).toEqual([2, '']);
      expect(error).toContain(`${contract}:4:`);
      expect(error).toContain('unsupported/file-reference');
      expect(error).not.toContain(secret);
    }
    expect(await readdir(folder)).not.toContain('leaked');
  });

  test('is named as it was written, and asked once', async () => {
    let asked = 0;
    const text =
      "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents: {schemas: {T: {type: nothing}}}\n";
    const host = createServer((_request, response) => {
      asked += 1;
      response.end(text);
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const contract = `http://127.0.0.1:${(host.address() as AddressInfo).port}/ref?a="b`;
    const { code, out } = await lockstep('lint', '--json', '--contract', contract);
    host.close();
    expect([code, asked]).toEqual([1, 1]);
    expect(JSON.parse(out)).toMatchObject({ problems: [{ file: contract, line: 4 }] });
  });
});

describe.each([
  // As processes; two that load Redocly, too, are left to full.
  { name: 'OpenAPI 3.1', contract: museum, notes: 0, run: spawned, options: full },
  { name: 'OpenAPI 3.0', contract: kiosk, notes: 1, run: lockstep, options: {} },
])('$name', ({ name, contract, notes, run, options }) => {
  const out = name.replaceAll(/\W/g, '');

  test('is derived from, and what was derived matches', async () => {
    const generated = await run('generate', '--contract', contract, '--out', out);
    expect(generated.code).toBe(0);
    // Decisions are printed once, separately from the result.
    expect(generated.error.match(/^note: .+$/gm) ?? []).toHaveLength(notes);
    expect(await readdir(join(folder, out))).toContain('handlers.gen.ts');
    const checked = await lockstep('check', '--contract', contract, '--out', out, '--json');
    expect(checked.code).toBe(0);
    expect(JSON.parse(checked.out)).toMatchObject({ drifts: [] });
    expect([checked.error, JSON.parse(checked.out).notices]).toEqual(['', expect.objectContaining({ length: notes })]);
  });

  test('is compared with files edited by hand, with a command that fixes them', options, async () => {
    await lockstep('generate', '--contract', contract, '--out', `${out}2`);
    await writeFile(join(folder, `${out}2`, 'types.gen.ts'), '');
    const { code, out: text } = await run('check', '--contract', contract, '--out', `${out}2`);
    expect(code).toBe(1);
    expect(text).toContain(`Fix: npx --no-install lockstep generate --contract ${contract} --out ${out}2`);
  });

  test('is shown as a folder of docs', options, async () => {
    const { code, out: text } = await run(
      'docs',
      '--contract',
      contract,
      '--out',
      `${out}docs`,
      '--build-only',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(text)).toMatchObject({ folder: `${out}docs`, built: true, notices: { length: notes } });
    expect(await readdir(join(folder, `${out}docs`))).toEqual(expect.arrayContaining(['index.html', 'types.gen.ts']));
  });

  test('is planned by conform as by lockstep-conform', async () => {
    const { streams, out: printed, error } = keepPrinted();
    const code = await conform(['--contract', contract, 'plan'], 'lockstep-conform', streams);
    const ours = await run('conform', '--contract', contract, 'plan');
    expect(ours).toEqual({ code, out: printed(), error: error() });
    expect([ours.code, ours.out]).toEqual([0, expect.stringContaining('Round 1')]);
  });
});

describe('lockstep lint', () => {
  const faulty = at('../toolkit/fixtures/invalid/success-declared.yaml');
  const own = `rules:\n  rule/title: {subject: {type: Info, property: title}, assertions: {minLength: 2}, message: ': info.title is too short', suggest: [Write more.]}\n`;
  const warned = `openapi: 3.1.1
info: {title: T, version: 1.0.0, license: {name: MIT, identifier: MIT}}
servers: [{url: 'https://museum.test'}]
paths: {}
components:
  schemas:
    Room: {type: integer, example: a}
`;
  const cases = [
    { name: 'nothing to say', given: faulty.replace('.yaml', '.good.yaml'), want: [0, /no problems$/] },
    { name: 'a problem', given: faulty, want: [1, /^1 problem$/m] },
    { name: 'no such file', given: 'none.yaml', want: [2, /^none\.yaml:1:1 readable$/m] },
    { name: 'a folder', given: 'inner', want: [2, /^inner:1:1 readable$/m] },
    { name: 'no YAML', given: 'broken.yaml', want: [2, /^broken\.yaml:1:\d+ yaml$/m] },
    { name: 'a warning alone', given: 'warned.yaml', profile: 'valid', want: [0, /\(warning\)$[\s\S]*^1 warning$/m] },
    {
      name: "this folder's own redocly.yaml",
      given: 'warned.yaml',
      want: [1, /: info\.title is too short\b[\s\S]*^1 problem$/m],
    },
  ] as const;
  for (const one of cases) {
    const { name, given, want } = one;
    const profile = 'profile' in one ? one.profile : 'house';
    const endsSo = (run: typeof lockstep) => async () => {
      const place = await mkdtemp(join(folder, 'lint-'));
      await mkdir(join(place, 'inner'));
      await writeFile(join(place, 'broken.yaml'), 'openapi: [');
      await writeFile(join(place, 'warned.yaml'), warned);
      if (name.includes('redocly.yaml')) await writeFile(join(place, 'redocly.yaml'), own);
      const { code, out, error } = await within(place, () => run('lint', '--profile', profile, '--contract', given));
      const printed = `${out}${error}`.trim();
      expect(code).toBe(want[0]);
      expect(printed).toMatch(want[1]);
      expect(printed).not.toMatch(/node:internal|^\s+at .*\.ts:/m);
    };
    test(`${name} exits with ${want[0]}, in sentences`, endsSo(lockstep));
    // One for each profile: the library may be another release than the command.
    const options = name === 'a problem' || name === 'a warning alone' ? {} : full;
    test(`${name} exits with ${want[0]}, in sentences, as a process`, options, endsSo(spawned));
  }
});

describe('the fix of what differs', () => {
  test.each([
    { script: 'lockstep generate --contract a.yaml --out made', fix: 'npm run derive' },
    { script: 'lockstep generate --out made --contract ./a.yaml', fix: 'npm run derive' },
    {
      script: 'lockstep generate --contract b.yaml --out made',
      fix: 'npx --no-install lockstep generate --contract a.yaml --out made',
    },
    {
      script: 'lockstep generate --contract a.yaml --out made && rm -r c',
      fix: 'npx --no-install lockstep generate --contract a.yaml --out made',
    },
  ])('is a line to paste, with the script $script', async ({ script, fix }) => {
    const cwd = await mkdtemp(join(folder, 'fix-'));
    await writeFile(join(cwd, 'a.yaml'), "openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths: {}\n");
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ scripts: { derive: script } }));
    const { out } = await within(cwd, () => lockstep('check', '--contract', 'a.yaml', '--out', 'made'));
    expect(out).toContain(`Fix: ${fix}\n`);
  });
});

describe('new', () => {
  // `new` warns if npm runs on an older Node, which the tests may do.
  beforeAll(() => void vi.stubEnv('npm_config_user_agent', undefined));
  afterAll(() => void vi.unstubAllEnvs());

  /** Runs a command for a contract at an address that answers another document at the second request. */
  async function fetched(make: (contract: string) => Promise<void>): Promise<{ asked: number; text: string }> {
    const text = await readFile(museum, 'utf8');
    let asked = 0;
    const host = createServer((_, response) => {
      asked += 1;
      response.end(asked === 1 ? text : 'openapi: 2');
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    await make(`http://127.0.0.1:${(host.address() as AddressInfo).port}/museum.yaml`);
    host.close();
    return { asked, text };
  }

  test('asks an address for the contract once', async () => {
    const { streams, error } = keepPrinted();
    const { asked, text } = await fetched(async (contract) => {
      const vendor = () => Promise.resolve({ '@lockstep/runtime': 'runtime.tgz' });
      const { kind } = await newProject({ folder: 'fetched-project', contract }, streams, vendor);
      expect(kind).toBe('done');
    });
    expect([asked, error().replace(/^Packing.*\n/, '')]).toEqual([1, '']);
    expect(await readFile(join(folder, 'fetched-project/contract.yaml'), 'utf8')).toBe(text);
    expect(await readFile(join(folder, 'fetched-project/package.json'), 'utf8')).toContain('file:vendor/runtime.tgz');
  });

  // It packs the repository, which compiles all of it.
  test('makes it as a process, with the packages that it stands on', { tags: ['full'] }, async () => {
    const { asked, text } = await fetched(async (contract) => {
      const { code, error } = await spawned('new', 'packed-project', '--contract', contract);
      expect([code, error.replace(/^Packing.*\n/, '')]).toEqual([0, '']);
    });
    expect(asked).toBe(1);
    expect(await readFile(join(folder, 'packed-project/contract.yaml'), 'utf8')).toBe(text);
    expect(await readdir(join(folder, 'packed-project/vendor'))).toHaveLength(2);
  });

  test('leaves nothing on SIGINT', () => leavesNothing('SIGINT', /lockstep-new-/));
  test('leaves nothing on SIGTERM while it compiles', full, () => leavesNothing('SIGTERM', /compiled\/\w/));

  async function leavesNothing(signal: NodeJS.Signals, sign: RegExp): Promise<void> {
    const temporary = await mkdtemp(join(folder, 'tmp-'));
    const isDraft = (name: unknown): boolean => String(name).startsWith('lockstep-new-');
    const drafts = async () => (await readdir(temporary)).filter(isDraft);
    const seen = watch(temporary, { recursive: true });
    const begun = new Promise<void>((resolve) => seen.on('change', (_, name) => sign.test(String(name)) && resolve()));
    const env = { ...process.env, TMPDIR: temporary };
    const child = spawn(process.execPath, [main, 'new', 'stopped', '--contract', museum], { env });
    const closed = once(child, 'close');
    await begun;
    seen.close();
    child.kill(signal);
    expect(await closed).toEqual([null, signal]);
    expect(await drafts()).toEqual([]);
    expect(await readdir(folder)).not.toContain('stopped');
  }
});
