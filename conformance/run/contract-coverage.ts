// Records which parts of the contract a run has tested, from its exchanges alone.
import { contentOf, declaredAnswerOf, hasContent } from '../checks/answered.ts';
import {
  type Contract,
  contentFor,
  isJson,
  type Operation,
  type Parameter,
  type ResponseObject,
  type SecurityScheme,
} from '../contract/contract.ts';
import { memberOf, type Pointer } from '../contract/document.ts';
import { decodeText } from '../data/decode-text.ts';
import { headerOf, isAccepted, type NumberedExchange, type OutgoingRequest } from '../execute/exchange.ts';
import type { Judge } from '../schema/create-judge.ts';
import { createKeywordCoverage, type Holder, type KeywordState } from '../schema/keyword-coverage.ts';
import { type Coverage, measureCoverage, type Statistics } from './statistics.ts';

/** How much of the contract a run has tested. */
export interface ContractCoverage extends Coverage {
  readonly parts: readonly PartCoverage[];
  readonly requestKeywords: readonly RequestKeyword[];
  readonly responseKeywords: readonly ResponseKeyword[];
}

const kinds = ['parameters', 'media types', 'security schemes', 'scopes'] as const;

/** The parts of one kind. They are covered by an accepted request that had or needed them, or by an answer of the media type. */
export interface PartCoverage {
  readonly kind: (typeof kinds)[number];
  readonly all: number;
  readonly covered: number;
  readonly uncovered: readonly { readonly name: string; readonly reason: Reason }[];
}

interface Keyword {
  /** Location of the keyword; `required` of a parameter, body or header is one too. */
  readonly pointer: Pointer;
  readonly keyword: string;
  readonly line: number;
  /** Why no valid value was seen at this place; undefined if one was. */
  readonly reason?: Reason;
}

export interface RequestKeyword extends Keyword {
  /** Whether an accepted valid request had a value at this place. */
  readonly valid: boolean;
  /** Whether an invalid request that breaks this keyword alone was answered. */
  readonly invalid: boolean;
}

export interface ResponseKeyword extends Keyword {
  /** Whether an answer had a value at this place. */
  readonly seen: boolean;
}

const reasons = {
  unreached: 'only in operations that were never accepted',
  unsent: 'not in any accepted request',
  unanswered: 'only in responses that were not seen',
  unseen: 'not in any answer',
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

/** Reasons that follow from larger parts, which a report names by themselves. */
export const impliedReasons: ReadonlySet<Reason> = new Set([reasons.unreached, reasons.unanswered]);

/** Watches exchanges; sends nothing and changes no verdict. */
export function watchCoverage(contract: Contract, judge: Judge) {
  const { operations, lineOf, schemes } = contract;
  const requests = createKeywordCoverage(contract, judge, 'request', operations.flatMap(holdersOf));
  const headers = operations.flatMap(({ responses }) => responses.flatMap((response) => response.headers));
  const answers = createKeywordCoverage(contract, judge, 'response', headers);
  const covered = new Set<string>();
  const responsesSeen = new Set<ResponseObject>();

  /** The first valid value that a text of a header or cookie may stand for. */
  const read = (schema: Pointer | undefined, direction: 'request' | 'response', text: string, explode: boolean) =>
    schema === undefined
      ? text
      : decodeText(judge.forms[direction], schema, text, explode).find((value) =>
          judge.accepts(schema, direction, value),
        );

  const onValid = ({ operation, request, seen }: NumberedExchange): void => {
    for (const parameter of operation.parameters) {
      const { pointer, schema, explode } = parameter;
      const text = parameter.in === 'cookie' ? cookieOf(request, parameter.name) : undefined;
      const value = text ?? sentValueOf(parameter, seen);
      if (value === undefined) continue;
      covered.add(nameOf.parameter(operation, parameter));
      if (isDeclared(operation, parameter))
        requests.meet(pointer, () => (text === undefined ? value : read(schema, 'request', text, explode)));
    }
    const content = contentFor(operation.body?.contents ?? [], headerOf(request, 'content-type') ?? '');
    if (operation.body !== undefined && content !== undefined) {
      covered.add(nameOf.sent(operation, content.mediaType));
      requests.meet(operation.body.pointer, () => undefined);
      if (content.schema !== undefined) requests.meet(content.schema, () => seen.requestBody);
    }
    const used = operation.security.find((alternative) =>
      Object.keys(alternative).every((name) => hasCredential(request, schemes[name])),
    );
    for (const [scheme, scopes] of Object.entries(used ?? {}))
      for (const name of [scheme, ...scopes.map((scope) => nameOf.scope(scheme, scope))]) covered.add(name);
  };

  const onAnswer = (exchange: NumberedExchange): void => {
    const { answer, response } = declaredAnswerOf(exchange) ?? {};
    if (answer === undefined || response === undefined) return;
    responsesSeen.add(response);
    for (const { name, pointer, schema, explode } of response.headers) {
      const text = headerOf(answer, name);
      if (text !== undefined) answers.meet(pointer, () => read(schema, 'response', text, explode));
    }
    const sent = headerOf(answer, 'content-type');
    const content = sent === undefined ? undefined : contentFor(response.contents, sent);
    if (sent === undefined || content === undefined || !hasContent(exchange) || answer.body.length === 0) return;
    covered.add(nameOf.received(exchange.operation, response, content.mediaType));
    const { schema } = content;
    if (schema === undefined || answer.isCut === true) return;
    answers.meet(schema, () => {
      const body = contentOf(exchange, sent);
      if (body.kind !== 'value') return undefined;
      // A text of another type stands for values that the runner can't parse, unless it is valid by itself.
      return isJson(sent) || judge.accepts(schema, 'response', body.value) ? body.value : undefined;
    });
  };

  return {
    onExchange: (exchange: NumberedExchange): void => {
      const { polarity, place } = exchange.intent;
      if (polarity === 'valid' && isAccepted(exchange)) onValid(exchange);
      if (polarity === 'invalid' && place !== undefined && exchange.outcome.kind === 'answer' && !exchange.isPause)
        requests.breakAt(place.pointer, place.keyword);
      onAnswer(exchange);
    },
    /** Number of parts, responses and keywords that are covered. */
    count: (): number => covered.size + responsesSeen.size + requests.count() + answers.count(),
    measure: (selected: readonly Operation[], statistics: Statistics): ContractCoverage => {
      const [reached, unreached] = split(selected, (operation) => statistics.of(operation).isAccepted);
      const responses = selected.flatMap((operation) => operation.responses);
      const [seen, unseen] = split(responses, (response) => responsesSeen.has(response));
      const known = { request: new Set<unknown>(), response: new Set<unknown>() };
      const ofRequests = (part: readonly Operation[], reason: Reason) =>
        requests.list(part.flatMap(placesOfRequest), known.request).map((state): RequestKeyword => {
          const { isMet: valid, isBroken: invalid } = state;
          return withLine(state, lineOf, { valid, invalid, ...(valid ? {} : { reason }) });
        });
      const ofResponses = (part: readonly ResponseObject[], reason: Reason) =>
        answers.list(part.flatMap(placesOfResponse), known.response).map((state): ResponseKeyword => {
          const { isMet: seen } = state;
          return withLine(state, lineOf, { seen, ...(seen ? {} : { reason }) });
        });
      return {
        ...measureCoverage(selected, statistics),
        parts: countParts(
          selected.flatMap((operation) =>
            expectedOf(operation, statistics.of(operation).isAccepted, (response) => responsesSeen.has(response)),
          ),
          covered,
        ),
        requestKeywords: [...ofRequests(reached, reasons.unsent), ...ofRequests(unreached, reasons.unreached)],
        responseKeywords: [...ofResponses(seen, reasons.unseen), ...ofResponses(unseen, reasons.unanswered)],
      };
    },
  };
}

/** The figures of a coverage, in two lines. */
export function describeCoverage({ parts, requestKeywords, responseKeywords }: ContractCoverage): readonly string[] {
  const valid = requestKeywords.filter((keyword) => keyword.valid).length;
  const invalid = requestKeywords.filter((keyword) => keyword.invalid).length;
  const seen = responseKeywords.filter((keyword) => keyword.seen).length;
  const [sent, answered] = [requestKeywords.length, responseKeywords.length];
  return [
    ...(parts.length === 0 ? [] : [parts.map(({ kind, covered, all }) => `${kind} ${covered} of ${all}`).join(', ')]),
    `keywords of requests: ${valid} of ${sent} by valid values, ${invalid} by invalid ones; keywords of responses: ${seen} of ${answered}`,
  ];
}

/** Names of parts, as reports show them. */
const nameOf = {
  parameter: ({ id }: Operation, { in: where, name }: Parameter) => `${id} ${where} ${name}`,
  sent: ({ id }: Operation, mediaType: string) => `${id} ${mediaType}`,
  received: ({ id }: Operation, { status }: ResponseObject, mediaType: string) => `${id} ${status} ${mediaType}`,
  scope: (scheme: string, scope: string) => `${scheme} ${scope}`,
} as const;

/** A part that a run should cover, with the reason why it may not. */
interface Expected {
  readonly kind: PartCoverage['kind'];
  readonly name: string;
  readonly reason: Reason;
}

function expectedOf(
  operation: Operation,
  isReached: boolean,
  isSeen: (response: ResponseObject) => boolean,
): Expected[] {
  const { parameters, body, responses, security } = operation;
  const reason = isReached ? reasons.unsent : reasons.unreached;
  const needed = security.flatMap(Object.entries<readonly string[]>);
  return [
    ...parameters.map((parameter): Expected => {
      return { kind: 'parameters', name: nameOf.parameter(operation, parameter), reason };
    }),
    ...(body?.contents ?? []).map(({ mediaType }): Expected => {
      return { kind: 'media types', name: nameOf.sent(operation, mediaType), reason };
    }),
    ...responses.flatMap((response) =>
      response.contents.map(({ mediaType }): Expected => {
        const name = nameOf.received(operation, response, mediaType);
        return { kind: 'media types', name, reason: isSeen(response) ? reasons.unseen : reasons.unanswered };
      }),
    ),
    ...needed.map(([name]): Expected => ({ kind: 'security schemes', name, reason })),
    ...needed.flatMap(([scheme, scopes]) =>
      scopes.map((scope): Expected => ({ kind: 'scopes', name: nameOf.scope(scheme, scope), reason })),
    ),
  ];
}

/** Counts each name once. If several operations have a part, one that was accepted decides the reason. */
function countParts(expected: readonly Expected[], covered: ReadonlySet<string>): PartCoverage[] {
  const byKind = Map.groupBy(expected, ({ kind }) => kind);
  return kinds.flatMap((kind): PartCoverage[] => {
    const own = byKind.get(kind) ?? [];
    const byName = new Map(own.map(({ name, reason }) => [name, reason]));
    for (const { name, reason } of own) if (reason !== reasons.unreached) byName.set(name, reason);
    const uncovered = [...byName].flatMap(([name, reason]) => (covered.has(name) ? [] : [{ name, reason }]));
    return own.length === 0 ? [] : [{ kind, all: byName.size, covered: byName.size - uncovered.length, uncovered }];
  });
}

/** The contract must declare a parameter to describe it: one that only its path names has no place. */
function isDeclared({ pointer }: Operation, parameter: Parameter): boolean {
  return parameter.pointer !== pointer;
}

/** The parameters and the body. No request can leave out a parameter of its path. */
function holdersOf(operation: Operation): readonly Holder[] {
  const { parameters, body } = operation;
  const declared = parameters.filter((parameter) => isDeclared(operation, parameter));
  return [
    ...declared.map(({ pointer, in: where, required, schema }) => {
      return { pointer, required: required && where !== 'path', schema };
    }),
    ...(body === undefined ? [] : [{ pointer: body.pointer, required: body.required }]),
  ];
}

function placesOfRequest(operation: Operation): Pointer[] {
  const schemas = (operation.body?.contents ?? []).flatMap(({ schema }) => schema ?? []);
  return [...holdersOf(operation).map(({ pointer }) => pointer), ...schemas];
}

function placesOfResponse({ headers, contents }: ResponseObject): Pointer[] {
  return [...headers.map(({ pointer }) => pointer), ...contents.flatMap(({ schema }) => schema ?? [])];
}

/** Adds the line of a keyword. It is looked up on first use, as only a report of all keywords needs it. */
function withLine<Facts>({ pointer, keyword }: KeywordState, lineOf: Contract['lineOf'], facts: Facts) {
  return {
    pointer,
    keyword,
    get line() {
      return lineOf(pointer);
    },
    ...facts,
  };
}

function sentValueOf(
  { in: where, name }: Parameter,
  { path, query, requestHeaders }: NumberedExchange['seen'],
): unknown {
  if (where === 'header') return memberOf(requestHeaders, name.toLowerCase());
  return memberOf(where === 'path' ? path : query, name);
}

function cookieOf(request: OutgoingRequest, name: string): string | undefined {
  const pairs = headerOf(request, 'cookie')?.split('; ') ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Whether a request has a credential of a scheme. A client certificate is not part of a request: it is presumed. */
export function hasCredential(request: OutgoingRequest, scheme: SecurityScheme | undefined): boolean {
  if (scheme?.key === undefined)
    return scheme?.type === 'mutualTLS' || headerOf(request, 'authorization') !== undefined;
  const { in: where, name } = scheme.key;
  if (where === 'header') return headerOf(request, name) !== undefined;
  if (where === 'cookie') return cookieOf(request, name) !== undefined;
  return new URLSearchParams(request.path.split('?')[1]).has(name);
}

function split<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  const { true: first = [], false: others = [] } = Object.groupBy(items, (item) => String(isFirst(item)));
  return [first, others];
}
