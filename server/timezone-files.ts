import { readFileSync, statSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';

// Reads ICU's files of time zones far enough to check that they are complete, and to find their edition of the IANA database. ICU maps them
// into memory without checks: a truncated file crashes Node by SIGSEGV before its first line of JavaScript. The format is that of all resource
// bundles of ICU (source/common/uresdata.h); numbers have the byte order of the processor.

/** The files that ICU reads from a folder, since ICU 54. */
export const timezoneFiles = ['zoneinfo64.res', 'timezoneTypes.res', 'metaZones.res', 'windowsZones.res'] as const;

/** A fault of a folder, as the end of a sentence that names it. */
export class TimezoneFilesFault extends Error {
  override readonly name = 'TimezoneFilesFault';
}

/**
 * Checks the four files of a folder, and returns their edition of the IANA time zone database, as `2026c`.
 *
 * @throws TimezoneFilesFault for the first file that ICU could not use, or if a file or the folder is missing
 */
export function readEdition(folder: string): string {
  const files = timezoneFiles.map((name) => ({ name, bytes: readIfThere(join(folder, name)) }));
  const missing = files.filter(({ bytes }) => bytes === undefined).map(({ name }) => name);
  if (missing.length > 0) throw new TimezoneFilesFault(describeMissing(folder, missing));
  for (const { name, bytes = Buffer.alloc(0) } of files) {
    const fault = readWithin(() => findFault(bytes), 'is damaged: its header points outside the file');
    if (fault !== undefined) throw new TimezoneFilesFault(`${name} ${fault}`);
  }
  const edition = readWithin(() => findEdition(files[0]?.bytes ?? Buffer.alloc(0)), undefined);
  if (edition === undefined) throw new TimezoneFilesFault('zoneinfo64.res names no edition of the time zone database');
  return edition;
}

/** The result of `read`; `outside` if an offset in the file points beyond its end. */
function readWithin<Result>(read: () => Result, outside: Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return outside;
    throw error;
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new TimezoneFilesFault(`a file in it can't be read: ${message}`);
  }
}

function describeMissing(folder: string, missing: readonly string[]): string {
  const list = missing.join(', ').replace(/, ([^,]*)$/, ' and $1');
  if (missing.length < timezoneFiles.length) return `it lacks ${list}; the four belong to one edition`;
  return isFolder(folder) ? `none of ${list} is in it` : `there is no such folder; give one with ${list}`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

const magic = Buffer.from([0xda, 0x27]);
const fieldsAt = { magic: 2, isBigEndian: 8, format: 12, formatVersion: 16 };
const shortestBytes = 64;

/** Positions in 32-bit words after the header, which contain the root, the number of indexes, and the indexes. */
const indexes = { keysTop: 2, bundleTop: 4 };

/** The reason why ICU can't use a bundle, as the end of a sentence. */
function findFault(bytes: Buffer): string | undefined {
  if (bytes.toString('latin1', 0, 80).startsWith('version https://git-lfs'))
    return 'is a pointer of Git LFS, not the file itself: fetch that with git lfs pull';
  const isBundle =
    bytes.subarray(fieldsAt.magic, fieldsAt.magic + 2).equals(magic) &&
    bytes.toString('latin1', fieldsAt.format, fieldsAt.formatVersion) === 'ResB';
  if (!isBundle || bytes.length < shortestBytes) return 'is not a file of ICU (a resource bundle, ResB)';
  const order = bytes[fieldsAt.isBigEndian] === 0 ? 'LE' : 'BE';
  if (order !== endianness())
    return `is for ${orders[order]} processors, this one is ${orders[endianness()]}: use the files of the folder "${endianness().toLowerCase()}"`;
  const version = bytes[fieldsAt.formatVersion] ?? 0;
  if (version !== 2 && version !== 3) return `has version ${version} of its format, this program reads 2 and 3`;
  const { words, start } = openBundle(bytes);
  const wholeBytes = start + 4 * words(indexes.bundleTop);
  return bytes.length < wholeBytes ? `is cut short: ${bytes.length} of ${wholeBytes} bytes` : undefined;
}

const orders = { LE: 'little-endian', BE: 'big-endian' } as const;

function openBundle(bytes: Buffer) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = endianness() === 'LE';
  const halfWord = (at: number) => view.getUint16(at, isLittle);
  const start = halfWord(0);
  return { start, halfWord, word: (at: number) => view.getUint32(at, isLittle), words: wordAt };

  function wordAt(index: number): number {
    return view.getUint32(start + 4 * index, isLittle);
  }
}

/** Kinds of resources, in the upper four bits of a resource word; the other bits are its offset. */
const kinds = { table: 2, string: 6 } as const;

/** The string `TZVersion` in the table at the root. */
function findEdition(bytes: Buffer): string | undefined {
  const { start, words, word, halfWord } = openBundle(bytes);
  const root = words(0);
  if (root >>> 28 !== kinds.table) return undefined;
  const table = start + 4 * (root & 0x0fffffff);
  const count = halfWord(table);
  // Keys are half words, padded to an even number of half words before the resources.
  const resources = table + 4 * Math.ceil((1 + count) / 2);
  for (let entry = 0; entry < count; entry += 1) {
    const key = start + halfWord(table + 2 + 2 * entry);
    if (bytes.toString('latin1', key, bytes.indexOf(0, key)) !== 'TZVersion') continue;
    const resource = word(resources + 4 * entry);
    if (resource >>> 28 !== kinds.string) return undefined;
    const text = start + 4 * words(indexes.keysTop) + 2 * (resource & 0x0fffffff);
    return /^\w{1,16}(?=\0)/.exec(bytes.toString('utf16le', text, text + 34))?.[0];
  }
  return undefined;
}
