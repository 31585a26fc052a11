import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Who names whom: file to the files that it imports or names as a path, such as `server/main.ts` for a process of its own. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** Reads every TypeScript file that git knows. Paths are relative to the root of the repository. */
export function readImports(root: string): Imports {
  const files = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const known = new Set(files.split('\n').filter((file) => file !== '' && existsSync(join(root, file))));
  const namedBy = (file: string): string[] => {
    const text = readFileSync(join(root, file), 'utf8').replaceAll(/^(import|export) type [^;]*;/gm, '');
    const names = text.matchAll(/['"`]([^'"`\s]+\.ts|@lockstep\/[^'"`\s]+)['"`]/g);
    return [...names].flatMap(([, name = '']) => {
      const own = name.replace('@lockstep/contract', 'generated').replace('@lockstep/', '');
      const candidates = [join(dirname(file), name), name, `${own}.ts`, `${own}.gen.ts`, `${own}/index.ts`];
      return candidates.filter((candidate) => known.has(candidate)).slice(0, 1);
    });
  };
  return new Map([...known].map((file) => [file, namedBy(file)]));
}

export const isUnit = (test: string): boolean => !/\.(integration|browser|slow)\.test\.ts$/.test(test);

/**
 * The test files that can notice a change of `file`, nearest first: by steps of import, a test with servers or a browser two
 * steps behind a unit test, then those of the same folder, then small ones. Those of the same folder come in any case.
 */
export function nearestTests(root: string, imports: Imports, file: string) {
  const importers = new Map<string, string[]>();
  for (const [from, named] of imports) for (const to of named) importers.set(to, [...(importers.get(to) ?? []), from]);
  const steps = new Map([[file, 0]]);
  for (const [near, count] of steps) {
    for (const importer of importers.get(near) ?? []) if (!steps.has(importer)) steps.set(importer, count + 1);
  }
  const rank = (test: string): readonly number[] => {
    const isNamesake = basename(test).startsWith(basename(file, 'ts')) && test.split('/')[0] === file.split('/')[0];
    return [
      isNamesake ? 0 : 1,
      (steps.get(test) ?? 9) + (isUnit(test) ? 0 : 2),
      dirname(test) === dirname(file) ? 0 : 1,
      statSync(join(root, test)).size,
    ];
  };
  return [...imports.keys()]
    .filter((test) => test.endsWith('.test.ts') && !test.endsWith('.slow.test.ts'))
    .filter((test) => steps.has(test) || dirname(test) === dirname(file))
    .map((test) => ({ test, rank: rank(test) }))
    .toSorted((a, b) => a.rank.map((each, at) => each - (b.rank[at] ?? 0)).find((difference) => difference !== 0) ?? 0)
    .map(({ test }) => test);
}
