import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKeyFile, KeyFileFault, readKeyFile, readOrCreateKeyFile } from './key-file.ts';

let folder: string;
let path: string;
let goodText: string;

beforeAll(async () => {
  const template = await mkdtemp(join(tmpdir(), 'lockstep-keys-'));
  await createKeyFile(join(template, 'keys.json'));
  goodText = await readFile(join(template, 'keys.json'), 'utf8');
  await rm(template, { recursive: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-keys-'));
  path = join(folder, 'keys.json');
});

afterEach(() => rm(folder, { recursive: true }));

describe('a new key file', () => {
  test('is read back as it was created, in a new folder, mode 0600, without other files', async () => {
    const deep = join(folder, 'a', 'b', 'keys.json');
    const made = await createKeyFile(deep);
    expect(await readKeyFile(deep)).toEqual(made);
    expect((await stat(deep)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'a', 'b'))).toEqual(['keys.json']);
    expect(made.jwks.keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig', kid: expect.any(String) });
    expect([made.cursorKey, made.deviceKey, made.demoKey].map(({ length }) => length)).toEqual([32, 32, 32]);
  });

  test('never replaces another', async () => {
    await writeFile(path, 'precious');
    await expect(createKeyFile(path)).rejects.toThrow(/exists already.*\n.*move it away first/);
    expect(await readFile(path, 'utf8')).toBe('precious');
    expect(await readdir(folder)).toEqual(['keys.json']);
  });

  test('is created once by ten concurrent attempts', async () => {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => createKeyFile(path)));
    const made = results.filter((result) => result.status === 'fulfilled');
    expect(made).toHaveLength(1);
    expect(made[0]?.value).toEqual(await readKeyFile(path));
    expect(await readdir(folder)).toEqual(['keys.json']);
  });

  test('reports the path if it cannot be written', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(createKeyFile(join(folder, 'file', 'keys.json'))).rejects.toThrow(
      /file\/keys\.json cannot be written/,
    );
  });
});

describe('reading', () => {
  test('names the path and the command if there is no file', async () => {
    await expect(readKeyFile(path)).rejects.toThrow(
      expect.objectContaining({
        message: `The key file ${path} does not exist.`,
        fixes: [{ message: 'Create one', command: ['lockstep-server', 'keys', 'create', path] }],
      }),
    );
  });

  test.each([
    [0o600, 'good', 0],
    [0o400, 'good', 0],
    [0o640, 'good', 1],
    [0o660, 'refused', 0],
    [0o604, 'refused', 0],
    [0o666, 'refused', 0],
  ])('of mode %o is %s', async (mode, want, warnings) => {
    await writeFile(path, goodText);
    await chmod(path, mode);
    const warned: string[] = [];
    const outcome = readKeyFile(path, { warn: (text) => warned.push(text) });
    if (want === 'good') await outcome;
    else
      await expect(outcome).rejects.toMatchObject({
        message: expect.stringContaining('open to others'),
        fixes: [{ command: ['chmod', '600', path] }],
      });
    expect(warned).toHaveLength(warnings);
  });

  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const names = { alg: 'RS256', use: 'sig', kid: 'a' };
  type File = { jwks: { keys: Record<string, unknown>[] } } & Record<string, unknown>;
  const cases: readonly { name: string; given: (file: File) => unknown; want: readonly string[] }[] = [
    { name: 'another version', given: (file) => ({ ...file, version: 2 }), want: ['"version"'] },
    { name: 'a list', given: () => [], want: ['JSON object'] },
    {
      name: 'nothing',
      given: () => ({ version: 1 }),
      want: ['"jwks.keys"', '"cookieKeys"', '"cursorKey"', '"deviceKey"', '"demoKey"'],
    },
    { name: 'no keys', given: (file) => ({ ...file, jwks: { keys: [] } }), want: ['"jwks.keys"'] },
    {
      name: 'an elliptic key',
      given: (file) => ({ ...file, jwks: { keys: [{ ...elliptic, ...names }] } }),
      want: ['must be an RSA key'],
    },
    {
      name: '1024 bits',
      given: (file) => ({ ...file, jwks: { keys: [{ ...small, ...names }] } }),
      want: ['2048 bits'],
    },
    {
      name: 'a public key',
      given: (file) => ({ ...file, jwks: { keys: [{ kty: 'RSA', n: other.n, e: other.e, ...names }] } }),
      want: ['private key'],
    },
    {
      name: 'PS256',
      given: (file) => ({ ...file, jwks: { keys: [{ ...other, ...names, alg: 'PS256' }] } }),
      want: ['"alg": "RS256"'],
    },
    {
      name: 'no kid',
      given: (file) => ({ ...file, jwks: { keys: [{ ...other, ...names, kid: undefined }] } }),
      want: ['"kid"'],
    },
    {
      name: 'two of a kid',
      given: (file) => ({
        ...file,
        jwks: {
          keys: [
            { ...other, ...names },
            { ...other, ...names },
          ],
        },
      }),
      want: ['same "kid"'],
    },
    {
      name: 'parts of two keys',
      given: (file) => ({ ...file, jwks: { keys: [{ ...file.jwks.keys[0], n: other.n }] } }),
      want: ['"jwks.keys[0]"'],
    },
    { name: 'a short cookie key', given: (file) => ({ ...file, cookieKeys: ['short'] }), want: ['"cookieKeys"'] },
    {
      name: '31 bytes',
      given: (file) => ({ ...file, cursorKey: Buffer.alloc(31).toString('base64url') }),
      want: ['"cursorKey"'],
    },
    { name: 'not base64url', given: (file) => ({ ...file, deviceKey: `${'A'.repeat(42)}=` }), want: ['"deviceKey"'] },
  ];

  test.each(cases)('reports every fault: $name', async ({ given, want }) => {
    const text = JSON.stringify(given(JSON.parse(goodText)));
    await writeFile(path, text, { mode: 0o600 });
    const { message, fixes } = await fault();
    for (const part of [path, ...want]) expect(message).toContain(part);
    expect(fixes.map(({ command }) => command.slice(0, 3).join(' '))).toEqual([
      `mv -i ${path}`,
      'lockstep-server keys create',
    ]);
    expect(message.split('\n  - ')).toHaveLength(1 + want.length);
  });

  test('never quotes the file', async () => {
    await writeFile(path, goodText.slice(0, -20), { mode: 0o600 });
    const { message, cause } = await fault();
    const values = [...goodText.matchAll(/"([A-Za-z0-9_-]{20,})"/g)].map((match) => match[1] ?? '');
    expect(values.length).toBeGreaterThan(8);
    for (const value of values) expect(`${message} ${cause}`).not.toContain(value.slice(0, 8));
  });

  async function fault(): Promise<KeyFileFault> {
    const outcome = await readKeyFile(path).catch((error: unknown) => error);
    if (!(outcome instanceof KeyFileFault)) throw new Error(`no fault: ${String(outcome)}`);
    return outcome;
  }
});

describe('a key file that may exist', () => {
  test('is created by the first of two concurrent starts, and read by the other and all later ones', async () => {
    const [first, second] = await Promise.all([readOrCreateKeyFile(path), readOrCreateKeyFile(path)]);
    expect(second).toEqual(first);
    expect(await readOrCreateKeyFile(path)).toEqual(first);
  });

  test('is not replaced when it is invalid', async () => {
    await writeFile(path, 'precious', { mode: 0o600 });
    await expect(readOrCreateKeyFile(path)).rejects.toThrow(KeyFileFault);
    expect(await readFile(path, 'utf8')).toBe('precious');
  });

  test('that cannot be created reports the reason', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(readOrCreateKeyFile(join(folder, 'file', 'keys.json'))).rejects.toThrow(/cannot be written/);
  });
});
