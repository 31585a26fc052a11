// Decodes the content of an answer within bounds: the server under test is not trusted.
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

/** Further entries of IANA's HTTP Content Coding Registry, as of 2026. */
const registered = new Set(['aes128gcm', 'compress', 'x-compress', 'dcb', 'dcz', 'exi', 'pack200-gzip']);

/**
 * Decodes all codings of a content: a server may use any if `Accept-Encoding` is absent (RFC 9110, 12.5.3).
 *
 * @param most bytes of all steps together: a megabyte of gzip may decode to a gigabyte
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
        ? `Content-Encoding names ${name}, which is not a registered coding`
        : `the runner has no decoder for the coding ${name}`;
      return { kind: 'undecoded', isFault, message };
    }
    try {
      const decoded = await decodeParts(decode, content, left);
      if (decoded === undefined)
        return {
          kind: 'undecoded',
          isFault: false,
          message: `${name} content has more than ${mostParts} parts`,
        };
      content = decoded;
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'too-large' };
      const message = `Content-Encoding names ${name}, but decoding fails: ${messageOf(error)}`;
      return { kind: 'undecoded', isFault: true, message };
    }
    left -= content.length;
  }
  return { kind: 'content', body: content };
}

/** Parts of one content: nine bytes can be a part, and each takes time. */
const mostParts = 1_000;

/**
 * Decodes all parts of a content. zstd content may have several frames (RFC 8878, 3), of which Node 24 reads only the first; it also
 * ignores data after the end of brotli or zlib. Node reads all members of gzip; zeros after the last one are padding.
 *
 * @returns undefined if there are too many parts
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

/** @returns the decoded first part, and its length in the content */
function decodePart(
  decode: Decode,
  content: Buffer,
  maxOutputLength: number,
): Promise<{ readonly part: Buffer; readonly read: number }> {
  return new Promise((resolve, reject) => {
    decode(content, { maxOutputLength, info: true }, (error, decoded) => {
      if (error !== null) return reject(error);
      // `info` adds the engine to the result; the types of Node omit it.
      const { buffer, engine } = decoded as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
      resolve({ part: buffer, read: engine.bytesWritten });
    });
  });
}

/** Values of one JSON text, so that a round of answers fits into memory: a page of 5,000 items with 50 members each. */
const mostValues = 250_000;

/** Bounds recursion; a contract that describes so many levels cannot be read either. */
const mostDepth = 1_000;

/**
 * Parses the JSON of an answer.
 *
 * @returns the value, or the reason why it is not parsed; undefined for a text that is not JSON
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

/** @returns why a text is too large to parse: three bytes may become forty in memory, and deep nesting overflows the stack */
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
      if (depth > mostDepth) return `the content is nested more than ${mostDepth} levels deep`;
    }
    if (values > mostValues) return `the content has more than ${mostValues} values`;
  }
  return undefined;
}

/** Size of all bodies in one round: its 64 turns may receive several of 64 MiB each. */
const mostHeldBytes = 256 * 1024 * 1024;

/** Bytes kept of each further body. */
const keptBytes = 64 * 1024;

/** Bounds the memory of a round: after `most` bytes, only the beginning of each body is kept. */
export function createHolder(most = mostHeldBytes, kept = keptBytes) {
  let size = 0;
  return {
    hold: (answer: Answer): Answer => {
      if (answer.body.length <= kept) return answer;
      size += answer.body.length;
      if (size <= most) return answer;
      // A slice without a copy would keep the whole buffer.
      return { ...answer, body: Buffer.from(answer.body.subarray(0, kept)), isCut: true };
    },
    /** Called when the bodies are no longer needed. */
    release: (): void => {
      size = 0;
    },
  };
}
