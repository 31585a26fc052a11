/** As JSON Schema reads it, with flag `u`; without it when that fails (`^\-$`); undefined when neither compiles. */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // The next flags may take it.
    }
  }
  return undefined;
}
