import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isJsonType } from '@lockstep/runtime/validation/parse-body';

// Whoever answers knows nothing of these: the answer is changed where it leaves.

/**
 * Waits so long, or until the caller is gone, or the sandbox closes.
 *
 * @returns whether the request is to go on
 */
export async function waitWhileThere(
  response: ServerResponse,
  milliseconds: number,
  closing: AbortSignal,
): Promise<boolean> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  const signal = AbortSignal.any([gone.signal, closing]);
  response.once('close', leave);
  try {
    await setTimeout(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    response.off('close', leave);
  }
  return !signal.aborted;
}

/**
 * Ends the connection without an answer. Answers stand in a queue where requests came in one go (RFC 9112, 9.3.2): those to requests before this
 * one leave first.
 */
export function dropConnection(response: ServerResponse): void {
  // Node lets go of an answer that is destroyed before its turn, and its connection stays.
  if (response.socket === null) response.once('socket', () => response.destroy());
  else response.destroy();
}

/** All is done as it would be, and the connection ends where the answer would leave. */
export function dropAnswer(response: ServerResponse): void {
  replaceEnd(response, () => dropConnection(response));
}

/**
 * Breaks the body of the answer: `truncated` has the length of the whole and ends half-way, with the connection; `malformed` is a whole message whose
 * JSON lacks its end. An answer without a body stays as it is.
 */
export function breakBody(response: ServerResponse, how: 'truncated' | 'malformed'): void {
  replaceEnd(response, (body, end) => {
    if (body.length < 2 || !sendsBody(response)) return end(body);
    const isTruncated = how === 'truncated';
    const broken = Buffer.from(body);
    if (!isTruncated) {
      broken[broken.length - 1] = ','.charCodeAt(0);
      return end(broken);
    }
    if (!response.hasHeader('Content-Length')) response.setHeader('Content-Length', body.length);
    response.write(broken.subarray(0, Math.ceil(broken.length / 2)), () => dropConnection(response));
  });
}

/** RFC 9110, 6.4.1: whatever is handed over for others, Node writes their headers alone. */
function sendsBody({ req, statusCode }: ServerResponse): boolean {
  return req.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
}

/** Tells of the body of an error as it leaves; undefined where it is not JSON. */
export function observeError(response: ServerResponse, tell: (body: unknown) => void): void {
  replaceEnd(response, (body, end) => {
    const isJson = isJsonType(String(response.getHeader('Content-Type') ?? ''));
    if (response.statusCode >= 400) tell(isJson ? parse(body) : undefined);
    end(body);
  });
}

type End = (body: Buffer) => void;

/** Whoever writes here hands over the whole body with `end`, the service and the OAuth server alike. */
function replaceEnd(response: ServerResponse, replacement: (body: Buffer, end: End) => void): void {
  const end = response.end.bind(response);
  response.end = (...given: readonly unknown[]) => {
    response.end = end;
    const [body, encoding] = given;
    const done = given.find((one): one is () => void => typeof one === 'function');
    const isText = typeof body === 'string';
    const bytes = isText
      ? Buffer.from(body, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
      : Buffer.from(body instanceof Uint8Array ? body : []);
    replacement(bytes, (changed) => (isText || body instanceof Uint8Array ? end(changed, done) : end(done)));
    return response;
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
