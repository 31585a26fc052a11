import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Fix, WrongUse } from '@lockstep/shell/wrong-use';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { Keys } from './keys.ts';
import { keyFileVersion, parseKeys } from './parse-keys.ts';

/** A missing, unprotected or invalid key file, with its path, every fault and the fixes. */
export class KeyFileFault extends WrongUse {
  override readonly name = 'KeyFileFault';
}

export interface ReadKeyFileOptions {
  /** Called once if the file's group may read it, as with mounted secrets. Any access for others is a fault. */
  readonly warn?: (text: string) => void;
}

/**
 * Reads and checks the keys of a deployment.
 *
 * @throws KeyFileFault with the path, every fault and the commands that fix them, but no value
 */
export async function readKeyFile(path: string, { warn }: ReadKeyFileOptions = {}): Promise<Keys> {
  const text = await readText(path);
  const mode = await readMode(path);
  if ((mode & 0o027) !== 0) {
    throw new KeyFileFault(`The key file ${path} is open to others (mode ${mode.toString(8)}).`, {
      fixes: [{ message: 'Close it', command: ['chmod', '600', path] }],
    });
  }
  if (mode & 0o040) warn?.(`The key file ${path} is readable by its group. To close it: chmod 600 ${path}`);

  const parsed = parseKeys(text);
  if (parsed.kind === 'keys') return parsed.keys;
  const faults = parsed.faults.map((fault) => `  - ${fault}`).join('\n');
  throw new KeyFileFault(
    `The key file ${path} cannot be used:\n${faults}\n` +
      'Restore it from a backup, or create new keys, which invalidates every token and changes every code.',
    {
      fixes: [
        { message: 'For new keys, move it away', command: ['mv', '-i', path, `${path}.unusable`] },
        creation(path),
      ],
    },
  );
}

/**
 * Creates new keys and writes them as JSON, mode 0600. The file is written completely or not at all, and an existing one is never changed,
 * also if two processes try at once.
 *
 * @throws KeyFileFault when the file exists or cannot be written
 */
export async function createKeyFile(path: string): Promise<Keys> {
  const text = await generateKeysText();
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    // A hard link fails if the name exists. A rename would silently replace the file.
    await link(draft, path);
  } catch (cause) {
    throw new KeyFileFault(explainFailure(path, cause), { cause });
  } finally {
    await unlink(draft).catch(() => {});
  }
  return readKeyFile(path);
}

/**
 * Reads a key file, or creates it if there is none. Of two first starts at once, one creates the file and the other reads it.
 *
 * @throws KeyFileFault when it cannot be used or written
 */
export async function readOrCreateKeyFile(path: string): Promise<Keys> {
  if (existsSync(path)) return readKeyFile(path);
  try {
    return await createKeyFile(path);
  } catch (error) {
    if (existsSync(path)) return readKeyFile(path);
    throw error;
  }
}

/** Creates new keys without a file: everything derived from them is lost with the process. */
export async function generateKeys(): Promise<Keys> {
  const parsed = parseKeys(await generateKeysText());
  if (parsed.kind === 'keys') return parsed.keys;
  throw new Error(`new keys cannot be read: ${parsed.faults.join(', ')}`);
}

async function generateKeysText(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const jwk = await exportJWK(privateKey);
  // RFC 7638: the key id is a hash of the key.
  const kid = await calculateJwkThumbprint(jwk);
  const secret = () => randomBytes(32).toString('base64url');
  const file = {
    version: keyFileVersion,
    jwks: { keys: [{ ...jwk, kid, alg: 'RS256', use: 'sig' }] },
    cookieKeys: [secret()],
    cursorKey: secret(),
    deviceKey: secret(),
    demoKey: secret(),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT')
      throw new KeyFileFault(`The key file ${path} does not exist.`, { cause, fixes: [creation(path)] });
    throw new KeyFileFault(
      `The key file ${path} cannot be read (${codeOf(cause)}).\nIt must be a file that this user may read.`,
      { cause },
    );
  }
}

/** Permission bits, which are useless on Windows. */
async function readMode(path: string): Promise<number> {
  return process.platform === 'win32' ? 0o600 : (await stat(path)).mode & 0o777;
}

function explainFailure(path: string, cause: unknown): string {
  // A file in place of a parent folder gives EEXIST too, from another call.
  const isTaken =
    codeOf(cause) === 'EEXIST' && cause instanceof Error && 'syscall' in cause && cause.syscall === 'link';
  return isTaken
    ? `The key file ${path} exists already and stays as it is.\nTo create new keys, which invalidates every token and changes every code, move it away first.`
    : `The key file ${path} cannot be written (${codeOf(cause)}).\nLet this user write there, or give another path.`;
}

function creation(path: string): Fix {
  return { message: 'Create one', command: ['lockstep-server', 'keys', 'create', path] };
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
