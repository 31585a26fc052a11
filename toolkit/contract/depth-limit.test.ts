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
        { file, line, rule: 'too-deep', message: expect.stringContaining('1000'), fix: expect.stringMatching(/\w/) },
      ]);
    }
  });
});

/** This many `levels` of nine references each to the next lower level, as YAML aliases or as `$ref`s. */
const aliases = (levels: number) =>
  Array.from(
    { length: levels },
    (_, level) => `x-a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`)}]\n`,
  ).join('');
const composed = (levels: number, write: (inner: string) => string) =>
  `components:\n  schemas:\n    A0: {type: object}\n${Array.from(
    { length: levels },
    (_, level) => `    A${level + 1}: ${write(`{$ref: '#/components/schemas/A${level}'}`)}\n`,
  ).join('')}`;

describe('a document that stands for more than memory holds is refused in a sentence, by reader and linter:', () => {
  const repeated = { rule: 'too-large', message: expect.stringContaining('aliases stand for more than 100,000') };
  const values = { rule: 'too-large', message: 'it holds more than 2,000,000 values' };
  const large = { rule: 'unsupported/composition', message: expect.stringContaining('more than 100,000 schemas') };
  const chain = { rule: 'unsupported/reference-chain', message: expect.stringContaining('more than 100 references') };
  test.each([
    { name: 'aliases', text: `x-a0: &a0 {a: b}\n${aliases(9)}`, want: repeated },
    {
      name: 'aliases of a file that it refers to',
      text: 'components: {schemas: {A: {$ref: large.yaml}}}\n',
      want: repeated,
    },
    { name: 'a list without end', text: `x-a:\n${'- a\n'.repeat(1_000_001)}`, want: values },
    {
      name: 'a list without end in a file that it refers to',
      text: 'components: {schemas: {A: {$ref: endless.json}}}\n',
      want: values,
    },
    { name: 'allOf of twice the same', text: composed(25, (inner) => `{allOf: [${inner}, ${inner}]}`), want: large },
    {
      name: 'a condition and its opposite',
      text: composed(25, (inner) => `{if: ${inner}, not: ${inner}}`),
      want: large,
    },
    { name: 'references to references', text: composed(200, (inner) => inner), want: chain, strict: true },
  ])('$name', async ({ text, want, strict }) => {
    await writeFile(join(folder, 'large.yaml'), `type: object\nx-a0: &a0 {a: b}\n${aliases(9)}`);
    await writeFile(join(folder, 'endless.json'), `{"enum": [${'1,'.repeat(2_000_000)}1]}`);
    const path = join(folder, 'repeated.yaml');
    await writeFile(path, `${head}${text}`);
    const refused = await readContract(path, { strict }).catch((error: unknown) => error);
    expect((refused as ContractError).problems).toEqual([expect.objectContaining(want)]);
    const linted = await lintContract(path, 'valid', { run: async () => [] }).catch(
      (error: ContractError) => error.problems,
    );
    expect(linted).toEqual([expect.objectContaining(want)]);
  });

  test('aliases next to a repeated key', async () => {
    const text = `${head}x-b: 1\nx-b: 2\nx-a0: &a0 {a: b}\n${aliases(9)}`;
    await expect(readContract('contract.yaml', { text })).rejects.toThrow('aliases stand for more than 100,000');
  });

  test('but not a thousand uses of one, nor what is composed of many', async () => {
    const path = join(folder, 'repeated.yaml');
    const uses = `x-a: &a {b: [c]}\nx-d: [${Array(1000).fill('*a')}]\n`;
    await writeFile(path, `${head}${uses}${composed(12, (inner) => `{allOf: [${inner}, ${inner}]}`)}`);
    await expect(readContract(path)).resolves.toMatchObject({ document: { openapi: '3.1.1' } });
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
