import {
  type ContractDocument,
  extendPointer,
  followMember,
  followRef,
  isObject,
  type JsonObject,
  readPointer,
} from '@lockstep/json/json-pointer';
import type { Outgoing } from './exchange.ts';
import type { Operation, Parameter } from './operation.ts';
import { findFaultMembers } from './refusal/fault-members.ts';
import { closeSchemas } from './validation/close-schemas.ts';
import { type Coerce, createCoercion } from './validation/coerce-text.ts';
import { createSchemaCompiler, type Validate } from './validation/compile-schema.ts';
import { readDirection } from './validation/one-direction.ts';
import { isJsonType } from './validation/parse-body.ts';
import { createParameterReader, describeValue, type ReadParameter } from './validation/read-parameters.ts';

/** An answer that its contract doesn't have. */
interface ResponseFault {
  /** Where in the contract, or in the body. */
  readonly pointer: string;
  /** Without any value of the answer: it goes into a log. */
  readonly reason: string;
}

/** @param operation undefined for an answer outside all of them */
export type CheckResponse = (operation: Operation | undefined, outgoing: Outgoing) => ResponseFault | undefined;

type Compile = (schema: unknown) => Validate;

/** Makes a compiler for each operation that takes what doesn't compile. */
type Tolerate = (compile: Compile) => (operation: Operation | undefined) => Compile;

interface ResponseTools {
  readonly document: ContractDocument;
  readonly compile: Compile;
  /** Compiles the schema of a body so that only described members pass. */
  readonly compileBody: (schema: unknown) => Validate;
}

interface DeclaredHeader {
  readonly name: string;
  readonly required: boolean;
  /** Text as the value that its schema judges, lists and objects in style `simple` among them (OpenAPI 3.1, 4.8.21). */
  readonly read: ReadParameter;
  readonly validate: Validate;
}

interface DeclaredResponse {
  readonly pointer: string;
  readonly headers: readonly DeclaredHeader[];
  /** By media type, without its parameters. */
  readonly contents: ReadonlyMap<string, Content>;
  /** Undefined where the contract names none. */
  readonly codes: readonly string[] | undefined;
  /** The last body that was good, where it is not large. */
  lastGood?: { readonly mediaType: string | undefined; readonly content: string };
}

interface Content {
  /** What is no JSON, as the value its schema judges. */
  readonly readText: Coerce;
  readonly validate: Validate;
  /** Members that carry the stable code of an error. */
  readonly codeNames: readonly string[];
}

/**
 * Headers of HTTP itself and of this layer, which no contract declares one by one. A challenge must be sent with 401 and helps with 403
 * (RFC 9110, 11.6.1; RFC 6750, 3), declared or not.
 */
const undeclaredHeaders = ['content-type', 'x-request-id', 'cache-control', 'www-authenticate'] as const;

/**
 * Makes the check of all answers, before they leave: the status is declared, each declared header is there and valid and no
 * other is, the body is valid and has no member that the contract doesn't describe, and its code is one of this response.
 *
 * @param isLazy whether nothing is prepared before an operation first answers, instead of all before this returns
 * @throws Error for a response whose schema doesn't compile
 */
export function createResponseCheck(
  contract: ContractDocument,
  operations: readonly Operation[],
  { isLazy = false, tolerate }: { readonly isLazy?: boolean; readonly tolerate?: Tolerate | undefined } = {},
): CheckResponse {
  let prepared: ((operation: Operation | undefined) => ResponseTools) | undefined;
  const known = new Map<string | undefined, ReadonlyMap<string, DeclaredResponse>>();
  const read = (operation: Operation | undefined): ReadonlyMap<string, DeclaredResponse> => {
    const found = known.get(operation?.pointer);
    if (found !== undefined) return found;
    prepared ??= prepareTools(contract, tolerate);
    const place = operation === undefined ? '#/x-unrouted' : `${operation.pointer}/responses`;
    const responses = readResponses(prepared(operation), place);
    known.set(operation?.pointer, responses);
    return responses;
  };
  if (!isLazy) for (const operation of [undefined, ...operations]) read(operation);
  return (operation, outgoing) => {
    const responses = read(operation);
    const { status } = outgoing;
    const keys = [String(status), `${String(status).charAt(0)}XX`, 'default'];
    const response = keys.map((key) => responses.get(key)).find((known) => known !== undefined);
    if (response !== undefined) return checkHeaders(response, outgoing) ?? checkBody(response, outgoing);
    // Outside all operations the contract speaks of refusals alone, not of OPTIONS.
    if (operation === undefined && status < 400) return undefined;
    return { pointer: `${operation?.pointer ?? '#/x-unrouted'}/responses`, reason: `${status} is not declared` };
  };
}

function prepareTools(contract: ContractDocument, tolerate: Tolerate | undefined) {
  const { document, close } = closeSchemas(readDirection(contract, 'response'));
  const compileAll = createSchemaCompiler(document);
  const compileFor = tolerate?.(compileAll);
  return (operation: Operation | undefined): ResponseTools => {
    const compile = compileFor?.(operation) ?? compileAll;
    return { document, compile, compileBody: (schema) => compile(close(schema)) };
  };
}

function checkHeaders({ pointer, headers }: DeclaredResponse, outgoing: Outgoing): ResponseFault | undefined {
  const sent = new Map(Object.entries(outgoing.headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const { name, required, read, validate } of headers) {
    const key = name.toLowerCase();
    const value = sent.get(key);
    if (value === undefined && required) return { pointer: `${pointer}/headers/${name}`, reason: 'is missing' };
    const reading = read(value === undefined ? [] : [{ name: key, value, broken: false }]);
    // What a fault says may repeat the value.
    if (reading.kind === 'fault') return { pointer: `${pointer}/headers/${name}`, reason: 'does not have its form' };
    const [error] = (reading.kind === 'value' ? validate(reading.value) : undefined) ?? [];
    if (error !== undefined) return { pointer: `${pointer}/headers/${name}`, reason: error.message ?? 'is not valid' };
    sent.delete(name.toLowerCase());
  }
  const extra = [...sent.keys()].find((name) => !undeclaredHeaders.some((known) => known === name));
  return extra === undefined ? undefined : { pointer: `${pointer}/headers`, reason: `${extra} is not declared` };
}

/** In characters: one text for each response of a contract. */
const mostRemembered = 65_536;

/** The verdict follows from text and type alone, and the same is read again and again: what was good a moment ago is. */
function checkBody(response: DeclaredResponse, outgoing: Outgoing): ResponseFault | undefined {
  const { mediaType, content } = outgoing;
  const { lastGood } = response;
  if (content !== undefined && content === lastGood?.content && mediaType === lastGood.mediaType) return undefined;
  const fault = judgeBody(response, outgoing);
  if (fault === undefined && typeof content === 'string' && content.length <= mostRemembered)
    response.lastGood = { mediaType, content };
  return fault;
}

function judgeBody(
  { pointer, contents, codes }: DeclaredResponse,
  { mediaType = '', content }: Outgoing,
): ResponseFault | undefined {
  if (content === undefined)
    return contents.size === 0 ? undefined : { pointer: `${pointer}/content`, reason: 'the body is missing' };
  const declared = contents.get(essenceOf(mediaType)) ?? findRange(contents, essenceOf(mediaType));
  if (declared === undefined) return { pointer: `${pointer}/content`, reason: `${mediaType} is not declared` };
  // Bytes of a type that is no JSON have no schema that could judge them.
  if (typeof content !== 'string' && !isJsonType(mediaType)) return undefined;
  const text = typeof content === 'string' ? content : Buffer.from(content).toString();
  // What is judged is the text that leaves, not the value it was made of: JSON drops what is undefined.
  const body: unknown = isJsonType(mediaType) ? JSON.parse(text) : declared.readText(text);
  const error = declared.validate(body)?.at(-1);
  if (error !== undefined) {
    const member = error.params.unevaluatedProperty ?? error.params.missingProperty;
    const reason = `${error.message ?? 'is not valid'}${member === undefined ? '' : `: ${String(member)}`}`;
    return { pointer: `body ${error.instancePath}`, reason };
  }
  if (codes === undefined) return undefined;
  const members = isObject(body) ? body : {};
  const code = declared.codeNames.map((name) => members[name]).find((value) => value !== undefined);
  if (typeof code === 'string' && codes.includes(code)) return undefined;
  return { pointer: `${pointer}/x-error-codes`, reason: `the code ${String(code)} is not declared` };
}

/** Media type ranges as OpenAPI keys them: `text/*`, any. */
function findRange(contents: ReadonlyMap<string, Content>, mediaType: string): Content | undefined {
  return contents.get(`${mediaType.split('/', 1)[0]}/*`) ?? contents.get('*/*');
}

/** A media type without its parameters. */
function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function readResponses(tools: ResponseTools, pointer: string): Map<string, DeclaredResponse> {
  const responses = readPointer(tools.document, pointer);
  return new Map(
    Object.entries(isObject(responses) ? responses : {}).map(([status, node]) => [
      status,
      readResponse(
        tools,
        `${pointer}/${status}`,
        refOf(node) ?? `${pointer}/${status}`,
        followRef(tools.document, node),
      ),
    ]),
  );
}

function refOf(node: unknown): string | undefined {
  return isObject(node) && typeof node.$ref === 'string' ? node.$ref : undefined;
}

/** @param place where it stands, its reference followed */
function readResponse(tools: ResponseTools, pointer: string, place: string, node: JsonObject): DeclaredResponse {
  const { document, compile, compileBody } = tools;
  const headers = Object.entries(followMember(document, node, 'headers')).map(([name, declared]): DeclaredHeader => {
    const header = followRef(document, declared);
    const schema = `${refOf(declared) ?? extendPointer(place, 'headers', name)}/schema`;
    const parameter: Parameter = {
      name,
      in: 'header',
      required: header.required === true,
      style: 'simple',
      explode: header.explode === true,
      allowEmptyValue: false,
      schema,
    };
    const form = describeValue(document, parameter);
    const read = createParameterReader(document, parameter);
    return { name, required: parameter.required, read, validate: compile(form.schema) };
  });
  const contents = Object.entries(followMember(document, node, 'content')).map(
    ([mediaType, media]): [string, Content] => {
      const { schema } = followRef(document, media);
      const codes = findFaultMembers(document, schema).filter(({ role }) => role === 'code');
      const readText = createCoercion(document, schema);
      const codeNames = codes.map(({ name }) => name);
      return [essenceOf(mediaType), { readText, validate: compileBody(schema), codeNames }];
    },
  );
  const codes = Array.isArray(node['x-error-codes']) ? node['x-error-codes'].map(String) : undefined;
  return { pointer, headers, contents: new Map(contents), codes };
}
