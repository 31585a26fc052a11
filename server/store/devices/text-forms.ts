/** What devices are sorted by: two spellings of one letter (NFC, NFD) are one place in the order. */
export function sortForm(name: string): string {
  return name.normalize('NFC');
}

/** What is compared in a search, on both sides. SQLite's own `lower` and `LIKE` fold ASCII alone. */
export function searchForm(text: string): string {
  // Lower case may compose anew (J and a caron become one letter), and the form of a form shall be itself.
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** The text as a LIKE pattern that matches itself, with `\` as the escape character. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
