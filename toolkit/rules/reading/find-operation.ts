import { formatPointer, isObject, parseReference } from '@lockstep/json/json-pointer';
import { methods } from '../../contract/openapi-document.ts';
import { dereference, entriesOf, type Resolve } from './dereference.ts';

type Members = Readonly<Record<string, unknown>>;

/** An operation with its own parameters and those of its path item. */
export interface FoundOperation {
  readonly operation: Members;
  readonly parameters: readonly Members[];
}

/**
 * Finds the operation that a link names.
 *
 * @param link its `operationId`, or its `operationRef` as a pointer into the same document, `#/paths/~1devices~1%7BdeviceId%7D/get`
 */
export function findOperation(root: unknown, link: Members, resolve: Resolve): FoundOperation | undefined {
  const { operationId, operationRef } = link;
  const wanted = typeof operationRef === 'string' ? formatPointer(parseReference(operationRef)) : undefined;
  for (const [path, listed] of entriesOf(isObject(root) ? root.paths : undefined)) {
    const { value: item, from } = dereference(listed, resolve);
    if (!isObject(item)) continue;
    for (const method of methods) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      const reference = formatPointer(['paths', path, method]);
      const named = operationId === undefined ? wanted === reference : operationId === operation.operationId;
      if (named) return { operation, parameters: parametersOf(operation, item, resolve, from) };
    }
  }
  return undefined;
}

/** The operation's own parameters and those of its path item, with their `$ref`s followed. */
export function parametersOf(operation: unknown, item: unknown, resolve: Resolve, from?: string): readonly Members[] {
  return [operation, item].flatMap((holder) => {
    const listed = isObject(holder) ? holder.parameters : undefined;
    return (Array.isArray(listed) ? listed : []).map((one) => dereference(one, resolve, from).value).filter(isObject);
  });
}
