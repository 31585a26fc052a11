import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A checkout of the last commit, whose dependencies are hard links: a link to the folder would lead back to this one. */
export function makeCopy(): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  chmodSync(folder, 0o755); // the user of the tests' PostgreSQL server starts it from there
  const path = join(folder, 'copy');
  execFileSync('git', ['worktree', 'add', '-q', '--detach', path], { cwd: root });
  for (const each of ['.', 'server', 'toolkit'])
    execFileSync('cp', ['-al', join(root, each, 'node_modules'), join(path, each)]);
  // Caches would be written through the links.
  for (const cache of ['.vite', '.vitest-cache'])
    rmSync(join(path, 'node_modules', cache), { recursive: true, force: true });
  return {
    path,
    remove: () => {
      execFileSync('git', ['worktree', 'remove', '--force', path], { cwd: root });
      rmSync(folder, { recursive: true });
    },
  };
}
