/** A list whose items are made when they are first asked for: most ladders are never climbed to their end. */
export interface LazyList<Item> {
  /** The item; undefined beyond the end. */
  readonly at: (index: number) => Item | undefined;
}

export function lazyList<Item>(make: () => Generator<Item>): LazyList<Item> {
  const made: Item[] = [];
  let source: Generator<Item> | undefined;
  return {
    at: (index) => {
      source ??= make();
      while (made.length <= index) {
        const next = source.next();
        if (next.done === true) return undefined;
        made.push(next.value);
      }
      return made[index];
    },
  };
}

/** The item at an index, or the last one before it. */
export function atOrBefore<Item>(list: LazyList<Item>, index: number): Item | undefined {
  for (let at = index; at >= 0; at -= 1) {
    const item = list.at(at);
    if (item !== undefined) return item;
  }
  return undefined;
}
