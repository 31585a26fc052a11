import { STATUS_CODES } from 'node:http';
import { type ContractDocument, followMember, followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { prefersOther } from '../accepted-type.ts';
import type { Answer, UndeclaredAnswer } from '../exchange.ts';
import { type Rejection, rejectionKinds } from '../rejection.ts';
import type { Validate } from '../validation/compile-schema.ts';
import { isJsonType } from '../validation/parse-body.ts';
import { readXml } from '../validation/parse-xml.ts';
import { isXmlType } from '../validation/xml-shape.ts';
import {
  type DeclaredResponse,
  exampleHeaders,
  findResponse,
  listContents,
  type NamedExample,
  responseKeys,
} from './declared-response.ts';
import { type FaultShape, findFaultShape } from './fault-members.ts';
import { fillFaultBody } from './fill-fault-body.ts';

interface RejectionContext {
  readonly document: ContractDocument;
  readonly compile: (schema: unknown) => Validate;
  /** Pointer of the operation, if the request reached one. */
  readonly pointer: string | undefined;
  readonly requestId: string;
  /** Of the request. */
  readonly accept?: string | undefined;
  /** Whether examples may be sent as facts, as in a mock. Otherwise only members that a schema requires are taken from examples. */
  readonly fillsFromExamples: boolean;
  /** Makes a value of a schema, for a response or a required header without an example; only in a mock. Undefined if none can be made. */
  readonly makeBody?: ((schema: unknown) => unknown) | undefined;
}

/**
 * Answers a rejection as the contract declares it: with the response of the operation (or of `x-unrouted`) and the best documented
 * example. Text, code, details and request id replace its members that are marked `x-fault`, or that have usual names. Its media type is
 * JSON, or XML where the request accepts only that or the contract declares no JSON.
 *
 * In a mock, a body is made of the schema if it accepts none of these. A text is the message. If the contract declares no such response, or
 * nothing else is left, the answer is problem details (RFC 9457).
 */
export function declaredRejection(context: RejectionContext, rejection: Rejection): Answer | UndeclaredAnswer {
  const { document, compile, requestId } = context;
  const { statuses, words } = rejectionKinds[rejection.kind];
  const wanted = rejection.status === undefined ? statuses : [rejection.status, ...statuses];
  const declared = findDeclared(context, wanted, rejection.kind === 'form');
  const response = declared?.node ?? {};
  const content = chooseContent(document, response, context.accept);
  const shape = findFaultShape(document, content?.schema);
  const picked = pickExample(content?.examples ?? [], shape, words);
  const { isMatch } = picked;
  const status = declared?.status ?? wanted[0] ?? 500;
  const isProblem = content !== undefined && isProblemType(content.mediaType);
  const example = isProblem && !isMatch ? nameProblem(picked.example, status) : picked.example;
  const named = isMatch
    ? undefined
    : (declaredCode(response, words) ?? (picked.example === undefined ? words[0] : undefined));
  const validate = content && compile(content.schema ?? true);
  // If the codes of a contract are numbers as text, the status is one.
  const fill = (from: NamedExample | undefined): unknown =>
    [named, String(status)]
      .map((code) =>
        validate === undefined
          ? undefined
          : fillFaultBody(shape, from, validate, !context.fillsFromExamples, {
              text: rejection.message,
              details: rejection.details.length > 0 ? rejection.details : undefined,
              code,
              status,
              'request-id': requestId,
            }),
      )
      .find((filled) => filled !== undefined);
  const make = (): unknown => {
    if (content === undefined || validate === undefined || context.makeBody === undefined) return undefined;
    const written = picked.example?.value;
    if (written !== undefined && validate(written) === undefined) return written;
    const value = context.makeBody(content.schema ?? true);
    return value === undefined ? undefined : (fill({ name: '', value }) ?? value);
  };
  const isTextValid = content?.isText === true && validate?.(rejection.message) === undefined;
  const body = content?.isText ? (isTextValid ? rejection.message : undefined) : (fill(example) ?? make());
  const challenge = rejection.challenge === undefined ? {} : { 'WWW-Authenticate': rejection.challenge };
  const examples = exampleHeaders(document, response, example?.name, !context.fillsFromExamples, context.makeBody);
  // Only in a mock, the challenge of the example is better than ours: there it belongs to the example of the body.
  const specific = { ...challenge, ...rejection.headers };
  const headers = { ...challenge, ...examples, ...(context.fillsFromExamples ? rejection.headers : specific) };
  const isDeclared = Object.keys(specific).every((name) => declaresHeader(document, response, name));
  if (content === undefined || body === undefined)
    return { status, headers, ...describeProblem(rejection, status, requestId), rejection, isUndeclared: true };
  const { mediaType } = content;
  const isGiven = JSON.stringify(body).includes(JSON.stringify(rejection.message).slice(1, -1));
  const reason = context.fillsFromExamples && !isGiven ? reasonHeader(rejection) : {};
  const answer = { status, headers: { ...headers, ...reason }, mediaType, body, rejection };
  return isDeclared ? answer : { ...answer, isUndeclared: true };
}

interface RejectionContent {
  readonly mediaType: string;
  readonly schema: unknown;
  /** Of XML as values. */
  readonly examples: readonly NamedExample[];
  readonly isText: boolean;
}

/** JSON, XML where a client accepts no JSON or the contract has none, plain text, or a range of media types with JSON among them. */
function chooseContent(
  document: ContractDocument,
  response: JsonObject,
  accept: string | undefined,
): RejectionContent | undefined {
  const contents = listContents(document, response);
  const find = (fits: (mediaType: string) => boolean) => contents.find(({ mediaType }) => fits(mediaType));
  const [json, xml] = [find(isJsonType), find(isXmlType)];
  const text = find((mediaType) => /^text\/plain\b/i.test(mediaType));
  const range = find((mediaType) => /^(?:\*|application)\/\*(?:;|$)/.test(mediaType));
  const isXmlWanted = xml !== undefined && prefersOther(accept, [xml.mediaType]);
  const chosen = isXmlWanted ? xml : (json ?? xml ?? text ?? range);
  if (chosen === undefined) return undefined;
  const { mediaType, schema, examples } = chosen;
  return {
    mediaType: chosen === range ? 'application/json' : mediaType,
    schema,
    examples:
      chosen === xml
        ? examples.map(({ name, value }) => ({ name, value: readXml(document, schema, value) }))
        : examples,
    isText: chosen === text,
  };
}

/** Characters of a reason in a header: servers and proxies limit all headers of an answer together. */
const longestReason = 500;

/**
 * The header of a mock with the reason of a rejection whose body has no place for it. Other characters than those of ASCII are written as in
 * JSON, since a header cannot contain them (RFC 9110, 5.5).
 */
export function reasonHeader({ message }: Rejection): Readonly<Record<string, string>> {
  const text = message
    .slice(0, longestReason)
    .replaceAll(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return { 'X-Rejection': text.trim() };
}

function declaresHeader(document: ContractDocument, response: JsonObject, name: string): boolean {
  const declared = Object.keys(followMember(document, response, 'headers'));
  return declared.some((known) => known.toLowerCase() === name.toLowerCase());
}

/** Descriptions of answers to a faulty request: a petstore has `405: Invalid input`. */
const formText =
  /invalid[\s_-]?(?:input|request|body|data|param|argument|payload)|validation|unprocessable|bad[\s_-]?request|malformed/i;

/** Statuses that mean something else, also if their description has such words. */
const misleading: ReadonlySet<number> = new Set([401, 402, 403, 404, 407, 409, 410, 412, 429]);

/** Descriptions of answers about the client: `498: Invalid token`, `440: Login Time-out`. */
const clientText = /token|session|log-?in|expire|\brate|limit|throttl/i;

/** The only documented 4xx that can mean a faulty request: its description states it, or HTTP gives the status no meaning. */
function findFormStatus(document: ContractDocument, pointer: string, keys: ReadonlySet<string>): number | undefined {
  const textOf = (status: number): string => String(findResponse(document, pointer, status)?.node.description);
  const statuses = [...keys]
    .filter((key) => /^4\d\d$/.test(key))
    .map(Number)
    .filter((status) => !misleading.has(status) && !clientText.test(textOf(status)));
  const described = statuses.filter((status) => formText.test(textOf(status)));
  const [only, ...others] =
    described.length > 0 ? described : statuses.filter((status) => STATUS_CODES[status] === undefined);
  return others.length === 0 ? only : undefined;
}

/** The first status that is declared, exactly or by its range; else that of a faulty request; else the first of all, for `default`. */
function findDeclared(
  { document, pointer }: RejectionContext,
  statuses: readonly number[],
  isFaulty: boolean,
): DeclaredResponse | undefined {
  if (pointer === undefined) {
    const unrouted = followMember(document, document, 'x-unrouted');
    const status = statuses.find((candidate) => Object.hasOwn(unrouted, String(candidate)));
    return status === undefined ? undefined : { status, node: followRef(document, unrouted[String(status)]) };
  }
  const keys = new Set(responseKeys(document, pointer));
  const isDeclared = (status: number): boolean => keys.has(String(status)) || keys.has(`${String(status).charAt(0)}XX`);
  const own = (): number | undefined =>
    isFaulty && !keys.has('default') ? findFormStatus(document, pointer, keys) : undefined;
  const status = statuses.find(isDeclared) ?? own() ?? statuses[0];
  return status === undefined ? undefined : findResponse(document, pointer, status);
}

/** The example whose name or code contains the first matching word; by default the first example. */
function pickExample(
  examples: readonly NamedExample[],
  { members, read }: FaultShape,
  words: readonly string[],
): { example: NamedExample | undefined; isMatch: boolean } {
  const codes = members.filter(({ role }) => role === 'code');
  const says = ({ name, value }: NamedExample): string => {
    const part = read(value);
    return [name, ...codes.map((code) => (isObject(part) ? String(part[code.name]) : ''))].join(' ').toLowerCase();
  };
  for (const word of words) {
    const example = examples.find((candidate) => says(candidate).includes(word));
    if (example !== undefined) return { example, isMatch: true };
  }
  return { example: examples[0], isMatch: false };
}

function declaredCode(response: JsonObject, words: readonly string[]): string | undefined {
  const codes = (Array.isArray(response['x-error-codes']) ? response['x-error-codes'] : []).map(String);
  return words.map((word) => codes.find((code) => code.includes(word))).find((code) => code !== undefined);
}

/** RFC 9457, 4.1: type and title of an example for another problem would name that problem. */
function nameProblem(example: NamedExample | undefined, status: number): NamedExample {
  const others = isObject(example?.value) ? example.value : {};
  return { name: example?.name ?? '', value: { ...others, type: 'about:blank', title: phraseOf(status) } };
}

function isProblemType(mediaType: string): boolean {
  return /^application\/problem\+json\b/i.test(mediaType);
}

function phraseOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}

/** RFC 9457, 3.1: `about:blank` adds nothing to the status, so `title` is the phrase of the status; `errors` follows section 3.2. */
function describeProblem(
  { message, details }: Rejection,
  status: number,
  requestId: string,
): Pick<Answer, 'mediaType' | 'body'> {
  return {
    mediaType: 'application/problem+json',
    body: {
      type: 'about:blank',
      title: phraseOf(status),
      status,
      detail: message,
      ...(details.length > 0 ? { errors: details } : {}),
      requestId,
    },
  };
}
