// Text of a contract or a deployment is made safe for terminals, logs and report files.

/**
 * Controls of C0 and C1 move the cursor of a terminal, overwrite text and change its title and clipboard (ECMA-48). Line and paragraph
 * separators forge lines. Direction marks reorder the text of a line (CVE-2021-42574).
 */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** For `split`: separates runs of unsafe characters from safe text. */
export const unsafeRun = new RegExp(`(${unsafe.source}+)`, 'u');

/** One line, with unsafe characters escaped as in JSON: `\u001b`, `\n`. */
export function printable(text: string): string {
  return text.replaceAll(unsafe, (char) => (char === '\n' ? '\\n' : spell(char)));
}

/** Applies `printable` to each text within a value. */
export function printableParts<Value>(value: Value): Value {
  if (typeof value === 'string') return printable(value) as Value;
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (Array.isArray(value)) return value.map(printableParts) as Value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, printableParts(part)])) as Value;
}

/** JSON with escapes for the unsafe characters that `JSON.stringify` does not escape. */
export function printableJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, undefined, indent) ?? '').replaceAll(unsafe, (char) =>
    char === '\n' ? char : spell(char),
  );
}

/** At most `most` names, and the number of those omitted. */
export function nameSome(names: readonly string[], most = 8, all = names.length): string {
  const shown = Math.min(names.length, most);
  const more = all > shown ? ` and ${all - shown} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** `1 place`, `2 places`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** One line, cut after `most` characters. */
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
