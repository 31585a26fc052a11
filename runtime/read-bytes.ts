import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

/** The caller went away, or took too long: nobody is left to answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/**
 * Reads the bytes of a body.
 *
 * @returns undefined for more than `limitBytes`
 * @throws RequestAborted when the request ends before its body does
 */
export async function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  try {
    return await getRawBody(request, { limit: limitBytes, length: request.headers['content-length'] ?? null });
  } catch (cause) {
    const type = cause instanceof Error && 'type' in cause ? cause.type : undefined;
    if (type === 'entity.too.large') return undefined;
    throw new RequestAborted('the request ended before its body did', { cause });
  }
}
