import { type ContractDocument, isObject, readPointer } from '@lockstep/json/json-pointer';

/** Longest accepted chain of references. No known contract has a chain of ten. */
export const longestChain = 100;

/** A chain of local references: each but the last one points at an object with a further reference. */
export interface Chain {
  readonly length: number;
  /** The last reference; undefined if the chain leads back to itself. */
  readonly end: string | undefined;
}

/** Follows the chains of one document in linear time. */
export class ReferenceChains {
  readonly #document: ContractDocument;
  readonly #known = new Map<string, Chain>();

  /** @param document parsed, without cycles; it may change, but not its references */
  constructor(document: unknown) {
    this.#document = document as ContractDocument;
  }

  follow(reference: string): Chain {
    const passed = new Set<string>();
    let chain: Chain | undefined;
    for (let ref = reference; chain === undefined; ) {
      chain = passed.has(ref) ? { length: 0, end: undefined } : this.#known.get(ref);
      if (chain !== undefined) break;
      passed.add(ref);
      const target = readPointer(this.#document, ref);
      const next = isObject(target) ? target.$ref : undefined;
      if (isLocal(next)) ref = next;
      else chain = { length: 0, end: ref };
    }
    for (const ref of [...passed].reverse()) {
      chain = { length: chain.length + 1, end: chain.end };
      this.#known.set(ref, chain);
    }
    return chain;
  }
}

export function isLocal(reference: unknown): reference is string {
  return typeof reference === 'string' && reference.startsWith('#/');
}
