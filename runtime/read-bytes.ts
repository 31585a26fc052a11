import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

/** The client disconnected or was too slow, so that no answer can be sent. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/**
 * Reads the bytes of a body.
 *
 * @returns undefined for more than `limitBytes`
 * @throws RequestAborted if the body is incomplete
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
