import { isUtf8 } from 'node:buffer';
import { isJson, type ResponseObject, responseFor } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { readJson } from '../execute/content.ts';
import { type Answer, isSuccess, type NumberedExchange, type Since } from '../execute/exchange.ts';

/** An answer with the response that the contract declares for its status. */
export interface Answered {
  readonly answer: Answer;
  /** Undefined if the contract declares none, or if a gateway may have answered. */
  readonly response: ResponseObject | undefined;
}

const gatewayStatuses = new Set([413, 414, 429, 431, 502, 503, 504]);

/** The answer of an exchange with its declared response; undefined if no answer came. */
export function answerOf({ outcome, operation }: NumberedExchange): Answered | undefined {
  if (outcome.kind === 'none') return undefined;
  const response = responseFor(operation, outcome.status);
  // A range or `default` describes the server alone: a proxy in front of it may send these statuses.
  const isGateways = gatewayStatuses.has(outcome.status) && response?.status !== String(outcome.status);
  return { answer: outcome, response: isGateways ? undefined : response };
}

/**
 * The answer if the contract describes it: no answer to a grey request, or to another method than the operation's, breaks the contract.
 * A failure of the server has a finding of its own, and so has an invalid request that is accepted: its answer may repeat a wrong value.
 */
export function declaredAnswerOf(exchange: NumberedExchange): Answered | undefined {
  const { intent, request, operation } = exchange;
  if (intent.polarity === 'grey' || request.method !== operation.method.toUpperCase()) return undefined;
  const answered = answerOf(exchange);
  const isConsequence =
    failures.has(answered?.answer.status ?? 0) || (intent.polarity === 'invalid' && isSuccess(exchange.outcome));
  return isConsequence ? undefined : answered;
}

/** `server-error` reports these: a page of the framework in place of the declared body is a consequence. */
const failures = new Set([500, 502, 504]);

/** Whether the whole body was read and decoded. */
export function isReadable({ undecoded, isCut }: Answer): boolean {
  return undecoded === undefined && isCut !== true;
}

/** HEAD, 1xx, 204, 205 and 304 have no content, whatever is declared (RFC 9110, 6.4.1). */
export function hasContent({ request, outcome }: NumberedExchange): boolean {
  if (outcome.kind === 'none' || request.method === 'HEAD') return false;
  return !(outcome.status < 200 || [204, 205, 304].includes(outcome.status));
}

/** Explains that a failure may be a consequence of the run's own writes. */
export function describeSince({ writes, control, status }: Since): string {
  const now = status === 0 ? 'gets no answer' : `is answered ${status}`;
  return `${control} was accepted before ${writes.join(', ')} and now ${now}: the failure may be a consequence of that write`;
}

/** The declared responses of 2xx and 3xx. */
export function listedSuccesses(responses: readonly ResponseObject[]): readonly ResponseObject[] {
  return responses.filter(({ status }) => /^[23]/.test(status));
}

type Content =
  | {
      readonly kind: 'value';
      readonly value: unknown;
      /** Location of a number that is too large to represent (`1e999`): its violations prove nothing. */
      readonly overflow?: string | undefined;
    }
  | {
      readonly kind: 'broken';
      readonly keyword: 'encoding' | 'json';
      readonly clause: string;
      readonly message: string;
    }
  /** Content that cannot be judged, with the reason. */
  | { readonly kind: 'unread'; readonly message: string };

const contents = new WeakMap<Answer, Content>();

/** The value of an answer's content: JSON is parsed, anything else is text. All checks share one reading. */
export function contentOf({ outcome, seen }: NumberedExchange, contentType: string): Content {
  if (outcome.kind === 'none') return { kind: 'unread', message: 'no answer came' };
  const known = contents.get(outcome) ?? readContent(outcome, contentType, seen.responseBody);
  contents.set(outcome, known);
  return known;
}

function readContent({ body, undecoded }: Answer, contentType: string, parsed: unknown): Content {
  if (undecoded !== undefined) return { kind: 'unread', message: undecoded.message };
  if (!isJson(contentType)) return readText(body, contentType);
  if (!isUtf8(body)) {
    return { kind: 'broken', keyword: 'encoding', clause: 'RFC 8259 8.1', message: 'the JSON text is not UTF-8' };
  }
  const read = parsed === undefined ? readJson(body) : { value: parsed };
  if (read === undefined) {
    const number = /[:[,]\s*-?(NaN|Infinity)\b/.exec(body.toString())?.[1];
    const why =
      number === undefined ? 'the content is not JSON' : `the content is not JSON, which has no number ${number}`;
    return { kind: 'broken', keyword: 'json', clause: 'RFC 8259 2', message: why };
  }
  if ('unread' in read) return { kind: 'unread', message: read.unread };
  return { kind: 'value', value: read.value, overflow: findOverflow(read.value) };
}

function readText(body: Buffer, contentType: string): Content {
  const named = /charset="?([^\s";]+)/i.exec(contentType)?.[1];
  const charset = named ?? 'utf-8';
  // A type other than `text/*` may contain any octets.
  const fatal = named !== undefined || /^text\//i.test(contentType);
  try {
    return { kind: 'value', value: new TextDecoder(charset, { fatal, ignoreBOM: true }).decode(body) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'unread', message: `the charset ${charset} is not supported` };
    if (named === undefined)
      return { kind: 'unread', message: 'the text is not UTF-8, and Content-Type names no charset' };
    const message = `Content-Type names the charset ${charset}, but the text is not valid ${charset}`;
    // Decoders agree on every octet only for UTF-8.
    if (!/^utf-?8$/i.test(charset)) return { kind: 'unread', message };
    return { kind: 'broken', keyword: 'encoding', clause: 'RFC 9110 8.3.2', message };
  }
}

/** Only parsing creates an infinite number: JSON has no notation for one. */
function findOverflow(value: unknown): string | undefined {
  const waiting = [{ value, at: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next.value === 'number' && !Number.isFinite(next.value)) return next.at;
    if (typeof next.value !== 'object' || next.value === null) continue;
    for (const [name, part] of Object.entries(next.value)) {
      if (typeof part === 'number' || (typeof part === 'object' && part !== null))
        waiting.push({ value: part, at: joinPointer(next.at, name) });
    }
  }
  return undefined;
}
