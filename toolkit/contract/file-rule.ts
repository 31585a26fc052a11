import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { displayPath } from './display-path.ts';

/** The reason why a file is not read, and its fix. */
export interface FileRefusal {
  /** Continues a sentence after the name of a reference, such as `$ref "../a.yaml"`. */
  readonly message: string;
  readonly fix: string;
}

/** @returns undefined for a file that a contract may refer to, whether it exists or not */
export type FileRule = (file: string) => FileRefusal | undefined;

/** Permissions that a command gives to a contract. */
export interface ContractOptions {
  /** Folders outside the contract's own whose files it may refer to. */
  readonly allowFiles?: readonly string[];
}

/**
 * Creates the rule for the files of this machine that a contract may refer to. Such files are printed, copied and served: a foreign contract
 * could publish any file.
 *
 * - Files below the folder of the contract may be referred to, except hidden ones, which hold keys and tokens: `.env`, `.lockstep/keys.json`.
 * - All files below a folder of `allowFiles` may be referred to.
 * - A symbolic link counts as its target.
 * - A device or a pipe is refused: reading it may never finish.
 *
 * @param contract path of the root document. In the root of a file system it has no folder of its own, since every file lies below the root
 */
export function createFileRule(contract: string, { allowFiles = [] }: ContractOptions = {}): FileRule {
  const root = resolve(contract);
  const named = { own: [dirname(root)], allowed: allowFiles.map((folder) => resolve(folder)) };
  const real = {
    // For a contract that is a link, the folder of its target counts too, as with a mounted ConfigMap.
    own: [followLinks(dirname(root)), dirname(followLinks(root))],
    allowed: named.allowed.map(followLinks),
  };
  return (file) => {
    const path = resolve(file);
    // Checks the name first: on some systems, access to a path contacts another machine.
    const target = isAmong(named, path) || isAmong(real, path) ? followLinks(path) : path;
    if (isAmong(real, target))
      return isSpecial(target) ? { message: 'leads to a device or a pipe', fix: 'Refer to a file.' } : undefined;
    const isBelow = real.own.some((folder) => isIn(folder, target));
    const what = isBelow ? 'a hidden file' : "a file outside the contract's folder";
    const link = target === path ? '' : `, ${displayPath(target)}`;
    return {
      message: `leads to ${what}${link}`,
      fix: `Move the file next to the contract, or allow its folder with --allow-files ${displayPath(dirname(target)) || '.'}`,
    };
  };
}

interface Folders {
  readonly own: readonly string[];
  readonly allowed: readonly string[];
}

function isAmong({ own, allowed }: Folders, file: string): boolean {
  const isVisible = (folder: string): boolean =>
    !relative(folder, file)
      .split(sep)
      .some((name) => name.startsWith('.'));
  return own.some((folder) => isIn(folder, file) && isVisible(folder)) || allowed.some((one) => isWithin(one, file));
}

/** The root of a file system does not count: all files lie in it. */
function isIn(folder: string, file: string): boolean {
  return dirname(folder) !== folder && isWithin(folder, file);
}

function isWithin(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path.split(sep)[0] !== '..' && !isAbsolute(path);
}

function isSpecial(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Resolves links for a file that does not exist, as far as its folders exist. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(followLinks(dirname(path)), basename(path));
  }
}
