import type { IncomingMessage } from 'node:http';
import { parse as parseContentType } from 'content-type';
import { describeCoding, readUnknownCoding } from './http-message.ts';
import { readBytes } from './read-bytes.ts';
import { Rejection } from './rejection.ts';
import type { TypedBody } from './validation/check-body.ts';
import { readParts } from './validation/read-parts.ts';
import { cut, listOr } from './validation/sentence.ts';

/**
 * Reads the bytes of a body and finds their declared media type.
 *
 * @param content of the operation, by media type or range
 * @returns undefined if the request has neither a body nor a type
 * @throws Rejection for more than `limitBytes`, or for another type, charset or coding; RequestAborted if the body is incomplete
 */
export async function readBody(
  request: IncomingMessage,
  content: Readonly<Record<string, unknown>>,
  limitBytes: number,
): Promise<TypedBody | undefined> {
  const transferCoding = readUnknownCoding(request);
  if (transferCoding !== undefined) throw unsupported(describeCoding(transferCoding), 'transfer-encoding', ['chunked']);
  const bytes = await readBytes(request, limitBytes);
  if (bytes === undefined)
    throw new Rejection('body_too_large', {
      text: `The body is larger than ${limitBytes} bytes`,
      details: [{ in: 'body', at: '', says: `at most ${limitBytes} bytes`, nearest: [] }],
    });
  const declared = Object.keys(content);
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity')
    throw unsupported(`Content-Encoding ${cut(coding)} is not taken: send the body as it is`, 'content-encoding', []);
  const sentTypes = request.headersDistinct['content-type'] ?? [];
  const [sent] = sentTypes;
  if (sent === undefined) {
    if (bytes.length === 0) return undefined;
    throw unsupported(`The body has no Content-Type: send it as ${listOr(declared)}`, 'content-type', declared);
  }
  const { type, parameters } = parseContentType(sent);
  const mediaType = type.toLowerCase();
  const declaredType = findDeclaredType(declared, sent, mediaType);
  if (declaredType === undefined || sentTypes.length > 1) {
    const text = `Content-Type ${cut(sentTypes.join(', '))} is not taken: send the body as ${listOr(declared)}`;
    throw unsupported(text, 'content-type', declared);
  }
  const { charset } = parameters;
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    throw unsupported(`Charset ${cut(charset)} is not taken: send the body in UTF-8`, 'content-type', ['utf-8']);
  if (mediaType !== 'multipart/form-data') return { bytes, mediaType, declaredType };
  return { bytes, mediaType, declaredType, parts: await readParts(bytes, sent) };
}

/** The declared type with the same parameters, else with the same essence, else the narrowest range (OpenAPI 3.1, 4.8.14.1). */
function findDeclaredType(declared: readonly string[], sent: string, mediaType: string): string | undefined {
  const plain = (text: string): string => text.replaceAll(/\s/g, '').toLowerCase();
  const stars = (range: string): number => range.split('*').length;
  const exact = declared.find((range) => plain(range) === plain(sent));
  const narrowest = declared.toSorted((a, b) => stars(a) - stars(b));
  return exact ?? narrowest.find((range) => matchesRange(range, mediaType));
}

/** Whether a range of OpenAPI contains a media type: exact, `text/*`, or any. */
function matchesRange(range: string, mediaType: string): boolean {
  const wanted = (range.split(';', 1)[0] ?? '').trim().toLowerCase();
  return (
    wanted === mediaType || wanted === '*/*' || (wanted.endsWith('/*') && mediaType.startsWith(wanted.slice(0, -1)))
  );
}

function unsupported(text: string, header: string, nearest: readonly string[]): Rejection {
  return new Rejection('body_type', { text, details: [{ in: 'header', at: header, says: text, nearest }] });
}
