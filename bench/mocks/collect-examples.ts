import type { Contract } from '../../conformance/contract/contract.ts';
import { isObject } from '../../conformance/contract/document.ts';
import { createJudge } from '../../conformance/schema/create-judge.ts';
import { findList, itemsIn } from './find-items.ts';
import { findPairs } from './find-pairs.ts';

/** The documented examples of the lists of a contract, by the last segment of the collection's path, as json-server reads them. */
export function collectExamples(contract: Contract): Readonly<Record<string, readonly unknown[]>> {
  const { forms } = createJudge(contract);
  const collected = findPairs(contract)
    .filter(({ slots }) => slots === 0)
    .map((pair) => {
      const place = findList(forms.response, pair);
      const examples = (pair.list?.responses ?? []).flatMap(({ contents }) =>
        contents.flatMap((content) => content.examples),
      );
      const items = place === undefined ? [] : examples.flatMap((example) => itemsIn(example, place) ?? []);
      // It finds items by `id` alone.
      const named = items.filter(isObject).map((item, index) => ({ id: index + 1, ...item }));
      return [pair.noun, named] as const;
    });
  return Object.fromEntries(collected);
}
