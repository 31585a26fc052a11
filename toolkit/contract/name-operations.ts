import { listPathItems, mapOperations } from './list-operations.ts';
import { methods, type OpenApiDocument, type OperationObject } from './openapi-document.ts';

/** Operations that got a generated name, as pointers, in the order of the document. */
export interface NamedOperations {
  readonly document: OpenApiDocument;
  readonly named: readonly { readonly pointer: string; readonly operationId: string }[];
}

/**
 * Gives each operation without an operationId a name of method and path, `getPetsPetId` for `GET /pets/{petId}`, with a number if that name
 * exists. Names of the document stay, so that the same document always gets the same names.
 *
 * @param document bundled; never changed
 */
export function nameOperations(document: OpenApiDocument): NamedOperations {
  const operations = listPathItems(document).flatMap(({ path, item, pointer }) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation, item, pointer }];
    }),
  );
  const taken = new Set(operations.flatMap(({ operation: { operationId } }) => operationId ?? []));
  const names = new Map<OperationObject, string>();
  const named = operations.flatMap(({ path, method, operation, pointer }) => {
    if (operation.operationId !== undefined || names.has(operation)) return [];
    const operationId = findFree(nameOf(method, path), taken);
    taken.add(operationId);
    names.set(operation, operationId);
    return [{ pointer: `${pointer}/${method}`, operationId }];
  });
  if (named.length === 0) return { document, named };
  const name = (operation: OperationObject): OperationObject => {
    const operationId = names.get(operation);
    return operationId === undefined ? operation : { operationId, ...operation };
  };
  return { document: mapOperations(document, name), named };
}

function nameOf(method: string, path: string): string {
  const words = path.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function findFree(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}${count}`;
  return free;
}
