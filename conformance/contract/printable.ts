// Text of a contract or a deployment, on its way to a terminal, a log or a file that somebody will look at there.

/**
 * Controls of C0 and C1 move the cursor, rewrite what stands there, change the title and the clipboard of a terminal (ECMA-48); line
 * and paragraph separators begin lines that nobody wrote; marks of direction let a line read backwards (CVE-2021-42574).
 */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Runs of them, and what stands between: for whoever spells them in a way of its own. */
export const unsafeRun = new RegExp(`(${unsafe.source}+)`, 'u');

/** One line, in which they are spelled as in JSON: `\u001b`, `\n`. */
export function printable(text: string): string {
  return text.replaceAll(unsafe, (char) => (char === '\n' ? '\\n' : spell(char)));
}

/** The same for each text within a value. */
export function printableParts<Value>(value: Value): Value {
  if (typeof value === 'string') return printable(value) as Value;
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (Array.isArray(value)) return value.map(printableParts) as Value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, printableParts(part)])) as Value;
}

/** JSON that says the same, with escapes for what `JSON.stringify` leaves as it is. */
export function printableJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, undefined, indent) ?? '').replaceAll(unsafe, (char) =>
    char === '\n' ? char : spell(char),
  );
}

/** At most so many names, and how many more there are. */
export function nameSome(names: readonly string[], most = 8): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** `1 place`, `2 places`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** One line, cut after so many characters. */
export function excerpt(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function spell(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
