import { extendPointer } from '../contract/json-pointer.ts';
import { type ContractOperation, listOperations } from '../contract/list-operations.ts';
import type { ParameterObject } from '../contract/openapi-document.ts';
import type { Contract } from '../contract/read-contract.ts';
import type { Resolved } from '../contract/resolve-ref.ts';
import { formatHeader, type Header } from './header.ts';

/** `operations.gen.ts`: the operation table, one operation a line, in the order in which a router may mount them. */
export function emitOperations({ document }: Contract, header: Header): string {
  const rows = listOperations(document).map(
    (operation) => `  ${JSON.stringify(operation.operationId)}: ${JSON.stringify(describe(operation))},\n`,
  );
  return `${formatHeader(header)}\n${tableTypes}\nexport const operations = {\n${rows.join('')}} as const satisfies OperationTable;\n\nexport type OperationId = keyof typeof operations;\n`;
}

function describe(row: ContractOperation): object {
  const { operationId, method, basePath, path, pointer, operation, requestBody, responses, security } = row;
  return {
    operationId,
    method,
    basePath,
    path,
    pointer,
    parameters: row.parameters.map(describeParameter),
    requestBody: requestBody
      ? {
          required: requestBody.value.required ?? false,
          content: mapValues(requestBody.value.content, (_, type) =>
            extendPointer(requestBody.pointer, 'content', type, 'schema'),
          ),
        }
      : null,
    security,
    statuses: responses.map(({ status }) => (/^\d+$/.test(status) ? Number(status) : status)),
    extensions: extensionsOf(operation),
  };
}

function describeParameter({ value, pointer }: Resolved<ParameterObject>): object {
  const style = value.style ?? (value.in === 'query' || value.in === 'cookie' ? 'form' : 'simple');
  const invalidStatus = extensionsOf(value)['x-invalid-status'];
  return {
    name: value.name,
    in: value.in,
    required: value.required ?? false,
    style,
    explode: value.explode ?? style === 'form',
    allowReserved: value.allowReserved ?? false,
    allowEmptyValue: value.allowEmptyValue ?? false,
    schema: extendPointer(pointer, 'schema'),
    ...(invalidStatus === undefined ? {} : { invalidStatus }),
  };
}

function extensionsOf(node: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(node).filter(([key]) => key.startsWith('x-')));
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** The types are part of the output: `generated/` imports nothing written by hand. */
const tableTypes = `/** How one parameter is written into a request (OpenAPI 3.1, 4.8.12). */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly allowEmptyValue: boolean;
  /** JSON pointer of the schema in contract.gen.json. */
  readonly schema: string;
  /** \`x-invalid-status\`: the status for a value that breaks the schema, where it is not 400. */
  readonly invalidStatus?: number;
}

/** One operation of the contract as data: what a router, a validator or a client needs to know of it. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';
  /** Path part of the server's address without a trailing slash; \`''\` for none. */
  readonly basePath: string;
  readonly path: string;
  /** JSON pointer of the operation in contract.gen.json. */
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  /** Content: media type to JSON pointer of its schema. */
  readonly requestBody: null | { readonly required: boolean; readonly content: Readonly<Record<string, string>> };
  /** Alternatives: one entry must hold, every scheme in it. No entry: anonymous. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** Of its documented answers, in the order of the contract; a range or \`default\` as it is written there. */
  readonly statuses: readonly (number | '1XX' | '2XX' | '3XX' | '4XX' | '5XX' | 'default')[];
  /** The operation's own \`x-\` members. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

export type OperationTable = Readonly<Record<string, Operation>>;
`;
