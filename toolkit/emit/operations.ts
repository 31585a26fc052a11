import { extendPointer } from '@lockstep/json/json-pointer';
import { type ContractOperation, listOperations } from '../contract/list-operations.ts';
import type { OpenApiDocument, ParameterObject } from '../contract/openapi-document.ts';
import type { Contract } from '../contract/read-contract.ts';
import type { Resolved } from '../contract/resolve-ref.ts';
import { formatHeader, type Header } from './header.ts';
import { readVerbatim } from './read-verbatim.ts';
import type { Operation, OperationTable } from './verbatim/operation-table.ts';

/** `operations.gen.ts`: the operation table, one operation a line, in the order in which a router may mount them. */
export function emitOperations({ document }: Contract, header: Header): string {
  const rows = Object.entries(describeOperations(document)).map(
    ([operationId, operation]) => `  ${JSON.stringify(operationId)}: ${JSON.stringify(operation)},\n`,
  );
  return `${formatHeader(header)}\n${readVerbatim('operation-table.ts')}\nexport const operations = {\n${rows.join('')}} as const satisfies OperationTable;\n\nexport type OperationId = keyof typeof operations;\n`;
}

/** The operation table as a value, by operationId, for serving a contract without generated files. */
export function describeOperations(document: OpenApiDocument): OperationTable {
  return Object.fromEntries(listOperations(document).map((row) => [row.operationId, describe(row)]));
}

/** Keys of responses that are not a status (OpenAPI 3.1, 4.8.16). */
type StatusRange = Exclude<Operation['statuses'][number], number>;

function describe(row: ContractOperation): Operation {
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
    statuses: responses.map(({ status }) => (/^\d+$/.test(status) ? Number(status) : (status as StatusRange))),
    extensions: extensionsOf(operation),
  };
}

function describeParameter({ value, pointer }: Resolved<ParameterObject>): Operation['parameters'][number] {
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
    ...(typeof invalidStatus === 'number' ? { invalidStatus } : {}),
  };
}

function extensionsOf(node: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(node).filter(([key]) => key.startsWith('x-')));
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
