import { createHash } from 'node:crypto';
import type { StateResponse } from './contract-tools.ts';
import type { Plan } from './infer-roles.ts';
import { once } from './once.ts';
import type { StateAnswer, StateRequest } from './request.ts';
import type { Resource } from './resource.ts';
import type { StoredItem } from './store.ts';

/** A digest of an object that does not change. */
const digestOf = once((value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16),
);

/**
 * The documented headers that depend on the store. The first half of an item's tag names the item, and the second one the answer, which may
 * show other items too.
 */
export function stateHeaders(
  { headers }: StateResponse,
  body: unknown,
  item?: StoredItem,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    if (/^etag$/i.test(name))
      found[name] = `"${[item, body].flatMap((one) => (one instanceof Object ? digestOf(one) : [])).join('-')}"`;
    if (/^last-modified$/i.test(name) && item !== undefined) found[name] = new Date(item.changedAt).toUTCString();
  }
  return found;
}

/** Whether a tag without `W/` is one of an item in its present state. */
function isTagOf(tag: string, item: StoredItem): boolean {
  return tag.slice(1, 17) === digestOf(item);
}

function tagsOf(condition: unknown): readonly string[] {
  return String(condition)
    .split(',')
    .map((tag) => tag.trim());
}

/**
 * RFC 9110, 13.1: a client that has read an older version, or another one, changes nothing, and neither does one that wants to create only.
 * Where no answer about the item has an ETag, and 412 is not documented, a condition means nothing.
 */
export function createConditions(
  plans: readonly Plan[],
  responseWith: (plan: Plan, statuses: readonly number[]) => StateResponse | undefined,
) {
  const hasTags = once((resource: Resource): boolean =>
    plans.some(
      ({ address, role, item, isListed, success }) =>
        address.resource === resource &&
        role !== 'list' &&
        (item !== undefined || isListed) &&
        Object.keys(success?.headers ?? {}).some((name) => name.toLowerCase() === 'etag'),
    ),
  );

  /** @param item undefined for a request that creates one */
  return (
    { plan, request }: { readonly plan: Plan; readonly request: StateRequest },
    item: StoredItem | undefined,
  ): (StateAnswer & { kind: 'rejected' }) | undefined => {
    const { 'if-match': wanted, 'if-none-match': unwanted } = request.headers;
    const isAny = (tags: readonly string[]): boolean =>
      item !== undefined && tags.some((tag) => tag === '*' || isTagOf(tag, item));
    // Tags of `If-None-Match` are compared weakly, those of `If-Match` strongly.
    const isMet =
      (wanted === undefined || isAny(tagsOf(wanted))) &&
      (unwanted === undefined || !isAny(tagsOf(unwanted).map((tag) => tag.replace(/^W\//, ''))));
    if (isMet || (responseWith(plan, [412]) === undefined && !hasTags(plan.address.resource))) return undefined;
    const text =
      item === undefined ? 'there is no such item' : 'the item is in another state than the conditions allow';
    return { kind: 'rejected', statuses: [412], text };
  };
}
