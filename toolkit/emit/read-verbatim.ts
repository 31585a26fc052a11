import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The line before the copied part. The part before it lets compiler and linter check a file of `verbatim/`. */
const mark = '\n// Copied from here on.\n\n';

/**
 * The part of a derived file that is the same for every contract, from TypeScript that is type-checked like any other.
 *
 * @param name of a file in `verbatim/`
 * @throws Error when the file has no mark: nothing would be copied, or its imports too
 */
export function readVerbatim(name: string): string {
  const file = join(import.meta.dirname, 'verbatim', name);
  const [, copied, ...more] = readFileSync(file, 'utf8').split(mark);
  if (copied === undefined || more.length > 0) throw new Error(`${file} must hold this line once:${mark.trimEnd()}`);
  return copied;
}
