import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file of a mutant, or the reason why its statement is not found exactly once. */
export type Applied = { readonly file: string } | { readonly gone: string };

/** Applies a patch to a checkout. Where git can't, since the code has moved, it looks for the statement in every file. */
export function plant(root: string, patch: string): Applied {
  const file = /^\+\+\+ b\/(.+)$/m.exec(patch)?.[1] ?? '';
  const { status } = spawnSync('git', ['apply', '-'], { cwd: root, input: patch, stdio: ['pipe', 'ignore', 'ignore'] });
  return status === 0 ? { file } : plantByStatement(root, patch);
}

/** Spaces, line breaks and trailing commas are free: a formatter sets them anew where code moves. */
function plantByStatement(root: string, patch: string): Applied {
  const lines = patch.slice(patch.indexOf('\n@@')).split('\n').slice(2);
  const isChange = (line: string): boolean => /^[-+]/.test(line);
  const from = lines.findIndex(isChange);
  const to = lines.findLastIndex(isChange) + 1;
  const side = (dropped: string, some: readonly string[]): string =>
    some
      .filter((line) => !line.startsWith(dropped))
      .map((line) => line.slice(1))
      .join('\n');
  const statement = freely(side('+', lines.slice(from, to)));
  const neighbours = [...lines.slice(0, from), ...lines.slice(to)]
    .map((line) => line.trim())
    .filter((line) => line.length > 5);
  const places = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !file.includes('.test.'))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return [...text.matchAll(statement)].map(({ index, 0: { length } }) => {
        const around = text.slice(Math.max(0, index - 600), index + length + 600);
        return { file, text, index, length, near: neighbours.filter((line) => around.includes(line)).length };
      });
    })
    .toSorted((a, b) => b.near - a.near);
  const [best, next] = places;
  if (best === undefined) return { gone: 'its statement is in no file' };
  if (next !== undefined && (best.near === next.near || best.near === 0))
    return { gone: 'its statement is in several files' };
  const { file, text, index, length } = best;
  writeFileSync(join(root, file), text.slice(0, index) + side('-', lines.slice(from, to)) + text.slice(index + length));
  return { file };
}

function freely(statement: string): RegExp {
  const tokens = statement.match(/[\w$]+|[^\s\w$]/g) ?? [];
  const escaped = tokens.map((token) => (token === ',' ? ',?' : token.replace(/[^\w]/, '\\$&')));
  return new RegExp(`(?<![\\w$.])${escaped.join('\\s*')}`, 'g');
}
