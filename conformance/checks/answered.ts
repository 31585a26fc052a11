import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { isJson, type ResponseObject, responseFor } from '../contract/contract.ts';
import { type Answer, headerOf, type NumberedExchange, type Since } from '../execute/exchange.ts';

/** An answer beside what the contract says about its status. */
export interface Answered {
  readonly answer: Answer;
  /** Undefined where the contract says nothing. */
  readonly response: ResponseObject | undefined;
}

const gatewayStatuses = new Set([413, 414, 429, 431, 502, 503, 504]);

/** The answer of an exchange that has one, with its place in the contract. */
export function answerOf({ outcome, operation }: NumberedExchange): Answered | undefined {
  if (outcome.kind === 'none') return undefined;
  const response = responseFor(operation, outcome.status);
  // A range or `default` speaks for the server; these may come from whatever stands in front of it.
  const isGateways = gatewayStatuses.has(outcome.status) && response?.status !== String(outcome.status);
  return { answer: outcome, response: isGateways ? undefined : response };
}

/**
 * The answer where the contract speaks about it: of a grey request, or of a method that is not the operation's, no answer is
 * wrong by the contract.
 */
export function declaredAnswerOf(exchange: NumberedExchange): Answered | undefined {
  const { intent, request, operation } = exchange;
  if (intent.polarity === 'grey' || request.method !== operation.method.toUpperCase()) return undefined;
  return answerOf(exchange);
}

/** HEAD, 1xx, 204, 205 and 304 have no content, whatever is declared (RFC 9110, 6.4.1). */
export function hasContent({ request, outcome }: NumberedExchange): boolean {
  if (outcome.kind === 'none' || request.method === 'HEAD') return false;
  return !(outcome.status < 200 || [204, 205, 304].includes(outcome.status));
}

/** Why a failure may be no more than a consequence of what the run itself did. */
export function describeSince({ writes, control, status }: Since): string {
  const now = status === 0 ? 'not answered' : `answered ${status}`;
  return `since ${writes.join(', ')} was accepted, ${control}, accepted before, is ${now}: it may be a consequence of that`;
}

/** Success responses that the contract lists, as obligations name them. */
export function listedSuccesses(responses: readonly ResponseObject[]): readonly ResponseObject[] {
  return responses.filter(({ status }) => /^[23]/.test(status));
}

export type Content =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly keyword: 'encoding' | 'json'; readonly clause: string; readonly says: string }
  /** Nothing that could be judged: coded as nobody here can decode. */
  | { readonly kind: 'unread' };

const contents = new WeakMap<Answer, Content>();

/** The value that the content of an answer carries by its media type: JSON parsed, anything else as text. Read once for all checks. */
export function contentOf({ outcome, seen }: NumberedExchange, contentType: string): Content {
  if (outcome.kind === 'none') return { kind: 'unread' };
  const known = contents.get(outcome) ?? readContent(outcome, contentType, seen.responseBody);
  contents.set(outcome, known);
  return known;
}

function readContent(answer: Answer, contentType: string, parsed: unknown): Content {
  const body = decode(answer);
  if (body === undefined) return { kind: 'unread' };
  if (!isJson(contentType)) return { kind: 'value', value: body.toString(charsetOf(contentType)) };
  if (!isUtf8(body)) {
    return { kind: 'broken', keyword: 'encoding', clause: 'RFC 8259 8.1', says: 'the JSON text is not UTF-8' };
  }
  if (parsed !== undefined) return { kind: 'value', value: parsed };
  try {
    // Whoever parses may ignore a byte order mark (RFC 8259, 8.1).
    return { kind: 'value', value: JSON.parse(body.toString().replace(/^\ufeff/, '')) };
  } catch {
    const number = /[:[,]\s*-?(NaN|Infinity)\b/.exec(body.toString())?.[1];
    const why =
      number === undefined ? 'the content is not JSON' : `the content is not JSON: ${number} is no number there`;
    return { kind: 'broken', keyword: 'json', clause: 'RFC 8259 2', says: why };
  }
}

const codings: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Without `Accept-Encoding` a server may use any coding (RFC 9110, 12.5.3). */
function decode(answer: Answer): Buffer | undefined {
  const used = (headerOf(answer, 'content-encoding') ?? '').toLowerCase().split(',');
  try {
    return used
      .map((coding) => coding.trim())
      .filter((coding) => coding !== '' && coding !== 'identity')
      .reduceRight<Buffer | undefined>((body, coding) => body && codings[coding]?.(body), answer.body);
  } catch {
    return undefined;
  }
}

function charsetOf(contentType: string): 'latin1' | 'utf8' {
  return /charset="?(iso-8859-1|latin1|us-ascii)/i.test(contentType) ? 'latin1' : 'utf8';
}
