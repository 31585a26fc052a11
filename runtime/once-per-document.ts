import type { ContractDocument } from '@lockstep/json/json-pointer';

/**
 * Shares what is made of a contract alone among all who serve it in one process: the checks of a contract take 100 ms and more to compile,
 * and a test suite starts one service after the other. A document must not change after it was given. What was made goes when it goes.
 *
 * @param make is asked once for each document; what it throws is not kept
 */
export function oncePerDocument<Made>(
  make: (document: ContractDocument) => Made,
): (document: ContractDocument) => Made {
  const kept = new WeakMap<ContractDocument, { readonly made: Made }>();
  return (document) => {
    const known = kept.get(document) ?? { made: make(document) };
    kept.set(document, known);
    return known.made;
  };
}
