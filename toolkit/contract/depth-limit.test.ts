import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lintContract } from '../lint/lint-contract.ts';
import type { ContractError } from './contract-error.ts';
import { findTooDeep } from './depth-limit.ts';
import { readContract } from './read-contract.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deep-'));
});
afterAll(() => rm(folder, { recursive: true }));

const head = "openapi: 3.1.1\ninfo: {title: T, version: '1'}\npaths: {}\n";
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a document that is nested beyond any stack is refused in a sentence:', () => {
  test.each([
    ['lists of JSON', `{"openapi":"3.1.1","x-a":${nested(100_000)}}`, 1],
    ['lists of YAML', `${head}x-a: ${nested(100_000)}\n`, 4],
    ['lists that never close', `${head}x-a: ${'['.repeat(100_000)}\n`, 4],
    ['lists on one line', `${head}x-a:\n  ${'- '.repeat(5000)}a\n`, 5],
    [
      'objects by columns',
      `${head}${Array.from({ length: 3000 }, (_, level) => `${' '.repeat(level)}x-a:\n`).join('')}`,
      1004,
    ],
    [
      'aliases within aliases',
      `${head}x-0: &a0 []\n${Array.from({ length: 5000 }, (_, at) => `x-${at + 1}: &a${at + 1} [*a${at}]\n`).join('')}`,
      1,
    ],
  ])('%s', async (_, text, line) => {
    const file = join(folder, 'deep.yaml');
    await writeFile(file, text);
    for (const work of [
      readContract,
      (it: string) => lintContract(it, 'valid'),
      (it: string) => lintContract(it, 'house'),
    ]) {
      const error = await work(file).catch((caught: unknown) => caught);
      expect((error as ContractError).problems).toMatchObject([
        { file, line, rule: 'too-deep', says: expect.stringContaining('1000'), cure: expect.stringMatching(/\w/) },
      ]);
    }
  });
});

test.each([
  ['brackets in words', `${head}x-a: |\n  ${'[0, 1) '.repeat(5000)}\n`],
  ['brackets in quotes', `${head}x-a: "${'['.repeat(5000)}"\n`],
  ['brackets in quotes of JSON', `{"x-a": "${'[\\"'.repeat(5000)}"}`],
  ['lists side by side', `${head}x-a:\n${'  - - a\n'.repeat(5000)}`],
  ['900 lists', `${head}x-a: ${nested(900)}\n`],
])('%s are not deep', (_, text) => {
  expect(findTooDeep(text)).toBeUndefined();
});
