import type { ServerResponse } from 'node:http';
import { isObject } from '@lockstep/json/json-pointer';
import type { Answer } from './exchange.ts';

/** What every answer carries, whoever made it. */
export interface Ambient {
  readonly requestId: string;
  readonly apiVersion: string;
  /** Undefined where no trial runs. */
  readonly trialEndsAt: string | undefined;
  /** Empty where no quota is on, or the request was not counted. */
  readonly quotaHeaders: Readonly<Record<string, string>>;
}

/** An answer as it will leave: names as they are written, all values text. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: no content. */
  readonly text: string | undefined;
}

/** Puts in what handlers leave out: the request id of an error, and the headers of every answer. */
export function prepareResponse({ status, headers = {}, mediaType, body }: Answer, ambient: Ambient): Outgoing {
  const { requestId, apiVersion, trialEndsAt, quotaHeaders } = ambient;
  const whole = status >= 400 && isObject(body) ? { ...body, requestId } : body;
  const text = whole === undefined ? undefined : JSON.stringify(whole);
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return {
    status,
    headers: {
      'X-Request-Id': requestId,
      'API-Version': apiVersion,
      'Cache-Control': 'no-store',
      ...quotaHeaders,
      ...(trialEndsAt === undefined ? {} : { 'Trial-Ends-At': trialEndsAt }),
      ...Object.fromEntries(given),
      ...(text === undefined ? {} : { 'Content-Type': mediaType ?? 'application/json' }),
    },
    text,
  };
}

/** Writes an answer, the one place that does so. For HEAD Node leaves the content out and keeps its length. */
export function writeResponse(response: ServerResponse, { status, headers, text }: Outgoing): void {
  const length = status === 204 ? {} : { 'Content-Length': Buffer.byteLength(text ?? '') };
  response.writeHead(status, { ...headers, ...length });
  response.end(text);
}
