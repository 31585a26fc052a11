import { isObject } from '@lockstep/json/json-pointer';

/** Member of the root: the responses that each operation below the contract's own servers declares, by status. */
export const defaultResponses = 'x-default-responses';

/**
 * Statuses under `x-default-responses` that an operation declares neither by themselves nor by their range (`4XX`), lowest first. None for
 * an operation with its own servers: such a server, an authorization server for example, has other responses.
 */
export function findMissingResponses(root: unknown, item: unknown, operation: unknown): readonly string[] {
  const defaults = isObject(root) ? root[defaultResponses] : undefined;
  if (!isObject(defaults) || !isObject(operation) || !isObject(operation.responses)) return [];
  if (operation.servers !== undefined || (isObject(item) && item.servers !== undefined)) return [];
  const { responses } = operation;
  const statuses = Object.keys(defaults).filter((status) => /^[1-5]\d\d$/.test(status));
  return statuses.filter((status) => !(status in responses || `${status[0]}XX` in responses)).sort();
}
