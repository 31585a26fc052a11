import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readContractFiles } from './contract-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'contract-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

const table = [
  { name: 'reads one file alone', files: { 'a.yaml': '{b: c.yaml}' }, want: ['a.yaml'] },
  {
    name: 'follows references from file to file, each once, and circles end',
    files: {
      'a.yaml': "{x: {$ref: 'b.yaml#/y'}, z: {$ref: '#/x'}}",
      'b.yaml': '{y: [{$ref: c.json}], $ref: a.yaml}',
      'c.json': '{"$ref": "b.yaml"}',
    },
    want: ['a.yaml', 'b.yaml', 'c.json'],
  },
  {
    name: 'follows external values and discriminators',
    files: {
      'a.yaml': '{externalValue: b.png, discriminator: {mapping: {c: c.yaml}}, mapping: {d: d.yaml}}',
      'b.png': '\\0',
      'c.yaml': '',
      'd.yaml': '',
    },
    want: ['a.yaml', 'b.png', 'c.yaml'],
  },
  {
    name: 'follows what leads out of JSON',
    files: {
      'a.yaml': '{"x": {"$ref": "#/y"}, "y": [{"discriminator": {"mapping": {"b": "b.json", "x": "#/x"}}}]}',
      'b.json': '{"z": {"externalValue": "c.png"}}',
      'c.png': '',
    },
    want: ['a.yaml', 'b.json', 'c.png'],
  },
  {
    name: 'goes nowhere from JSON that leads into itself alone',
    files: { 'a.yaml': '{"$ref": "#/b", "b": {"mapping": {"c": "#/c"}, "example": "c.png"}, "c": null}', 'c.png': '' },
    want: ['a.yaml'],
  },
  { name: 'leaves out what is not there', files: { 'a.yaml': '{$ref: none.yaml}' }, want: ['a.yaml'] },
  {
    name: 'stops at an alias inside its own anchor',
    files: { 'a.yaml': '&a {b: *a, $ref: b.yaml}', 'b.yaml': '' },
    want: ['a.yaml', 'b.yaml'],
  },
];

describe('readContractFiles', () => {
  for (const { name, files, want } of table) {
    test(name, async () => {
      for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
      const read = await readContractFiles(join(folder, 'a.yaml'));
      expect(read.map(({ file }) => file)).toEqual(want.map((file) => join(folder, file)));
    });
  }

  test.each([
    ['JSON', '{"a": {"$ref": "http://127.0.0.1:9/b.yaml"}}', '1:8', 'http://127.0.0.1:9/b.yaml'],
    ['an alias', 'a: &a https://a.test/b\nc: {$ref: *a}', '2:5', 'https://a.test/b'],
    ['a $ref', 'a:\n  $ref: http://127.0.0.1:9/b.yaml#/c\n', '2:3', 'http://127.0.0.1:9/b.yaml#/c'],
    ['a $ref behind a comment', 'a:\n  $ref: #/b\n    https://a.test/b\n', '2:3', 'https://a.test/b'],
    ['a $ref written with an escape', '{"\\x24ref": "https://a.test/b"}', '1:2', 'https://a.test/b'],
    ['a $ref as an explicit key', '? $ref\n: https://a.test/b\n', '1:3', 'https://a.test/b'],
    ['an external value', '{externalValue: https://a.test/b}', '1:2', 'https://a.test/b'],
    ['the target of a discriminator', 'discriminator: {mapping: {b: "http://a.test/b"}}', '1:27', 'http://a.test/b'],
  ])('refuses %s that leads to the network, and names the place', async (_, given, place, address) => {
    await writeFile(join(folder, 'a.yaml'), '{$ref: b.yaml}');
    await writeFile(join(folder, 'b.yaml'), given);
    const reading = readContractFiles(join(folder, 'a.yaml'));
    await expect(reading).rejects.toThrow(`${join(folder, 'b.yaml')}:${place} no-network`);
    await expect(reading).rejects.toThrow(`The contract refers to ${address}`);
  });

  // Redocly follows all of these: none may be missed here.
  test.each([
    { name: 'an absolute path', given: '{$ref: /etc/hostname}' },
    { name: 'a path with dots', given: '{a: {$ref: "../keys.json#/secret"}}' },
    { name: 'a path with a number sign in it', given: '{$ref: "a#b/../../keys.json"}' },
    { name: 'an extension', given: '{x-codeSamples: [{source: {$ref: ../keys.json}}]}' },
    { name: 'a key that is an alias', given: '{a: &k $ref, b: {*k : ../keys.json}}' },
    { name: 'a key over two lines', given: '{? "$re\\\n  f" : ../keys.json}' },
    { name: 'an external value', given: '{externalValue: ../keys.json}' },
    { name: 'a discriminator', given: '{discriminator: {mapping: {a: ../keys.json}}}' },
    {
      name: 'a discriminator that is an alias of an extension',
      given: '{x-a: &d {mapping: {a: ../keys.json}}, b: {discriminator: *d}}',
    },
    { name: 'the mapping of one', given: '{x-a: &m {a: ../keys.json}, b: {discriminator: {mapping: *m}}}' },
  ])('refuses a file outside the folder of the contract: $name', async ({ given }) => {
    await writeFile(join(folder, 'a.yaml'), '{$ref: b.yaml}');
    await writeFile(join(folder, 'b.yaml'), given);
    await expect(readContractFiles(join(folder, 'a.yaml'))).rejects.toThrow('outside-file');
    const allowFiles = [tmpdir(), '/etc'];
    expect(await readContractFiles(join(folder, 'a.yaml'), { allowFiles })).toBeInstanceOf(Array);
  });

  test('reports a missing contract', async () => {
    await expect(readContractFiles(join(folder, 'a.yaml'))).rejects.toThrow('the file does not exist');
  });
});
