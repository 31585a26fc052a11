import type { IncomingMessage } from 'node:http';
import type { TypedBody } from '@lockstep/runtime/form/check-body';
import { cut, listOr } from '@lockstep/runtime/form/sentence';
import { describeCoding, readUnknownCoding } from '@lockstep/runtime/message/http-message';
import { readBytes } from '@lockstep/runtime/message/read-bytes';
import { parse as parseContentType } from 'content-type';
import { Refused, refuse } from '../error-catalogue.ts';

/**
 * Reads the bytes of a body and finds the declared media type they have.
 *
 * @param declared media types of the operation
 * @returns undefined where nothing was sent and no type was named
 * @throws Refused 413 for more than `limitBytes`; 415 for another type, charset or coding; RequestAborted when the request
 * ends before its body does
 */
export async function readBody(
  request: IncomingMessage,
  declared: readonly string[],
  limitBytes: number,
): Promise<TypedBody | undefined> {
  const transferCoding = readUnknownCoding(request);
  if (transferCoding !== undefined) throw unsupported(describeCoding(transferCoding));
  const bytes = await readBytes(request, limitBytes);
  if (bytes === undefined)
    throw new Refused(refuse('too_large', { text: `The body is larger than ${limitBytes} bytes` }));
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity')
    throw unsupported(`Content-Encoding ${cut(coding)} is not taken: send the body as it is`);
  const sentTypes = request.headersDistinct['content-type'] ?? [];
  const [sent] = sentTypes;
  if (sent === undefined) {
    if (bytes.length === 0) return undefined;
    throw unsupported(`The body has no Content-Type: send it as ${listOr(declared)}`);
  }
  const { type, parameters } = parseContentType(sent);
  const mediaType = type.toLowerCase();
  const declaredType = declared.find((known) => known.toLowerCase() === mediaType);
  if (declaredType === undefined || sentTypes.length > 1)
    throw unsupported(`Content-Type ${cut(sentTypes.join(', '))} is not taken: send the body as ${listOr(declared)}`);
  const { charset } = parameters;
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    throw unsupported(`Charset ${cut(charset)} is not taken: send the body in UTF-8`);
  return { bytes, mediaType, declaredType };
}

function unsupported(text: string): Refused {
  return new Refused(refuse('unsupported_media_type', { text }));
}
