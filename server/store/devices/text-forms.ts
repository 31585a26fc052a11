/** The canonical form for sorting: two encodings of one letter (NFC, NFD) sort alike. */
export function sortForm(name: string): string {
  return name.normalize('NFC');
}

/** The canonical form for a search, for name and search text. SQLite's own `lower` and `LIKE` fold ASCII alone. */
export function searchForm(text: string): string {
  // Letters may compose in lower case (J and a caron become one letter); the second NFC makes the function idempotent.
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** The text as a LIKE pattern that matches itself, with `\` as the escape character. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
