import type { Operation } from '@lockstep/contract/operations';
import {
  type ContractDocument,
  followMember,
  followRef,
  isObject,
  type JsonObject,
  readPointer,
} from '@lockstep/json/json-pointer';
import { coerceText } from '@lockstep/runtime/form/coerce-text';
import type { Validate } from '@lockstep/runtime/form/compile-schema';
import type { Exchange } from './exchange.ts';
import type { Outgoing } from './write-response.ts';

/** An answer that its contract doesn't have. */
export interface ResponseFault {
  /** Where in the contract, or in the body. */
  readonly pointer: string;
  /** Without any value of the answer: it goes into a log. */
  readonly reason: string;
}

export type CheckResponse = (
  exchange: Pick<Exchange, 'operation' | 'mount'>,
  outgoing: Outgoing,
) => ResponseFault | undefined;

export interface ResponseTools {
  readonly document: ContractDocument;
  readonly compile: (schema: unknown) => Validate;
  /** Compiles the schema of a body so that only described members pass. */
  readonly compileBody: (schema: unknown) => Validate;
}

interface DeclaredHeader {
  readonly name: string;
  readonly required: boolean;
  readonly schema: unknown;
  readonly validate: Validate;
}

interface DeclaredResponse {
  readonly pointer: string;
  readonly headers: readonly DeclaredHeader[];
  readonly contents: ReadonlyMap<string, Validate>;
  /** Undefined where the contract names none. */
  readonly codes: readonly string[] | undefined;
}

/** What an operation that nobody has written yet answers. No contract declares it, and only here it is let through. */
const notImplemented = 501;

/** Headers of this layer and of HTTP itself, which no contract declares one by one. */
const undeclaredHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'x-request-id',
  'api-version',
  'cache-control',
]);

/**
 * Makes the check of all answers, before they leave: the status is declared, each declared header is there and valid and no
 * other is, the body is valid and has no member that the contract doesn't describe, and its code is one of this response.
 *
 * @throws Error for a response whose schema doesn't compile
 */
export function createResponseCheck(tools: ResponseTools, operations: readonly Operation[]): CheckResponse {
  const declared = new Map(operations.map(({ pointer }) => [pointer, readResponses(tools, `${pointer}/responses`)]));
  const unrouted = readResponses(tools, '#/x-unrouted');
  return ({ operation, mount }, outgoing) => {
    if (outgoing.status === notImplemented || mount !== undefined) return undefined;
    const responses = operation === undefined ? unrouted : declared.get(operation.pointer);
    const response = responses?.get(String(outgoing.status));
    if (response !== undefined) return checkHeaders(tools, response, outgoing) ?? checkBody(response, outgoing);
    // Outside all operations the contract speaks of refusals alone, not of OPTIONS.
    if (operation === undefined && outgoing.status < 400) return undefined;
    return {
      pointer: `${operation?.pointer ?? '#/x-unrouted'}/responses`,
      reason: `${outgoing.status} is not declared`,
    };
  };
}

function checkHeaders(
  { document }: ResponseTools,
  { pointer, headers }: DeclaredResponse,
  outgoing: Outgoing,
): ResponseFault | undefined {
  const sent = new Map(Object.entries(outgoing.headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const { name, required, schema, validate } of headers) {
    const value = sent.get(name.toLowerCase());
    if (value === undefined && required) return { pointer: `${pointer}/headers/${name}`, reason: 'is missing' };
    const [error] = (value === undefined ? undefined : validate(coerceText(document, schema, value))) ?? [];
    if (error !== undefined) return { pointer: `${pointer}/headers/${name}`, reason: error.message ?? 'is not valid' };
    sent.delete(name.toLowerCase());
  }
  const extra = [...sent.keys()].find((name) => !undeclaredHeaders.has(name));
  return extra === undefined ? undefined : { pointer: `${pointer}/headers`, reason: `${extra} is not declared` };
}

function checkBody(
  { pointer, contents, codes }: DeclaredResponse,
  { headers, text }: Outgoing,
): ResponseFault | undefined {
  if (text === undefined)
    return contents.size === 0 ? undefined : { pointer: `${pointer}/content`, reason: 'the body is missing' };
  const validate = contents.get(headers['Content-Type'] ?? '');
  if (validate === undefined)
    return { pointer: `${pointer}/content`, reason: `${headers['Content-Type']} is not declared` };
  // What is judged is the text that leaves, not the value it was made of: JSON drops what is undefined.
  const body: unknown = JSON.parse(text);
  const error = validate(body)?.at(-1);
  if (error !== undefined) {
    const member = error.params.unevaluatedProperty ?? error.params.missingProperty;
    const reason = `${error.message ?? 'is not valid'}${member === undefined ? '' : `: ${String(member)}`}`;
    return { pointer: `body ${error.instancePath}`, reason };
  }
  const code = isObject(body) ? body.code : undefined;
  if (codes === undefined || (typeof code === 'string' && codes.includes(code))) return undefined;
  return { pointer: `${pointer}/x-error-codes`, reason: `the code ${String(code)} is not declared` };
}

function readResponses(tools: ResponseTools, pointer: string): Map<string, DeclaredResponse> {
  const responses = readPointer(tools.document, pointer);
  return new Map(
    Object.entries(isObject(responses) ? responses : {}).map(([status, node]) => [
      status,
      readResponse(tools, `${pointer}/${status}`, followRef(tools.document, node)),
    ]),
  );
}

function readResponse(tools: ResponseTools, pointer: string, node: JsonObject): DeclaredResponse {
  const { document, compile, compileBody } = tools;
  const headers = Object.entries(followMember(document, node, 'headers')).map(([name, declared]): DeclaredHeader => {
    const { schema, required } = followRef(document, declared);
    return { name, required: required === true, schema, validate: compile(schema) };
  });
  const contents = Object.entries(followMember(document, node, 'content')).map(
    ([mediaType, content]): [string, Validate] => [mediaType, compileBody(followRef(document, content).schema)],
  );
  const codes = Array.isArray(node['x-error-codes']) ? node['x-error-codes'].map(String) : undefined;
  return { pointer, headers, contents: new Map(contents), codes };
}
