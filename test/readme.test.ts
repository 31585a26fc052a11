import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isDropped } from '../toolkit/contract/drop-faults.ts';
import { limits } from '../toolkit/contract/limits.ts';
import { leadingOut } from '../toolkit/contract/local-copy.ts';

// If these fail, a newcomer types what does not work here, or relies on what the toolkit refuses.

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };

test.each(['README.md', 'CONTRIBUTING.md', 'docs/commands.md', 'docs/any-contract.md'])(
  '%s runs everything by npm, which brings the Node that is needed',
  (name) => {
    expect(read(name).match(/(?<!node_modules\/\.bin\/)\bnode [\w./-]+\.ts\b/g) ?? []).toEqual([]);
  },
);

describe.each(['README.md', 'CONTRIBUTING.md', 'docs/commands.md', 'docs/any-contract.md', 'docs/operating.md'])(
  '%s',
  (name) => {
    test('names only scripts that there are', () => {
      const named = [...read(name).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map((match) => match[1] ?? '');
      expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
    });

    test('passes options to a script behind --', () => {
      const lines = read(name).match(/npm (?:-s )?(?:run (?:-s )?[\w:-]+|start|test)[^`\n]*/g) ?? [];
      expect(lines.filter((line) => / --\w/.test(line) && !/ -- /.test(line))).toEqual([]);
    });
  },
);

/** Pages, and sources whose help and errors people paste from. */
const texts = ['*.md', 'docs/**/*.md', '*.ts', '{bench,docs,mock,server,conformance,toolkit}/**/*.ts'].flatMap(
  (pattern) =>
    globSync(pattern, { cwd: new URL('..', import.meta.url), exclude: ['**/node_modules/**', '**/*.test.ts'] }),
);

// npm prints two lines of its own before what the script prints: no JSON, no log line and no token.
test('npm keeps its own lines out wherever a machine reads what comes', () => {
  const isRead = /--json|\$\(npm|\b(?:serve|token|lockstep-server)\b/;
  const found = texts.flatMap((name) =>
    [...read(name).matchAll(/npm (?:run|start|-s)[^`'"\n|]*/g)]
      .map(([line]) => line)
      .filter((line) => isRead.test(line) && !/npm (?:run )?-s | \[--json\]/.test(line)) // a synopsis is not pasted
      .map((line) => `${name}: ${line}`),
  );
  expect(texts.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

test('the page names everything that the toolkit refuses, and nothing else', () => {
  const known = [...Object.values(limits).flat(), leadingOut].map(({ name }) => name);
  const [, table = ''] = /\n\| name \| refused \|\n([\s\S]*?)\n\n/.exec(read('docs/any-contract.md')) ?? [];
  const named = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) => names.match(/[a-z-]+/g) ?? []);
  const refused = known.filter((name) => !isDropped(`unsupported/${name}`));
  expect(named.toSorted()).toEqual([...new Set(refused)].toSorted());
});
