import { relative, resolve } from 'node:path';

/** A path as a reader at this working directory would type it: relative below it, absolute elsewhere. */
export function displayPath(file: string): string {
  const path = relative(process.cwd(), resolve(file));
  return path.startsWith('..') ? resolve(file) : path;
}
