// A contract in several files is read as one document, which contains each file as a member: every reference becomes a pointer.
import { realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { createResolve } from '../schema/references.ts';
import { ContractError, type ContractProblem } from './contract.ts';
import { isObject, type JsonObject, joinPointer, objectAt, type Pointer, splitPointer } from './document.ts';
import { readSource, type Source } from './source.ts';

/** Size of all files together; the number of values bounds each file as well. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Adds the files that a contract refers to, from its own folder and from allowed ones.
 *
 * @param file path of the contract
 * @param allowFiles allowed folders outside the contract's own
 * @returns the whole document, with references changed in place; a reference to a missing file stays as it is
 * @throws ContractError for every reference to a forbidden file, and for a file that cannot be read
 */
export async function includeFiles(file: string, source: Source, allowFiles: readonly string[]): Promise<Source> {
  const { root } = source;
  const member = ['x-files', 'x-included-files'].find((name) => !(name in root)) ?? 'x-files-of-contract';
  const forbid = createFileRule(file, allowFiles);
  const isWithin = createResolve(root);
  const own = resolve(file);
  const parts = new Map<string, Part>([[own, { file: own, name: '', base: '#', source }]]);
  const names = new Map<string, Part>();
  const problems: ContractProblem[] = [];
  let bytes = 0;
  const include = async (path: string): Promise<Part | undefined> => {
    const known = parts.get(path);
    if (known !== undefined) return known;
    const { size, isThere } = await stat(path).then(
      (found) => ({ size: found.size, isThere: found.isFile() }),
      () => ({ size: 0, isThere: false }),
    );
    if (!isThere) return undefined;
    bytes += size;
    const name = relative(dirname(own), path);
    if (bytes > mostBytes) throw tooLong(file, name);
    const part = {
      file: path,
      name,
      base: joinPointer('#', member, name),
      source: readSource(name, await readFile(path, 'utf8')),
    };
    parts.set(path, part);
    names.set(name, part);
    return part;
  };
  // Iterating a Map includes entries added meanwhile: each file is read once, so cycles end.
  for (const part of parts.values()) {
    for (const { holder, key, pointer } of listReferences(part.source.root)) {
      const reference = String(holder[key]);
      const at = joinPointer(part.base, ...splitPointer(pointer));
      const [path = '', fragment = ''] = splitReference(reference);
      const isElsewhere = /^[a-z][a-z0-9+.-]*:/i.test(path) || (path !== '' && isWithin(reference, at) !== undefined);
      if (isElsewhere) continue;
      const target = path === '' ? part.file : resolve(dirname(part.file), path);
      const forbidden = path === '' ? undefined : forbid(target);
      if (forbidden !== undefined) {
        const message = `$ref ${JSON.stringify(reference)} ${forbidden.message}.`;
        problems.push({ pointer: at, line: part.source.lineOf(pointer), message, fix: forbidden.fix });
        continue;
      }
      const found = await include(target);
      if (found !== undefined) holder[key] = referTo(found, fragment);
    }
  }
  if (problems.length > 0) throw new ContractError(file, problems);
  if (names.size === 0) return source;
  const partOf = (pointer: Pointer): { readonly part: Pick<Part, 'name' | 'source'>; readonly own: Pointer } => {
    const [first, name = '', ...rest] = splitPointer(pointer);
    const part = first === member ? names.get(name) : undefined;
    return part === undefined ? { part: { name: '', source }, own: pointer } : { part, own: joinPointer('#', ...rest) };
  };
  const files = Object.fromEntries([...names].map(([name, { source }]) => [name, source.root]));
  return {
    root: { ...root, [member]: files },
    repeated: [...parts.values()].flatMap(({ base, source: { repeated } }) =>
      repeated.map((pointer) => joinPointer(base, ...splitPointer(pointer))),
    ),
    lineOf: (pointer) => {
      const { part, own } = partOf(pointer);
      return part.source.lineOf(own);
    },
    excerptAt: (pointer) => {
      const { part, own } = partOf(pointer);
      return { ...(part.name !== '' && { file: part.name }), ...part.source.excerptAt(own) };
    },
  };
}

interface Part {
  /** Absolute path. */
  readonly file: string;
  /** Path relative to the folder of the contract. */
  readonly name: string;
  /** Location in the whole document. */
  readonly base: Pointer;
  readonly source: Source;
}

/** An anchor resolves anywhere in the whole document. */
function referTo({ base }: Part, fragment: string): string {
  return fragment === '' || fragment.startsWith('/') ? `${encodeURI(base)}${fragment}` : `#${fragment}`;
}

function tooLong(file: string, name: string): ContractError {
  const message = `With ${name} the files of the contract exceed 64 MB.`;
  return new ContractError(file, [
    { pointer: '#', line: 0, message, fix: 'Test the parts of the contract separately.' },
  ]);
}

interface Reference {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly pointer: Pointer;
}

/** Each `$ref` and each reference in the mapping of a discriminator, once even if several aliases lead to it. */
function listReferences(root: JsonObject): readonly Reference[] {
  const found: Reference[] = [];
  const seen = new Set<unknown>();
  const waiting: { readonly value: unknown; readonly pointer: Pointer }[] = [{ value: root, pointer: '#' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, pointer } = next;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [name, part] of Object.entries(value))
      waiting.push({ value: part, pointer: joinPointer(pointer, name) });
    if (!isObject(value)) continue;
    if (typeof value.$ref === 'string') found.push({ holder: value, key: '$ref', pointer });
    const mapping = objectAt(value.discriminator, 'mapping');
    for (const [key, target] of Object.entries(mapping)) {
      // A plain name is the name of a component schema.
      if (typeof target === 'string' && /[#/.]/.test(target))
        found.push({ holder: mapping, key, pointer: joinPointer(pointer, 'discriminator', 'mapping') });
    }
  }
  return found;
}

/** Splits a reference at the `#`, and decodes its path for the file system. */
function splitReference(reference: string): readonly [path: string, fragment: string] {
  const at = reference.indexOf('#');
  const [path, fragment] = at < 0 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)];
  try {
    return [decodeURIComponent(path), fragment];
  } catch {
    return [path, fragment];
  }
}

type Forbidden = Pick<ContractProblem, 'message' | 'fix'>;

/**
 * A contract may refer to files below its own folder and below the folders that the user allows. Reports show the content of files,
 * and a foreign contract could name any file of this machine. Hidden files of its own folder are forbidden: they often hold keys and
 * tokens. Symbolic links are resolved first.
 */
function createFileRule(contract: string, allowFiles: readonly string[]): (path: string) => Forbidden | undefined {
  const file = resolve(contract);
  // A contract that is a symbolic link also belongs to the folder of its target, as in a mounted ConfigMap.
  const own = [dirname(file), followLinks(dirname(file)), dirname(followLinks(file))];
  const allowed = allowFiles.flatMap((folder) => [resolve(folder), followLinks(resolve(folder))]);
  const isAmong = (path: string): boolean =>
    own.some((folder) => dirname(folder) !== folder && isBelow(folder, path) && !isHidden(folder, path)) ||
    allowed.some((folder) => isBelow(folder, path));
  return (path) => {
    // The name is checked first: on some systems, resolving a path contacts a host in the network.
    const target = isAmong(path) ? followLinks(path) : path;
    if (isAmong(target)) return undefined;
    const what = own.some((folder) => isBelow(folder, target))
      ? 'a hidden file'
      : "a file outside the contract's folder";
    const link = target === path ? '' : `, ${target}`;
    const fix = `Move the file next to the contract, or allow its folder with --allow-files ${relative('', dirname(target)) || '.'}`;
    return { message: `leads to ${what}${link}`, fix };
  };
}

function isBelow(folder: string, path: string): boolean {
  const rest = relative(folder, path);
  return rest.split(sep)[0] !== '..' && !isAbsolute(rest);
}

function isHidden(folder: string, path: string): boolean {
  return relative(folder, path)
    .split(sep)
    .some((name) => name.startsWith('.'));
}

/** Resolves symbolic links; of a missing file, those of its nearest existing parent. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(followLinks(dirname(path)), basename(path));
  }
}
