import { type Contract, type ResponseObject, responseFor } from '../contract/contract.ts';
import { isJson } from '../contract/media-type.ts';
import type { Answer, NumberedExchange } from '../execute/exchange.ts';
import { type AnnotatedValue, annotatedValues } from '../schema/annotated-values.ts';

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

/** HEAD, 1xx, 204, 205 and 304 have no content, whatever is declared (RFC 9110, 6.4.1). */
export function hasContent({ request, outcome }: NumberedExchange): boolean {
  if (outcome.kind === 'none' || request.method === 'HEAD') return false;
  return !(outcome.status < 200 || [204, 205, 304].includes(outcome.status));
}

/** Success responses that the contract lists, as obligations name them. */
export function listedSuccesses(responses: readonly ResponseObject[]): readonly ResponseObject[] {
  return responses.filter(({ status }) => /^[23]/.test(status));
}

export type ReadText =
  | { readonly value: unknown }
  | { readonly broken: 'encoding' | 'json'; readonly clause: string; readonly says: string };

/** The value that a body carries by its media type: JSON parsed, anything else as text. */
export function readText(body: Buffer, contentType: string): ReadText {
  if (!isJson(contentType)) return { value: body.toString(charsetOf(contentType)) };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return { broken: 'encoding', clause: 'RFC 8259 8.1', says: 'the JSON text is not UTF-8' };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    const says = text === '' ? 'the content is empty, which is no JSON text' : 'the content is not JSON';
    return { broken: 'json', clause: 'RFC 8259 2', says };
  }
}

function charsetOf(contentType: string): 'latin1' | 'utf8' {
  return /charset="?(iso-8859-1|latin1|us-ascii)/i.test(contentType) ? 'latin1' : 'utf8';
}

/** Parts of an answer with what the contract says about each; nothing for an answer without JSON or schema. */
export function annotatedAnswer(contract: Contract, exchange: NumberedExchange): AnnotatedValue[] {
  const { response } = answerOf(exchange) ?? {};
  const schema = response?.contents.find((content) => content.schema !== undefined)?.schema;
  if (schema === undefined || exchange.seen.responseBody === undefined) return [];
  return [...annotatedValues(contract.root, schema, exchange.seen.responseBody)];
}
