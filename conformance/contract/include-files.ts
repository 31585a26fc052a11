// A contract in several files is read as one document: each file stands in it beneath a member of its own, and every reference is
// a pointer.
import { realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { createResolve } from '../schema/references.ts';
import { ContractError, type ContractProblem } from './contract.ts';
import { isObject, type JsonObject, joinPointer, objectAt, type Pointer, splitPointer } from './document.ts';
import { readSource, type Source } from './source.ts';

/** Of all files together; one of them is bounded by its values as well. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Adds the files that a contract refers to, from its own folder and from those that are allowed.
 *
 * @param file path of the contract
 * @param allowFiles folders outside of its own
 * @returns the whole, whose references are changed in place; one to a file that is not there stays as it is
 * @throws ContractError for every reference to a file that may not be read, and for a file that cannot be
 */
export async function includeFiles(file: string, source: Source, allowFiles: readonly string[]): Promise<Source> {
  const { root } = source;
  const member = ['x-files', 'x-included-files'].find((name) => !(name in root)) ?? 'x-files-of-contract';
  const refuse = createFileRule(file, allowFiles);
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
  // A Map goes on to what is added while it is read: each file once, circles end.
  for (const part of parts.values()) {
    for (const { holder, key, pointer } of listReferences(part.source.root)) {
      const reference = String(holder[key]);
      const at = joinPointer(part.base, ...splitPointer(pointer));
      const [path = '', fragment = ''] = splitReference(reference);
      const isElsewhere = /^[a-z][a-z0-9+.-]*:/i.test(path) || (path !== '' && isWithin(reference, at) !== undefined);
      if (isElsewhere) continue;
      const target = path === '' ? part.file : resolve(dirname(part.file), path);
      const refusal = path === '' ? undefined : refuse(target);
      if (refusal !== undefined) {
        const message = `$ref ${JSON.stringify(reference)} ${refusal.message}.`;
        problems.push({ pointer: at, line: part.source.lineOf(pointer), message, fix: refusal.fix });
        continue;
      }
      const found = await include(target);
      if (found !== undefined) holder[key] = referTo(found, fragment);
    }
  }
  if (problems.length > 0) throw new ContractError(file, problems);
  if (names.size === 0) return source;
  const files = Object.fromEntries([...names].map(([name, { source }]) => [name, source.root]));
  return {
    root: { ...root, [member]: files },
    repeated: [...parts.values()].flatMap(({ base, source: { repeated } }) =>
      repeated.map((pointer) => joinPointer(base, ...splitPointer(pointer))),
    ),
    lineOf: (pointer) => {
      const [first, name = '', ...rest] = splitPointer(pointer);
      const part = first === member ? names.get(name) : undefined;
      return part === undefined ? source.lineOf(pointer) : part.source.lineOf(joinPointer('#', ...rest));
    },
  };
}

interface Part {
  /** Absolute. */
  readonly file: string;
  /** From the folder of the contract. */
  readonly name: string;
  /** Its place in the whole. */
  readonly base: Pointer;
  readonly source: Source;
}

/** An anchor is found wherever it stands in the whole. */
function referTo({ base }: Part, fragment: string): string {
  return fragment === '' || fragment.startsWith('/') ? `${encodeURI(base)}${fragment}` : `#${fragment}`;
}

function tooLong(file: string, name: string): ContractError {
  const message = `With ${name} its files are longer than 64 MB.`;
  return new ContractError(file, [{ pointer: '#', line: 0, message, fix: 'Test its parts one after another.' }]);
}

interface Reference {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly pointer: Pointer;
}

/** Each `$ref`, and each name that a discriminator gives to a schema, once however many aliases lead to it. */
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
      // A plain name is that of a schema among the components.
      if (typeof target === 'string' && /[#/.]/.test(target))
        found.push({ holder: mapping, key, pointer: joinPointer(pointer, 'discriminator', 'mapping') });
    }
  }
  return found;
}

/** The path as a file system writes it, and what follows from the `#` on without it. */
function splitReference(reference: string): readonly [path: string, fragment: string] {
  const at = reference.indexOf('#');
  const [path, fragment] = at < 0 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)];
  try {
    return [decodeURIComponent(path), fragment];
  } catch {
    return [path, fragment];
  }
}

type Refusal = Pick<ContractProblem, 'message' | 'fix'>;

/**
 * A contract may refer to files below its own folder, but for hidden ones, where keys and tokens are kept, and to those below the
 * folders that the user allows: reports show their content, and a contract from elsewhere could name any file of this machine.
 * Symbolic links count as what they lead to.
 */
function createFileRule(contract: string, allowFiles: readonly string[]): (path: string) => Refusal | undefined {
  const file = resolve(contract);
  // A contract that is itself a link lies beside what it leads to as well, as files of a mounted ConfigMap do.
  const own = [dirname(file), followLinks(dirname(file)), dirname(followLinks(file))];
  const allowed = allowFiles.flatMap((folder) => [resolve(folder), followLinks(resolve(folder))]);
  const isAmong = (path: string): boolean =>
    own.some((folder) => dirname(folder) !== folder && isBelow(folder, path) && !isHidden(folder, path)) ||
    allowed.some((folder) => isBelow(folder, path));
  return (path) => {
    // By its name first: on some systems even to look at a path asks a machine in the network.
    const target = isAmong(path) ? followLinks(path) : path;
    if (isAmong(target)) return undefined;
    const what = own.some((folder) => isBelow(folder, target))
      ? 'a hidden file'
      : "a file outside the contract's folder";
    const link = target === path ? '' : `, ${target}`;
    const fix = `Move the file beside the contract, or allow its folder with --allow-files ${relative('', dirname(target)) || '.'}`;
    return { message: `leads to ${what}${link}`, fix };
  };
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}

function isHidden(folder: string, path: string): boolean {
  return relative(folder, path)
    .split(sep)
    .some((name) => name.startsWith('.'));
}

/** Of a file that is not there, as far as there is something. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(followLinks(dirname(path)), basename(path));
  }
}
