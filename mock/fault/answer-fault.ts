import { type ContractDocument, followMember, followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { Validate } from '@lockstep/runtime/form/compile-schema';
import { isJsonType } from '@lockstep/runtime/form/parse-body';
import { type Answer, serializeBody } from '../answer.ts';
import {
  type DeclaredResponse,
  exampleHeaders,
  findResponse,
  listContents,
  type NamedExample,
  responseKeys,
} from '../contract/declared-response.ts';
import type { Fault } from './fault.ts';
import { type FaultMember, findFaultMembers } from './fault-members.ts';
import { fillFaultBody } from './fill-fault-body.ts';

export interface FaultContext {
  readonly document: ContractDocument;
  readonly compile: (schema: unknown) => Validate;
  /** Pointer of the operation, where the request reached one. */
  readonly pointer: string | undefined;
  readonly requestId: string;
}

/**
 * Answers a fault as the contract declares it: the response of the operation (or of `x-unrouted`), the documented
 * example that fits best, and in it our own text, code, details and request id at the members marked `x-fault`.
 *
 * A status the contract declares nowhere, or without a JSON body, is answered with a plain `{message}`.
 */
export function answerFault(context: FaultContext, fault: Fault): Answer {
  const { document, compile, requestId } = context;
  const declared = findDeclared(context, fault.statuses);
  const response = declared?.node ?? {};
  const content = listContents(document, response).find(({ mediaType }) => isJsonType(mediaType));
  const members = findFaultMembers(document, content?.schema);
  const { example, isMatch } = pickExample(content?.examples ?? [], members, fault.hints);
  const values = {
    text: fault.message,
    details: fault.details.length > 0 ? fault.details : undefined,
    code: isMatch ? undefined : declaredCode(response, fault.hints),
    'request-id': requestId,
  };
  const body = fillFaultBody(members, example, values, compile(content?.schema ?? true)) ?? { message: fault.message };
  const mediaType = content?.mediaType ?? 'application/json';
  return {
    status: declared?.status ?? fault.statuses[0] ?? 500,
    headers: [
      ...(fault.challenge === undefined ? [] : [['WWW-Authenticate', fault.challenge] as const]),
      ...Object.entries(exampleHeaders(document, response, example?.name)),
      ...Object.entries(fault.headers),
      ['X-Request-Id', requestId],
      ['Content-Type', mediaType],
    ],
    body: serializeBody(body, mediaType),
  };
}

/** The first status that is declared, exactly or by its range; else `default` takes the first of all. */
function findDeclared({ document, pointer }: FaultContext, statuses: readonly number[]): DeclaredResponse | undefined {
  if (pointer === undefined) {
    const unrouted = followMember(document, document, 'x-unrouted');
    const status = statuses.find((candidate) => Object.hasOwn(unrouted, String(candidate)));
    return status === undefined ? undefined : { status, node: followRef(document, unrouted[String(status)]) };
  }
  const keys = new Set(responseKeys(document, pointer));
  const isDeclared = (status: number): boolean => keys.has(String(status)) || keys.has(`${String(status).charAt(0)}XX`);
  const status = statuses.find(isDeclared) ?? statuses[0];
  return status === undefined ? undefined : findResponse(document, pointer, status);
}

/** The first hint that the name or code of an example holds decides; without one the first example is the pattern. */
function pickExample(
  examples: readonly NamedExample[],
  members: readonly FaultMember[],
  hints: readonly string[],
): { example: NamedExample | undefined; isMatch: boolean } {
  const codes = members.filter(({ role }) => role === 'code');
  const says = ({ name, value }: NamedExample): string =>
    [name, ...codes.map((code) => (isObject(value) ? String(value[code.name]) : ''))].join(' ').toLowerCase();
  for (const hint of hints) {
    const example = examples.find((candidate) => says(candidate).includes(hint));
    if (example !== undefined) return { example, isMatch: true };
  }
  return { example: examples[0], isMatch: false };
}

function declaredCode(response: JsonObject, hints: readonly string[]): string | undefined {
  const codes = (Array.isArray(response['x-error-codes']) ? response['x-error-codes'] : []).map(String);
  return hints.map((hint) => codes.find((code) => code.includes(hint))).find((code) => code !== undefined);
}
