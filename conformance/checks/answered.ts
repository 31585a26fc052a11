import { isUtf8 } from 'node:buffer';
import { isJson, type ResponseObject, responseFor } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { readJson } from '../execute/content.ts';
import type { Answer, NumberedExchange, Since } from '../execute/exchange.ts';

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

/** Whether its body is all that it says. */
export function isReadable({ undecoded, isCut }: Answer): boolean {
  return undecoded === undefined && isCut !== true;
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

type Content =
  | {
      readonly kind: 'value';
      readonly value: unknown;
      /** The place of a number that is larger than can be represented, `1e999`: its violations prove nothing. */
      readonly overflow?: string | undefined;
    }
  | {
      readonly kind: 'broken';
      readonly keyword: 'encoding' | 'json';
      readonly clause: string;
      readonly message: string;
    }
  /** Nothing that could be judged, and why. */
  | { readonly kind: 'unread'; readonly message: string };

const contents = new WeakMap<Answer, Content>();

/** The value that the content of an answer carries by its media type: JSON parsed, anything else as text. Read once for all checks. */
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
      number === undefined ? 'the content is not JSON' : `the content is not JSON: ${number} is no number there`;
    return { kind: 'broken', keyword: 'json', clause: 'RFC 8259 2', message: why };
  }
  if ('unread' in read) return { kind: 'unread', message: read.unread };
  return { kind: 'value', value: read.value, overflow: findOverflow(read.value) };
}

function readText(body: Buffer, contentType: string): Content {
  const named = /charset="?([^\s";]+)/i.exec(contentType)?.[1];
  const charset = named ?? 'utf-8';
  // Content that is no text may be of any octets.
  const fatal = named !== undefined || /^text\//i.test(contentType);
  try {
    return { kind: 'value', value: new TextDecoder(charset, { fatal, ignoreBOM: true }).decode(body) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'unread', message: `its charset ${charset} is not known here` };
    if (named === undefined) return { kind: 'unread', message: 'it is not UTF-8, and Content-Type names no charset' };
    const message = `the text is not in ${charset}, which Content-Type names`;
    // Readers agree on every octet of UTF-8 alone.
    if (!/^utf-?8$/i.test(charset)) return { kind: 'unread', message };
    return { kind: 'broken', keyword: 'encoding', clause: 'RFC 9110 8.3.2', message };
  }
}

/** Parsing alone makes a number infinite: JSON has none that are. */
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
