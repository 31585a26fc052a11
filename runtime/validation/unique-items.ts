import { isObject } from '@lockstep/json/json-pointer';
import type { Ajv, ErrorObject } from 'ajv';

/**
 * Finds two equal items of a list in one pass over it. Objects with the same members are equal in any order (JSON Schema 2020-12, core, 4.2.2).
 *
 * @returns the index of the first repeated item, and of its earlier equal
 */
export function findTwins(items: readonly unknown[]): { readonly i: number; readonly j: number } | undefined {
  const seen = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const text = JSON.stringify(item, inOrder);
    const j = seen.get(text);
    if (j !== undefined) return { i, j };
    seen.set(text, i);
  }
  return undefined;
}

function inOrder(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Makes Ajv check `uniqueItems` in one pass. Its own keyword compares each item with each other, unless the sibling `items` has a type without a
 * `$ref`: a list of 100,000 short texts, 0.9 MB, took 70 seconds.
 */
export function judgeUniqueItemsOnce(ajv: Pick<Ajv, 'removeKeyword' | 'addKeyword'>): void {
  const validate: { (isAsked: boolean, items: readonly unknown[]): boolean; errors?: Partial<ErrorObject>[] } = (
    isAsked,
    items,
  ) => {
    const params = isAsked ? findTwins(items) : undefined;
    if (params === undefined) return true;
    const message = `must NOT have duplicate items (items ## ${params.j} and ${params.i} are identical)`;
    validate.errors = [{ keyword: 'uniqueItems', message, params }];
    return false;
  };
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', errors: true, validate });
}
