// The content of an answer, decoded from its octets within bounds: the server under test sends them.
import { brotliDecompress, gunzip, inflate, type ZlibOptions, zstdDecompress } from 'node:zlib';
import { messageOf } from '../contract/printable.ts';
import { type Answer, headerOf, type Undecoded } from './exchange.ts';

type Decoded =
  | { readonly kind: 'content'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  | ({ readonly kind: 'undecoded' } & Undecoded);

type Decode = (
  content: Buffer,
  options: Pick<ZlibOptions, 'maxOutputLength' | 'info'>,
  done: (error: Error | null, decoded: Buffer) => void,
) => void;

const codings: Readonly<Record<string, Decode>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: brotliDecompress,
  zstd: zstdDecompress,
};

/** The others of the HTTP Content Coding Registry of IANA, as of 2026. */
const registered = new Set(['aes128gcm', 'compress', 'x-compress', 'dcb', 'dcz', 'exi', 'pack200-gzip']);

/**
 * Content without its codings. Without `Accept-Encoding` a server may use any of them (RFC 9110, 12.5.3).
 *
 * @param most bytes of all steps together: a megabyte of gzip may stand for a gigabyte
 */
export async function decodeContent(
  { headers, body }: Pick<Answer, 'headers' | 'body'>,
  most: number,
): Promise<Decoded> {
  // The last one was applied last (RFC 9110, 8.4).
  const used = (headerOf({ headers }, 'content-encoding') ?? '').split(',').map((coding) => coding.trim());
  let content = body;
  let left = most;
  for (const name of used.reverse()) {
    const coding = name.toLowerCase();
    if (coding === '' || coding === 'identity' || content.length === 0) continue;
    const decode = Object.hasOwn(codings, coding) ? codings[coding] : undefined;
    if (decode === undefined) {
      const isFault = !registered.has(coding);
      const message = isFault
        ? `Content-Encoding names ${name}, which is no registered coding`
        : `its coding ${name} cannot be decoded here`;
      return { kind: 'undecoded', isFault, message };
    }
    try {
      const decoded = await decodeParts(decode, content, left);
      if (decoded === undefined)
        return { kind: 'undecoded', isFault: false, message: `its coding ${name} has more than ${mostParts} parts` };
      content = decoded;
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'too-large' };
      const message = `the content is not in ${name}, which Content-Encoding names: ${messageOf(error)}`;
      return { kind: 'undecoded', isFault: true, message };
    }
    left -= content.length;
  }
  return { kind: 'content', body: content };
}

/** Of one content: each takes time, and nine bytes are one. */
const mostParts = 1_000;

/**
 * All parts of a content. One coded by zstd may come in several frames (RFC 8878, 3), of which Node 24 reads the first, and it passes
 * over whatever stands behind the end of brotli or zlib. Members of gzip it reads to the last, and zeros behind it are padding.
 *
 * @returns undefined where there are too many
 */
async function decodeParts(decode: Decode, content: Buffer, most: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let left = most;
  for (let rest = content; parts.length === 0 || rest.some((byte) => byte !== 0); ) {
    if (parts.length === mostParts) return undefined;
    const { part, read } = await decodePart(decode, rest, Math.max(1, left));
    parts.push(part);
    left -= part.length;
    rest = rest.subarray(read);
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

/** @returns the first part, and how many bytes of the content it took */
function decodePart(
  decode: Decode,
  content: Buffer,
  maxOutputLength: number,
): Promise<{ readonly part: Buffer; readonly read: number }> {
  return new Promise((resolve, reject) => {
    decode(content, { maxOutputLength, info: true }, (error, decoded) => {
      if (error !== null) return reject(error);
      // By `info` the engine comes along, of which the types know nothing.
      const { buffer, engine } = decoded as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
      resolve({ part: buffer, read: engine.bytesWritten });
    });
  });
}

/** Of one JSON text, so that a round of answers fits into memory: a page of 5,000 items of 50 members. */
const mostValues = 250_000;

/** Walks of a value are recursive: a contract that describes so many levels cannot be read either. */
const mostDepth = 1_000;

/**
 * JSON of an answer.
 *
 * @returns the value; or why it is not read, though it may be JSON; undefined for what is none
 */
export function readJson(body: Buffer): { readonly value: unknown } | { readonly unread: string } | undefined {
  const unread = measureJson(body);
  if (unread !== undefined) return { unread };
  try {
    // A parser may ignore a byte order mark (RFC 8259, 8.1).
    return { value: JSON.parse(body.toString().replace(/^\ufeff/, '')) };
  } catch {
    return undefined;
  }
}

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = Buffer.from('"\\,[]{}');

/** Why a text is not parsed. Three bytes of it may become forty in memory, and the stack of whoever walks it is small. */
function measureJson(body: Buffer): string | undefined {
  if (body.length < mostDepth) return undefined;
  let values = 1;
  let depth = 0;
  let isText = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (isText) {
      if (byte === backslash) index += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === comma) values += 1;
    else if (byte === closeList || byte === closeObject) depth -= 1;
    else if (byte === openList || byte === openObject) {
      values += 1;
      depth += 1;
      if (depth > mostDepth) return `it is nested more than ${mostDepth} levels deep`;
    }
    if (values > mostValues) return `it holds more than ${mostValues} values`;
  }
  return undefined;
}

/** Of the bodies that one round keeps: 64 turns may bring several of 64 MiB each. */
const mostHeldBytes = 256 * 1024 * 1024;

/** Of a body beyond that, its beginning is kept. */
const keptBytes = 64 * 1024;

/** Keeps bodies as long as there is room for them, of those that come then the beginning. */
export function createHolder(most = mostHeldBytes, kept = keptBytes) {
  let size = 0;
  return {
    hold: (answer: Answer): Answer => {
      if (answer.body.length <= kept) return answer;
      size += answer.body.length;
      if (size <= most) return answer;
      // A copy: a part of a buffer would keep the whole.
      return { ...answer, body: Buffer.from(answer.body.subarray(0, kept)), isCut: true };
    },
    /** The bodies are needed no more. */
    release: (): void => {
      size = 0;
    },
  };
}
