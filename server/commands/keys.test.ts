import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKeys } from './keys.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-create-keys-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('keys create', () => {
  test('makes a key file once', async () => {
    const path = join(folder, 'keys.json');
    expect(await createKeys(path)).toMatchObject({ kind: 'done', json: { keyFile: path, created: true } });
    const before = await readFile(path);
    expect(await createKeys(path)).toMatchObject({ kind: 'done', json: { keyFile: path, created: false } });
    expect(await readFile(path)).toEqual(before);
  });

  test('reports why a file cannot be written, not that it is missing', async () => {
    await writeFile(join(folder, 'file'), '');
    const path = join(folder, 'file', 'keys.json');
    const { kind, text } = await createKeys(path);
    expect(kind).toBe('refused');
    expect(text).toMatch(
      /keys\.json cannot be written \(E[A-Z]+\)\.\nLet this user write there, or give another path\.$/,
    );
  });

  test('never advises what it cannot do itself: a broken file has to be moved away first', async () => {
    const path = join(folder, 'keys.json');
    await writeFile(path, '{}', { mode: 0o600 });
    const { kind, text, fixes } = await createKeys(path);
    expect(kind).toBe('refused');
    expect(text).toMatch(
      /"version"[\s\S]*\nRestore it from a backup, or create new keys, which invalidates every token and changes every code\.$/,
    );
    expect(fixes?.map(({ command }) => command)).toEqual([
      ['mv', '-i', path, `${path}.unusable`],
      ['lockstep-server', 'keys', 'create', path],
    ]);
    expect(await readFile(path, 'utf8')).toBe('{}');
  });

  test('does not offer to make what is there and cannot be read', async () => {
    const path = join(folder, 'keys.json');
    await mkdir(path);
    const { kind, text } = await createKeys(path);
    expect([kind, text]).toEqual([
      'refused',
      `The key file ${path} cannot be read (EISDIR).\nIt must be a file that this user may read.`,
    ]);
  });
});
