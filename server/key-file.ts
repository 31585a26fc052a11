import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Cure, WrongUse } from '@lockstep/shell/wrong-use';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { Keys } from './keys.ts';
import { keyFileVersion, parseKeys } from './parse-keys.ts';

/** A key file that is missing, readable by others, or wrong: with its path, everything that is wrong, and the cures. */
export class KeyFileFault extends WrongUse {
  override readonly name = 'KeyFileFault';
}

export interface ReadKeyFileOptions {
  /** Told once where the file's group may read it, as mounted secrets often are. Whatever others may do is refused. */
  readonly warn?: (text: string) => void;
}

/**
 * Reads and checks the keys of a deployment.
 *
 * @throws KeyFileFault which names the path and every fault, with the command that cures them; never a value
 */
export async function readKeyFile(path: string, { warn }: ReadKeyFileOptions = {}): Promise<Keys> {
  const text = await readText(path);
  const mode = await readMode(path);
  if ((mode & 0o027) !== 0) {
    throw new KeyFileFault(`The key file ${path} is open to others (mode ${mode.toString(8)}).`, {
      cures: [{ says: 'Close it', command: ['chmod', '600', path] }],
    });
  }
  if (mode & 0o040) warn?.(`The key file ${path} is readable by its group. To close it: chmod 600 ${path}`);

  const parsed = parseKeys(text);
  if (parsed.kind === 'keys') return parsed.keys;
  const faults = parsed.faults.map((fault) => `  - ${fault}`).join('\n');
  throw new KeyFileFault(
    `The key file ${path} cannot be used:\n${faults}\n` +
      'Bring it back from a backup, or make new keys, which ends every token and changes every code.',
    {
      cures: [{ says: 'For new keys, move it away', command: ['mv', '-i', path, `${path}.unusable`] }, creation(path)],
    },
  );
}

/**
 * Makes new keys and writes them as JSON, mode 0600. The file appears whole or not at all, and one that exists is never
 * touched, also when two processes try at once.
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
    // A hard link fails where the name is taken. A rename would replace the file without a word.
    await link(draft, path);
  } catch (cause) {
    throw new KeyFileFault(explainFailure(path, cause), { cause });
  } finally {
    await unlink(draft).catch(() => {});
  }
  return readKeyFile(path);
}

/**
 * Reads a key file, or makes it where there is none. Of two first starts at once, one makes the file and the other reads it.
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

/** New keys that are written nowhere: all that follows from them ends with the process. */
export async function generateKeys(): Promise<Keys> {
  const parsed = parseKeys(await generateKeysText());
  if (parsed.kind === 'keys') return parsed.keys;
  throw new Error(`new keys cannot be read: ${parsed.faults.join(', ')}`);
}

async function generateKeysText(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const jwk = await exportJWK(privateKey);
  // RFC 7638: the name of the key follows from the key.
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
      throw new KeyFileFault(`The key file ${path} does not exist.`, { cause, cures: [creation(path)] });
    throw new KeyFileFault(
      `The key file ${path} cannot be read (${codeOf(cause)}).\nIt has to be a file that this user may read.`,
      { cause },
    );
  }
}

/** Permission bits; Windows has none worth reading. */
async function readMode(path: string): Promise<number> {
  return process.platform === 'win32' ? 0o600 : (await stat(path)).mode & 0o777;
}

function explainFailure(path: string, cause: unknown): string {
  // A folder on the way that is a file says EEXIST too, from another call.
  const isTaken =
    codeOf(cause) === 'EEXIST' && cause instanceof Error && 'syscall' in cause && cause.syscall === 'link';
  return isTaken
    ? `The key file ${path} exists already and stays as it is.\nTo make new keys, which ends every token and changes every code, move it away first.`
    : `The key file ${path} cannot be written (${codeOf(cause)}).\nLet this user write there, or give another path.`;
}

function creation(path: string): Cure {
  return { says: 'Make one', command: ['lockstep-server', 'keys', 'create', path] };
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
