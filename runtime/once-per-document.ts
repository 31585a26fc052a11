import type { ContractDocument } from '@lockstep/json/json-pointer';

/**
 * Shares a value that depends only on a contract between all services of one process: the checks of a contract take 100 ms and more to
 * compile, and a test suite starts one service after the other. Do not change the document afterwards. The value is released with it.
 *
 * @param make called once for each document; an error is not kept
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
