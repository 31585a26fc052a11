import { extendPointer, valueAt } from '@lockstep/json/json-pointer';
import { listMembers, type Member } from '../contract/list-members.ts';
import { type ContractOperation, listHeaders, listOperations, schemaOf } from '../contract/list-operations.ts';
import type { OpenApiDocument, Ref, SchemaObject } from '../contract/openapi-document.ts';
import type { Contract } from '../contract/read-contract.ts';
import { formatHeader, type Header } from './header.ts';
import { readVerbatim } from './read-verbatim.ts';

/**
 * `handlers.gen.ts`: the strict handler interface. One method per operationId, one parsed object in, a closed union by status out.
 * The types of bodies and parameters are those of types.gen.ts; here they are only combined.
 */
export function emitHandlers({ document }: Contract, header: Header): string {
  const rows = listOperations(document);
  const requests = rows.map((row) => `  readonly ${quote(row.operationId)}: ${formatRequest(document, row)};`);
  const responses = rows.map((row) => `  readonly ${quote(row.operationId)}:${formatResponses(document, row)};`);
  return [
    formatHeader(header),
    "import type { OperationId, operations as table } from './operations.gen.ts';",
    /operations\[/.test([...requests, ...responses].join())
      ? "import type { operations } from './types.gen.ts';\n"
      : '',
    '/** Requests as handlers get them: validated, with defaults filled in. Header names are lower case. */',
    `export interface Requests {\n${requests.join('\n')}\n}\n`,
    '/** Answers that handlers may return: status, media type, body and headers, without those that the layer around them sends. */',
    `export interface Responses {\n${responses.join('\n')}\n}\n`,
    readVerbatim('status-range.ts'),
    readVerbatim('handler-types.ts'),
  ].join('\n');
}

type Media = { readonly schema?: Ref<SchemaObject> };

function formatRequest(document: OpenApiDocument, row: ContractOperation): string {
  const groups = (['path', 'query', 'header', 'cookie'] as const).map((place) => {
    const parameters = row.parameters.filter(({ value }) => value.in === place);
    const name = place === 'header' ? 'headers' : place === 'cookie' ? 'cookies' : place;
    if (parameters.length === 0) return `readonly ${name}: Nothing`;
    const type = `ReadonlyDeep<NonNullable<operations[${quote(nameInTypes(row.operationId))}]['parameters'][${quote(place)}]>>`;
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

function formatBodies(document: OpenApiDocument, { operationId, method, requestBody }: ContractOperation): string[] {
  if (requestBody === undefined) return [];
  const owner = `NonNullable<operations[${quote(nameInTypes(operationId))}]['requestBody']>`;
  const bodies = Object.entries(requestBody.value.content).map(([type, media]) => {
    const filled = membersOf(document, media, extendPointer(requestBody.pointer, 'content', type))
      // In a PATCH, a missing member means no change.
      .filter(({ schema }) => schema.default !== undefined && method !== 'patch')
      .map(({ name }) => quote(name));
    const body = `ReadonlyDeep<${owner}['content'][${quote(type)}]>`;
    const whole = filled.length === 0 ? body : `WithDefaults<${body}, ${filled.join(' | ')}>`;
    return `{ readonly mediaType: ${formatMediaType(type)}; readonly body: ${whole} }`;
  });
  return requestBody.value.required === true
    ? bodies
    : [...bodies, '{ readonly mediaType?: undefined; readonly body?: undefined }'];
}

function formatResponses(document: OpenApiDocument, row: ContractOperation): string {
  const all = row.responses.map(({ status }) => status);
  const members = row.responses.flatMap(({ status, response }) => {
    const place = `operations[${quote(nameInTypes(row.operationId))}]['responses'][${isExact(status) ? status : quote(status)}]`;
    const headers = formatHeaders(document, response, place);
    const start = `readonly status: ${formatStatus(status, all)}; ${headers}`;
    const contents = Object.entries(response.value.content ?? {});
    if (contents.length === 0) return [`{ ${start}; readonly mediaType?: undefined; readonly body?: undefined }`];
    const optional = contents.length === 1 && !contents[0]?.[0].includes('*') ? '?' : '';
    return contents.map(([type, media]) => {
      const ambient = listAmbientMembers(document, media, extendPointer(response.pointer, 'content', type));
      const declared = `ReadonlyDeep<${place}['content'][${quote(type)}]>`;
      const body = ambient.length === 0 ? declared : `Without<${declared}, ${ambient.map(quote).join(' | ')}>`;
      return `{ ${start}; readonly mediaType${optional}: ${formatMediaType(type)}; readonly body: ${body} }`;
    });
  });
  return members.map((member) => `\n    | ${member}`).join('');
}

/** Members that the layer around the handlers fills in: the id of the request. */
function listAmbientMembers(document: OpenApiDocument, media: Media, pointer: string): string[] {
  return membersOf(document, media, pointer)
    .filter(({ written, schema }) =>
      [written, { ...schema }].some((node) => valueAt(node, ['x-fault']) === 'request-id'),
    )
    .map(({ name }) => name);
}

function membersOf(document: OpenApiDocument, media: Media, pointer: string): readonly Member[] {
  return listMembers(document, schemaOf(document, media, pointer));
}

const anyText = '$'.concat('{string}');

/** A range such as `image/*` is answered with one of its types. */
function formatMediaType(type: string): string {
  return type.includes('*') ? `\`${type.replaceAll('*', anyText)}\`` : quote(type);
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

/** Statuses of a key: `404` itself; for `4XX` and `default`, every status of the range that the operation does not declare more specifically. */
function formatStatus(status: string, all: readonly string[]): string {
  if (isExact(status)) return status;
  const closer = all.filter((other) => isExact(other) || (status === 'default' && other !== 'default'));
  const range = formatRange(status);
  return closer.length === 0 ? range : `Exclude<${range}, ${closer.map(formatRange).join(' | ')}>`;
}

function formatRange(status: string): string {
  if (status === 'default') return 'StatusRange';
  return isExact(status) ? status : `StatusRange<'${status.charAt(0)}'>`;
}

function isExact(status: string): boolean {
  return /^\d{3}$/.test(status);
}

/** openapi-typescript reads a `#` in an operationId as the separator of a reference. */
function nameInTypes(operationId: string): string {
  return operationId.replaceAll('#', '/');
}

/** Quotes as JSON does: names come from the contract and may contain any character. */
function quote(text: string): string {
  return JSON.stringify(text);
}
