import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';

/** An answer ready to be sent. Later headers win over earlier ones of the same name, in any case. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** `null`: no content. */
  readonly body: string | Uint8Array | null;
}

/**
 * Sends an answer; for HEAD without its content. A header value that HTTP cannot carry is left out and logged:
 * it must not cost the caller the answer.
 */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer, logger: Logger): void {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) {
    try {
      response.setHeader(name, value);
    } catch (error) {
      logger.error({ header: name, err: error }, 'header left out: HTTP cannot carry its value');
    }
  }
  const mayHaveContent = answer.status !== 204 && answer.status !== 304;
  if (answer.body === null || !mayHaveContent) response.removeHeader('Content-Type');
  const bytes = Buffer.from(answer.body ?? '');
  if (mayHaveContent) response.setHeader('Content-Length', bytes.length);
  response.end(request.method === 'HEAD' || !mayHaveContent ? undefined : bytes);
}

/** Text for a body of some media type; JSON unless the type is something else and the value is text. */
export function serializeBody(value: unknown, mediaType: string | undefined): string | null {
  if (value === undefined) return null;
  const isJson = mediaType === undefined || /[/+]json\b/i.test(mediaType);
  return typeof value === 'string' && !isJson ? value : JSON.stringify(value);
}
