import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isJsonType } from '@lockstep/runtime/validation/parse-body';

// Handlers are unaware of faults: the answer is changed when it is sent.
/**
 * Waits for a time, or until the client disconnects or the sandbox closes.
 *
 * @returns whether to continue with the request
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
 * Closes the connection without an answer. Answers to pipelined requests leave in order (RFC 9112, 9.3.2): those to earlier requests are still
 * sent.
 */
export function dropConnection(response: ServerResponse): void {
  // If an answer is destroyed before its turn, Node drops it but keeps its connection.
  if (response.socket === null) response.once('socket', () => response.destroy());
  else response.destroy();
}

/** The request is processed, and the connection closes instead of the answer. */
export function dropAnswer(response: ServerResponse): void {
  replaceEnd(response, () => dropConnection(response));
}

/**
 * Breaks the body of the answer. `truncated` declares the full length, and the connection closes half-way. `malformed` is a complete message with
 * incomplete JSON. An answer without a body stays as it is.
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

/** RFC 9110, 6.4.1: for other answers, Node sends only headers even if it gets a body. */
function sendsBody({ req, statusCode }: ServerResponse): boolean {
  return req.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
}

/** Reports the body of an error when it is sent; undefined if it is not JSON. */
export function observeError(response: ServerResponse, report: (body: unknown) => void): void {
  replaceEnd(response, (body, end) => {
    const isJson = isJsonType(String(response.getHeader('Content-Type') ?? ''));
    if (response.statusCode >= 400) report(isJson ? parse(body) : undefined);
    end(body);
  });
}

type End = (body: Buffer) => void;

/** Service and OAuth server both pass the whole body to `end`. */
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
