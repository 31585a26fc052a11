/** Remembers the result for each object. It depends on the contract alone, and requests need it again and again. */
export function once<Key extends object, Result>(read: (key: Key) => Result): (key: Key) => Result {
  const known = new WeakMap<Key, { readonly result: Result }>();
  return (key) => {
    const found = known.get(key) ?? { result: read(key) };
    known.set(key, found);
    return found.result;
  };
}
