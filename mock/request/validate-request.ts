import type { IncomingMessage } from 'node:http';
import type { Validate } from '../contract/compile-schema.ts';
import type { Operation, Parameter } from '../contract/operation.ts';
import { type ContractDocument, readPointer } from '../contract/read-pointer.ts';
import { describeFault } from '../fault/describe-fault.ts';
import { type Detail, Fault, faultStatuses, formHints } from '../fault/fault.ts';
import { cut, describeUnknown } from '../fault/sentence.ts';
import { checkByValue } from './check-by-value.ts';
import { parseBody } from './parse-body.ts';
import type { Pair } from './parse-url-encoded.ts';
import type { ReceivedBody } from './read-body.ts';
import { cookiePairs, ownsName, pathPairs, readParameter } from './read-parameters.ts';

export interface RequestParts {
  readonly request: IncomingMessage;
  readonly rawPathValues: ReadonlyMap<string, string>;
  /** The query without names that steer the mock itself. */
  readonly query: readonly Pair[];
  readonly body: ReceivedBody | undefined;
}

export type ValidateRequest = (operation: Operation, parts: RequestParts) => void;

type PlaceFault = Detail & { readonly status?: number | undefined };

interface Tools {
  readonly document: ContractDocument;
  readonly compile: (schema: unknown) => Validate;
  /** Query names of API keys, known besides an operation's parameters. */
  readonly keyNames: readonly string[];
}

/** Headers that OpenAPI takes out of parameters: they are described elsewhere (3.1, Parameter Object). */
const ignoredHeaders = new Set(['accept', 'authorization', 'content-type']);

/**
 * Judges the form of a request against the contract: path, then query, headers and cookies, then body. The first
 * fault of each place is told; the first of all gives the status.
 */
export function createRequestValidator(tools: Tools): ValidateRequest {
  return (operation, parts) => {
    const faults = [checkPath, checkQuery, checkHeaders, checkBody].flatMap(
      (check) => check(tools, operation, parts) ?? [],
    );
    const [first] = faults;
    if (first === undefined) return;
    throw new Fault({
      statuses: first.status === undefined ? faultStatuses.form : [first.status, ...faultStatuses.form],
      says: first.says,
      hints: formHints,
      details: faults.map(({ status: _, ...detail }) => detail),
    });
  };
}

function checkPath(tools: Tools, operation: Operation, { rawPathValues }: RequestParts): PlaceFault | undefined {
  return checkParameters(tools, operation, 'path', pathPairs(rawPathValues));
}

function checkQuery(tools: Tools, operation: Operation, { query }: RequestParts): PlaceFault | undefined {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
  const known = [...parameters.map(({ name }) => name), ...tools.keyNames];
  const unknown = query.find(
    ({ name }) => !known.includes(name) && !parameters.some((parameter) => ownsName(parameter, name)),
  );
  if (unknown === undefined) return checkParameters(tools, operation, 'query', query);
  return {
    in: 'query',
    at: unknown.name,
    ...describeUnknown(`query parameter ${cut(unknown.name)}`, unknown.name, known),
  };
}

function checkHeaders(tools: Tools, operation: Operation, { request }: RequestParts): PlaceFault | undefined {
  const pairs = Object.entries(request.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value) => ({ name, value, broken: false })),
  );
  return (
    checkParameters(tools, operation, 'header', pairs) ??
    checkParameters(tools, operation, 'cookie', cookiePairs(request.headers.cookie))
  );
}

function checkBody(tools: Tools, operation: Operation, { body }: RequestParts): PlaceFault | undefined {
  const declared = operation.requestBody;
  if (declared === null) return undefined;
  const types = Object.keys(declared.content).join(' or ');
  const missing = `a body is required: send ${types}`;
  if (body === undefined) return declared.required ? { in: 'body', at: '', says: missing, nearest: [] } : undefined;
  const pointer = declared.content[body.declaredType] ?? '#';
  if (body.bytes.length === 0 && declared.required) return { in: 'body', at: '', says: missing, nearest: [] };
  const parsed = parseBody(tools.document, body, readPointer(tools.document, pointer));
  if (parsed.kind === 'opaque') return undefined;
  if (parsed.kind === 'fault') return { in: 'body', at: parsed.at, says: parsed.says, nearest: [] };
  const errors = tools.compile({ $ref: pointer })(parsed.value);
  const dependent = checkByValue(tools.compile, operation, parsed.value);
  const described = errors && describeFault(errors, 'body');
  // The schema that the value asks for tells more than the union of all that it might.
  const isSame = described && dependent && firstStep(described.at) === firstStep(dependent.at);
  const told = isSame ? dependent : (described ?? dependent);
  return told && { in: 'body', ...told };
}

function firstStep(pointer: string): string | undefined {
  return pointer.split('/')[1];
}

function checkParameters(
  tools: Tools,
  operation: Operation,
  place: Parameter['in'],
  pairs: readonly Pair[],
): PlaceFault | undefined {
  for (const parameter of operation.parameters) {
    if (parameter.in !== place || (place === 'header' && ignoredHeaders.has(parameter.name.toLowerCase()))) continue;
    const found = checkParameter(tools, parameter, pairs);
    if (found === undefined) continue;
    return { in: place === 'cookie' ? 'header' : place, at: parameter.name, status: parameter.invalidStatus, ...found };
  }
  return undefined;
}

function checkParameter(
  tools: Tools,
  parameter: Parameter,
  pairs: readonly Pair[],
): Pick<Detail, 'says' | 'nearest'> | undefined {
  const reading = readParameter(tools.document, parameter, pairs);
  if (reading.kind === 'fault') return { says: reading.says, nearest: [] };
  if (reading.kind === 'absent')
    return parameter.required ? { says: `${parameter.name} is required`, nearest: [] } : undefined;
  if (reading.kind === 'empty') return undefined;
  const errors = tools.compile({ $ref: parameter.schema })(reading.value);
  if (errors === undefined) return undefined;
  const { says, nearest } = describeFault(errors, parameter.name);
  return { says, nearest };
}
