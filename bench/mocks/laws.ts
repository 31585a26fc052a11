import type { Operation } from '../../conformance/contract/contract.ts';
import type { Reply } from './send-requests.ts';

/** Laws of a collection and its items, in the order of the walk. */
export const laws = {
  list: 'the collection is listed with a documented success',
  create: 'a valid body creates an item, with a documented success',
  id: 'the answer, its `Location` or the list leads to the new item',
  location: 'where `Location` is documented, it is the address of the new item',
  read: 'the item reads as it was sent; without a create, as it was listed',
  listed: 'the list has the new items',
  nested: 'the list of another parent does not have them',
  parent: 'an unknown parent is rejected',
  pages: 'the pages partition the list, and none is longer than the limit',
  filter: 'a filter by a member keeps the items with the value, and no other',
  replace: 'a replacement changes what was sent, and keeps what it cannot set',
  merge: 'a partial update changes what was sent, and keeps the rest',
  others: 'writes to an item leave another item as it was',
  unknown: 'an unknown id is the documented 404, else another documented 4xx',
  delete: 'the item is deleted with a documented success',
  gone: 'a deleted item is as an unknown one',
  unlisted: 'the list no longer has a deleted item',
  again: 'a second deletion is as that of an unknown item',
  valid: 'every answer is valid by its documented status and schema',
} as const;

export type LawName = keyof typeof laws;

/** `unjudged`: an earlier step failed, so nothing could be shown. It counts as failed. */
export type Outcome =
  | { readonly kind: 'held' }
  | { readonly kind: 'broken' | 'unjudged'; readonly reason: string }
  /** The contract makes the law impossible: it does not document the operation or the part that the law is about. */
  | { readonly kind: 'inapplicable' };

export interface PairResult {
  readonly pair: string;
  readonly laws: Readonly<Record<LawName, Outcome>>;
}

/** Collects outcomes of one pair. The first failure of a law stays; a law without an outcome is inapplicable. */
export class Verdicts {
  readonly #outcomes = new Map<LawName, Outcome>();

  hold(law: LawName): void {
    if (!this.#outcomes.has(law)) this.#outcomes.set(law, { kind: 'held' });
  }

  fail(law: LawName, kind: 'broken' | 'unjudged', reason: string): void {
    const known = this.#outcomes.get(law);
    if (known === undefined || known.kind === 'held') this.#outcomes.set(law, { kind, reason });
  }

  hasFailed(law: LawName): boolean {
    const kind = this.#outcomes.get(law)?.kind;
    return kind === 'broken' || kind === 'unjudged';
  }

  failIfOpen(law: LawName, kind: 'broken' | 'unjudged', reason: string): void {
    if (!this.#outcomes.has(law)) this.#outcomes.set(law, { kind, reason });
  }

  /** Held if there is no fault. */
  judge(law: LawName, faults: readonly string[]): boolean {
    if (faults[0] === undefined) this.hold(law);
    else this.fail(law, 'broken', faults[0]);
    return faults.length === 0;
  }

  all(): PairResult['laws'] {
    const names = Object.keys(laws) as LawName[];
    return Object.fromEntries(
      names.map((name) => [name, this.#outcomes.get(name) ?? { kind: 'inapplicable' }]),
    ) as PairResult['laws'];
  }
}

export function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

export function isRejected({ status }: Reply): boolean {
  return status >= 400 && status < 500;
}

/** Empty for a success. Its validity is a law of its own. */
export function notSuccess(reply: Reply): readonly string[] {
  return isSuccess(reply) ? [] : [`${nameOf(reply)} is no success`];
}

/** Empty for the answer that the contract documents for an unknown object: 404, else another 4xx; where it has none, any 4xx. */
export function notUnknown(reply: Reply): readonly string[] {
  const { status, operation } = reply;
  const documented = operation.responses.map((response) => response.status.toUpperCase());
  if (status === 404) return [];
  if (isRejected(reply) && !documented.includes('404')) return [];
  return [`${nameOf(reply)}${documented.includes('404') ? ', 404 is documented' : ', not 4xx'}`];
}

/** Rejections about credentials, payment, methods, media types or frequency: none of them is true of an unknown object. */
const ofOthers = /^(401|402|405|406|407|415|429)$/;

/** Whether no rejection of an unknown object can be valid: the contract documents no 4xx for it, so that none counts against it. */
export function hasNoRejection({ responses }: Operation): boolean {
  return !responses.some(({ status }) => /^(4..|default)$/i.test(status) && !ofOthers.test(status));
}

export function nameOf({ operation, status }: Reply): string {
  return `${operation.method.toUpperCase()} ${operation.path} is answered ${status}`;
}
