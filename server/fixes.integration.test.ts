import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { main, runHere } from './commands/fixtures/run-command.ts';

// If these fail, an operator whose server does not start pastes the printed command, and it fails too.

const root = join(import.meta.dirname, '..');
const house = { id: '65a000000000000000000001', name: 'House', timezone: null };
const lock = { deviceId: 'LK1', deviceName: 'Door', type: 'Lock', properties: [house.id] };
const sample = {
  account: { id: 'acme', name: 'Acme' },
  properties: [house],
  devices: [{ ...lock, capabilities: { algoPin: true } }],
};

let folder: string;
afterEach(() => rm(folder, { recursive: true }));

type Start = (
  args: readonly string[],
  setting: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
) => Promise<Output>;

const startBy =
  (file: string, ...words: string[]): Start =>
  (args, setting) =>
    execute(file, [...words, ...args], setting);
const here: Start = async (args, { env, cwd }) => {
  const { exitCode, stdout, stderr } = await runHere(args, { env, cwd: () => cwd });
  return { exitCode, text: stdout + stderr };
};

// commands/print-fix.test.ts tests the text for npm and for Node in the root, without running it.
for (const { name, cwd, start, tags } of [
  { name: 'npm', cwd: () => root, start: startBy('npm', 'run', '-s', 'lockstep-server', '--'), tags: ['full'] },
  { name: 'node', cwd: () => root, start: startBy(process.execPath, 'server/main.ts'), tags: ['full'] },
  { name: 'node in another folder', cwd: () => folder, start: startBy(process.execPath, main), tags: ['full'] },
  { name: 'node in another folder, within this process', cwd: () => folder, start: here, tags: [] },
]) {
  test(`started by ${name}, each line that it prints as a fix works as it stands, up to a lock that has its key`, {
    tags,
  }, async () => {
    folder = await mkdtemp(join(tmpdir(), "o'brien & co-"));
    const [keys, database, dataFile] = ['keys.json', 'service.sqlite', 'acme.json'].map((name) => join(folder, name));
    if (!keys || !database || !dataFile) throw new Error('no paths');
    writeFileSync(dataFile, JSON.stringify(sample));
    // A service manager sets both variables; the operator's shell has neither.
    const service = { LOCKSTEP_KEYS: keys, DATABASE_URL: `sqlite:${database}` };
    const run = (...args: string[]) => start(args, { cwd: cwd(), env: environment(service) });
    const paste = async (says: string, { text }: Output, known: Readonly<Record<string, string>> = {}) => {
      const line = text.split('\n').find((one) => one.startsWith(`${says}: `));
      const command = Object.entries(known).reduce(
        (pasted, [name, value]) => pasted.replace(new RegExp(`${name}$`), value),
        `${line?.slice(says.length + 2)}`,
      );
      const pasted = await execute('sh', ['-c', command], { cwd: cwd(), env: environment() });
      expect([says, command, pasted]).toEqual([says, command, { ...pasted, exitCode: 0 }]);
      return pasted;
    };

    await paste('Create one', await run('serve'));
    expect(existsSync(keys)).toBe(true);
    chmodSync(keys, 0o644);
    await paste('Close it', await run('serve'));
    writeFileSync(keys, '{}');
    const broken = await run('serve');
    await paste('For new keys, move it away', broken);
    await paste('Create one', broken);
    await paste('Or create it', await run('serve'), { FILE: `"${dataFile}"` });
    expect(existsSync(database)).toBe(true);

    await paste('Set it first', await run('device', 'key', 'LK1'), { TIMEZONE: 'Europe/Berlin' });
    await run('device', 'key', 'LK1');
    const shown = await run('device', 'key', 'LK1');
    expect((await paste('Show it again, audited', shown)).text).toMatch(/^key +[0-9a-f]{64}$/m);
    const paired = await paste('If it may have leaked', shown);
    expect((await paste('Next', paired)).text).toMatch(/^generation +2$/m);
  });
}

test('a machine gets the commands that fix by themselves', async () => {
  folder = await mkdtemp(join(tmpdir(), 'fixes-'));
  const keys = join(folder, 'keys.json');
  mkdirSync(join(folder, 'deeper'));
  const { text } = await execute(process.execPath, [main, 'serve', '--json'], {
    cwd: join(folder, 'deeper'),
    env: environment({ LOCKSTEP_KEYS: keys }),
  });
  const { error, fixes } = JSON.parse(text);
  expect(fixes).toEqual([expect.stringMatching(/main\.ts keys create \/.*keys\.json$/)]);
  expect(error).toContain(`does not exist.\nCreate one: ${fixes[0]}`);
});

interface Output {
  readonly exitCode: number;
  readonly text: string;
}

/** The environment of a shell, without npm's variables. */
function environment(more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|INIT_CWD$|LOCKSTEP_KEYS$|DATABASE_URL$)/i.test(name),
  );
  return { ...Object.fromEntries(own), ...more };
}

function execute(file: string, args: readonly string[], options: object): Promise<Output> {
  const { promise, resolve } = Promise.withResolvers<Output>();
  const child = execFile(file, args, options, (error, stdout, stderr) => {
    resolve({ exitCode: error === null ? 0 : Number(error.code), text: stdout + stderr });
  });
  child.stdin?.end();
  return promise;
}
