import { relative, resolve } from 'node:path';
import { isWebAddress } from './read-text.ts';

/** A path as a reader at this working directory would type it: relative below it, absolute elsewhere. An address stays as it is. */
export function displayPath(file: string): string {
  if (isWebAddress(file)) return file;
  const path = relative(process.cwd(), resolve(file));
  return path.startsWith('..') ? resolve(file) : path;
}
