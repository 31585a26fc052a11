/**
 * A pattern as it was meant (ECMA-262, as JSON Schema 2020-12, Core, 6.4 asks): with the `u` flag; without it where that alone is in the
 * way, since most authors escape more than `u` allows, as in `[\w\-]`, and mean the same.
 *
 * @throws SyntaxError for what is no pattern either way
 */
export function readPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    try {
      return new RegExp(source);
    } catch {
      throw error;
    }
  }
}
