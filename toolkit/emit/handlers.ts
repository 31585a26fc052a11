import { extendPointer } from '../contract/json-pointer.ts';
import { type ContractOperation, listHeaders, listOperations, schemaOf } from '../contract/list-operations.ts';
import type { OpenApiDocument, SchemaObject } from '../contract/openapi-document.ts';
import type { Contract } from '../contract/read-contract.ts';
import { resolveRef } from '../contract/resolve-ref.ts';
import { handlerTypes, statusRangeTypes } from './handler-types.ts';
import { formatHeader, type Header } from './header.ts';

/**
 * `handlers.gen.ts`: the strict handler interface. One method per operationId, one parsed object in, a closed union by status out.
 * The types of bodies and parameters are those of types.gen.ts; here they are only put together.
 */
export function emitHandlers({ document }: Contract, header: Header): string {
  const rows = listOperations(document);
  const requests = rows.map((row) => `  readonly ${quote(row.operationId)}: ${formatRequest(document, row)};`);
  const responses = rows.map((row) => `  readonly ${quote(row.operationId)}:${formatResponses(document, row)};`);
  const ranged = rows.some(({ responses: all }) => all.some(({ status }) => !/^\d{3}$/.test(status)));
  return [
    formatHeader(header),
    "import { type OperationId, operations as table } from './operations.gen.ts';",
    rows.length === 0 ? '' : "import type { operations } from './types.gen.ts';\n",
    '/** What a handler is given, checked against the contract and with defaults filled in. Header names are lower case. */',
    `export interface Requests {\n${requests.join('\n')}\n}\n`,
    '/** What a handler may answer: status, media type, body, and headers, but for what a layer around it sends. */',
    `export interface Responses {\n${responses.join('\n')}\n}\n`,
    ...(ranged ? [statusRangeTypes] : []),
    handlerTypes,
  ].join('\n');
}

function formatRequest(document: OpenApiDocument, row: ContractOperation): string {
  const groups = (['path', 'query', 'header', 'cookie'] as const).map((place) => {
    const parameters = row.parameters.filter(({ value }) => value.in === place);
    const name = place === 'header' ? 'headers' : place === 'cookie' ? 'cookies' : place;
    if (parameters.length === 0) return `readonly ${name}: Nothing`;
    const type = `NonNullable<operations[${quote(row.operationId)}]['parameters'][${quote(place)}]>`;
    const filled = parameters
      .filter(({ value, pointer }) => schemaOf(document, value, pointer).value.default !== undefined)
      .map(({ value }) => quote(value.name));
    const whole = filled.length === 0 ? type : `WithDefaults<${type}, ${filled.join(' | ')}>`;
    return `readonly ${name}: ${place === 'header' ? `LowerCaseKeys<${whole}>` : whole}`;
  });
  const members = `{\n    ${groups.join(';\n    ')};\n  }`;
  const bodies = formatBodies(document, row);
  return bodies.length === 0 ? members : `${members} & (${bodies.map((body) => `\n    | ${body}`).join('')}\n  )`;
}

function formatBodies(document: OpenApiDocument, { operationId, requestBody }: ContractOperation): string[] {
  if (requestBody === undefined) return [];
  const owner = `NonNullable<operations[${quote(operationId)}]['requestBody']>`;
  const bodies = Object.entries(requestBody.value.content).map(([type, media]) => {
    const { value: schema, pointer } = schemaOf(document, media, extendPointer(requestBody.pointer, 'content', type));
    const filled = Object.entries(schema.properties ?? {})
      .filter(
        ([name, property]) =>
          resolveRef(document, property, extendPointer(pointer, 'properties', name)).value.default !== undefined,
      )
      .map(([name]) => quote(name));
    const body = `${owner}['content'][${quote(type)}]`;
    const whole = filled.length === 0 ? body : `WithDefaults<${body}, ${filled.join(' | ')}>`;
    return `{ readonly mediaType: ${quote(type)}; readonly body: ${whole} }`;
  });
  return requestBody.value.required === true
    ? bodies
    : [...bodies, '{ readonly mediaType?: undefined; readonly body?: undefined }'];
}

function formatResponses(document: OpenApiDocument, row: ContractOperation): string {
  const declared = row.responses.map(({ status }) => status).filter((status) => /^\d{3}$/.test(status));
  const members = row.responses.flatMap(({ status, response }) => {
    const place = `operations[${quote(row.operationId)}]['responses'][${/^\d{3}$/.test(status) ? status : quote(status)}]`;
    const headers = formatHeaders(document, response, place);
    const start = `readonly status: ${formatStatus(status, declared)}; ${headers}`;
    const contents = Object.entries(response.value.content ?? {});
    if (contents.length === 0) return [`{ ${start}; readonly mediaType?: undefined; readonly body?: undefined }`];
    const optional = contents.length === 1 ? '?' : '';
    return contents.map(([type, media]) => {
      const ambient = listAmbientMembers(document, media, extendPointer(response.pointer, 'content', type));
      const declared = `${place}['content'][${quote(type)}]`;
      const body = ambient.length === 0 ? declared : `Omit<${declared}, ${ambient.map(quote).join(' | ')}>`;
      return `{ ${start}; readonly mediaType${optional}: ${quote(type)}; readonly body: ${body} }`;
    });
  });
  return members.map((member) => `\n    | ${member}`).join('');
}

/** Members that the layer around the handlers fills in: the id of the request, which no handler knows. */
function listAmbientMembers(
  document: OpenApiDocument,
  media: { readonly schema?: SchemaObject | { readonly $ref: string } },
  pointer: string,
): string[] {
  const { properties = {} } = schemaOf(document, media, pointer).value;
  return Object.entries(properties)
    .filter(([, property]) => 'x-fault' in property && property['x-fault'] === 'request-id')
    .map(([name]) => name);
}

function formatHeaders(
  document: OpenApiDocument,
  response: ContractOperation['responses'][number]['response'],
  place: string,
): string {
  const own = listHeaders(document, response).filter(({ header }) => !('x-ambient' in header));
  if (own.length === 0) return 'readonly headers?: Nothing';
  const members = own.map(({ name, header }) => {
    const type = `${place}['headers'][${quote(name)}]`;
    return header.required === true
      ? `readonly ${quote(name)}: ${type}`
      : `readonly ${quote(name)}?: ${type} | undefined`;
  });
  const optional = own.every(({ header }) => header.required !== true) ? '?' : '';
  return `readonly headers${optional}: { ${members.join('; ')} }`;
}

/** `404` as it is; `4XX` and `default` as every status of that range that the operation doesn't declare by itself. */
function formatStatus(status: string, declared: readonly string[]): string {
  if (/^\d{3}$/.test(status)) return status;
  const range = status === 'default' ? 'StatusRange' : `StatusRange<'${status.charAt(0)}'>`;
  return declared.length === 0 ? range : `Exclude<${range}, ${declared.join(' | ')}>`;
}

/** JSON's own quoting: names come from the contract and may hold anything. */
function quote(text: string): string {
  return JSON.stringify(text);
}
