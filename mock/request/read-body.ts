import type { IncomingMessage } from 'node:http';
import type { Operation } from '@lockstep/contract/operations';
import type { TypedBody } from '@lockstep/runtime/form/check-body';
import { cut, listOr } from '@lockstep/runtime/form/sentence';
import { readBytes } from '@lockstep/runtime/message/read-bytes';
import { parse as parseContentType } from 'content-type';
import { Fault, faultStatuses, formHints } from '../fault/fault.ts';

/**
 * Reads the body of a request, up to a limit, and finds the declared media type it has. The service has its own, bound to
 * the codes and statuses of its catalogue: here ranges of types count too, and statuses are those that a contract declares.
 *
 * @returns `undefined` where nothing was sent and no type was named
 * @throws Fault 413 for more bytes than `limitBytes`; 415 for a type, charset or coding that is not declared
 * @throws RequestAborted when the request ends before its body does
 */
export async function readBody(
  request: IncomingMessage,
  content: NonNullable<Operation['requestBody']>['content'],
  limitBytes: number,
): Promise<TypedBody | undefined> {
  const bytes = await readBytes(request, limitBytes);
  if (bytes === undefined) throw tooLarge(limitBytes);
  const declared = Object.keys(content);
  const sentTypes = request.headersDistinct['content-type'] ?? [];
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity') {
    throw mediaTypeFault(
      `Content-Encoding ${cut(coding)} is not taken: send the body as it is`,
      'content-encoding',
      [],
    );
  }
  const [sent] = sentTypes;
  if (sent === undefined) {
    if (bytes.length === 0) return undefined;
    throw mediaTypeFault(`The body has no Content-Type: send it as ${listOr(declared)}`, 'content-type', declared);
  }
  const { mediaType, charset } = readContentType(sent);
  const declaredType = declared.find((range) => matchesRange(range, mediaType));
  if (declaredType === undefined || sentTypes.length > 1) {
    throw mediaTypeFault(
      `Content-Type ${cut(sentTypes.join(', '))} is not taken: send the body as ${listOr(declared)}`,
      'content-type',
      declared,
    );
  }
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw mediaTypeFault(`Charset ${cut(charset)} is not taken: send the body in UTF-8`, 'content-type', ['utf-8']);
  }
  return { bytes, declaredType, mediaType };
}

function tooLarge(limitBytes: number): Fault {
  return new Fault({
    statuses: faultStatuses.tooLarge,
    says: `The body is larger than ${limitBytes} bytes`,
    hints: ['too_large', 'large', ...formHints],
    details: [{ in: 'body', at: '', says: `at most ${limitBytes} bytes`, nearest: [] }],
  });
}

function mediaTypeFault(says: string, at: string, nearest: readonly string[]): Fault {
  return new Fault({
    statuses: faultStatuses.mediaType,
    says,
    hints: ['media_type', 'content_type', ...formHints],
    details: [{ in: 'header', at, says, nearest }],
  });
}

function readContentType(header: string): { mediaType: string; charset: string | undefined } {
  const { type, parameters } = parseContentType(header);
  return { mediaType: type.toLowerCase(), charset: parameters.charset };
}

/** Media type ranges as OpenAPI keys them: exact, `text/*`, any. */
function matchesRange(range: string, mediaType: string): boolean {
  const wanted = (range.split(';', 1)[0] ?? '').trim().toLowerCase();
  return (
    wanted === mediaType || wanted === '*/*' || (wanted.endsWith('/*') && mediaType.startsWith(wanted.slice(0, -1)))
  );
}
