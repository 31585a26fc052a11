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
import { findFaultMembers } from './rejection/fault-members.ts';
import { closeSchemas } from './validation/close-schemas.ts';
import { type Coerce, createCoercion } from './validation/coerce-text.ts';
import { createSchemaCompiler, type Validate } from './validation/compile-schema.ts';
import { readDirection } from './validation/one-direction.ts';
import { isJsonType } from './validation/parse-body.ts';
import { readXml } from './validation/parse-xml.ts';
import { createParameterReader, describeValue, type ReadParameter } from './validation/read-parameters.ts';
import { isXmlType } from './validation/xml-shape.ts';

/** A deviation of an answer from its contract. */
interface ResponseFault {
  /** Location in the contract or in the body. */
  readonly pointer: string;
  /** Contains no value of the answer, since it is logged. */
  readonly reason: string;
}

/** @param operation undefined for an answer outside all operations */
export type CheckResponse = (operation: Operation | undefined, outgoing: Outgoing) => ResponseFault | undefined;

type Compile = (schema: unknown) => Validate;

/** Creates a compiler for each operation that tolerates invalid schemas. */
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
  /** Parses text into the value for its schema; lists and objects in style `simple` (OpenAPI 3.1, 4.8.21). */
  readonly read: ReadParameter;
  readonly validate: Validate;
}

interface DeclaredResponse {
  readonly pointer: string;
  readonly headers: readonly DeclaredHeader[];
  /** By media type, without its parameters. */
  readonly contents: ReadonlyMap<string, Content>;
  /** Undefined if the contract lists none. */
  readonly codes: readonly string[] | undefined;
  /** The last valid body, unless it is large. */
  lastGood?: { readonly mediaType: string | undefined; readonly content: string };
}

interface Content {
  /** Parses other text than JSON into the value for its schema. */
  readonly readText: Coerce;
  readonly validate: Validate;
  /** Members for the stable code of an error. */
  readonly codeNames: readonly string[];
}

/**
 * Headers of HTTP and of this layer, which need no declaration. A challenge is required with 401 and helps with 403 (RFC 9110, 11.6.1;
 * RFC 6750, 3), declared or not.
 */
const undeclaredHeaders = ['content-type', 'x-request-id', 'x-rejection', 'cache-control', 'www-authenticate'] as const;

/**
 * Creates the check of all answers before they are sent: the status is declared; headers are declared, present and valid; the body
 * is valid without undescribed members; its code is one of this response.
 *
 * @param isLazy whether each operation is prepared with its first answer instead of now
 * @throws Error if the schema of a response doesn't compile
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
    if (response !== undefined) {
      // RFC 9110, 9.3.2: HEAD has no content, also where a contract declares that of GET.
      const isBare = operation?.method === 'head' && outgoing.content === undefined;
      return checkHeaders(response, outgoing) ?? (isBare ? undefined : checkBody(response, outgoing));
    }
    // Outside all operations, the contract declares only rejections, no answer to OPTIONS.
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
    // The message of the fault might repeat the value.
    if (reading.kind === 'fault') return { pointer: `${pointer}/headers/${name}`, reason: 'does not have its form' };
    const [error] = (reading.kind === 'value' ? validate(reading.value) : undefined) ?? [];
    if (error !== undefined) return { pointer: `${pointer}/headers/${name}`, reason: error.message ?? 'is not valid' };
    sent.delete(name.toLowerCase());
  }
  const extra = [...sent.keys()].find((name) => !undeclaredHeaders.some((known) => known === name));
  return extra === undefined ? undefined : { pointer: `${pointer}/headers`, reason: `${extra} is not declared` };
}

/** Limit in characters: one text is kept for each response of a contract. */
const mostRemembered = 65_536;

/** Clients read the same answer again and again: a body equal to the last valid one is valid. */
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
  // Bytes of a type other than JSON can't be validated.
  if (typeof content !== 'string' && !isJsonType(mediaType)) return undefined;
  const text = typeof content === 'string' ? content : Buffer.from(content).toString();
  // The text is validated as sent: JSON.stringify has dropped undefined members of the value.
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

/** The content of a media type range of OpenAPI: `text/*`, or any. */
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

/** @param place its pointer, after its reference */
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
      const coerce = createCoercion(document, schema);
      const readText: Coerce = isXmlType(mediaType) ? (text) => readXml(document, schema, text) : coerce;
      const codeNames = codes.map(({ name }) => name);
      return [essenceOf(mediaType), { readText, validate: compileBody(schema), codeNames }];
    },
  );
  const codes = Array.isArray(node['x-error-codes']) ? node['x-error-codes'].map(String) : undefined;
  return { pointer, headers, contents: new Map(contents), codes };
}
