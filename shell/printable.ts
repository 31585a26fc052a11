import { escapeControls } from '@lockstep/json/escape-controls';

/** Escapes control characters of untrusted text, except line breaks and tabs. */
export function printable(text: string): string {
  return escapeControls(text, '\n\t');
}

/** Also replaces line breaks and tabs with spaces. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/[\s\u0085]+/g, ' '));
}

/** One JSON value on one line, its control characters escaped. */
export function formatJson(value: object): string {
  return escapeControls(JSON.stringify(value));
}

/** A decision about the contract, or an omission, with its location. */
export interface Notice {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly pointer?: string;
}

/** `note: openapi.yaml:12:5 …message (#/paths/…)`, with the location if it has one. */
export function formatNotice({ message, file, line, column, pointer }: Notice): string {
  const place = file === undefined ? '' : `${[file, line, column].filter((part) => part !== undefined).join(':')} `;
  return oneLine(`note: ${place}${message}${pointer === undefined ? '' : ` (${pointer})`}`);
}

/** A word for a POSIX shell, quoted only if it has special characters. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
