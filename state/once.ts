/** Remembers the result for each object. It depends on the contract alone, and requests need it again and again. */
export function once<Key extends object, Result>(read: (key: Key) => Result): (key: Key) => Result {
  const known = new WeakMap<Key, { readonly result: Result }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found.result;
    const result = read(key);
    known.set(key, { result });
    return result;
  };
}
