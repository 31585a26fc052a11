import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { formatPointer, parseReference } from '@lockstep/json/json-pointer';
import type { FileRule } from './file-rule.ts';
import { nearestName } from './nearest-name.ts';
import { readValue } from './yaml-source.ts';

/**
 * The reference that an unresolved one probably means: for each segment of its pointer, and for the name of its file, the existing name with the
 * nearest spelling. `#/components/schemas/Devise` → `#/components/schemas/Device`.
 *
 * A pointer without its `#` is the path of a file (RFC 3986, 4.2). If no file is near, it is read as a pointer.
 *
 * @param from path of the file with the reference
 * @param refuses files that are neither read nor searched for
 * @returns undefined if a segment has no near name: then the reference is not a misspelling
 */
export async function nearestReference(
  reference: string,
  from: string,
  refuses: FileRule,
): Promise<string | undefined> {
  const [path = '', fragment] = reference.split('#');
  const named = resolve(dirname(from), path);
  const file = path === '' ? from : refuses(named) === undefined ? await nearestFile(named) : undefined;
  // A single name is more likely a file: every contract has `info`.
  if (file === undefined && fragment === undefined && /\w\/\w/.test(path))
    return nearestReference(`#${path.replace(/^(\.?\/)?/, '/')}`, from, refuses);
  if (file !== undefined && refuses(file) !== undefined) return undefined;
  const text = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined);
  if (file === undefined || text === undefined) return undefined;
  const pointer = fragment === undefined ? '' : nearestPointer(readValue(text), parseReference(fragment));
  if (pointer === undefined) return undefined;
  if (path === '') return pointer;
  const found = relative(dirname(from), file).split(sep).join('/');
  return `${path.startsWith('./') ? './' : ''}${found}${pointer}`;
}

function nearestPointer(root: unknown, segments: readonly string[]): string | undefined {
  const spelt: string[] = [];
  let node = root;
  for (const segment of segments) {
    if (typeof node !== 'object' || node === null) return undefined;
    const name = Object.hasOwn(node, segment) ? segment : nearestName(segment, Object.keys(node));
    if (name === undefined) return undefined;
    spelt.push(name);
    node = (node as Readonly<Record<string, unknown>>)[name];
  }
  return formatPointer(spelt);
}

/** Searches the folder of the path. */
async function nearestFile(path: string): Promise<string | undefined> {
  const names: readonly string[] = await readdir(dirname(path)).catch(() => []);
  const name = names.includes(basename(path)) ? basename(path) : nearestName(basename(path), names);
  return name === undefined ? undefined : resolve(dirname(path), name);
}
