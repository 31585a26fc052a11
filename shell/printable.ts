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

/** A decision about the contract, or an omission, with its location; a warning for a fault of the contract. */
export interface Notice {
  readonly message: string;
  readonly severity?: 'warning';
  readonly fix?: string;
  /** Number of places with the same message, if this is the first of several. */
  readonly places?: number;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly pointer?: string;
}

/** `note: openapi.yaml:12:5 …message (#/paths/…)`, with the location if it has one. A warning has the number of its places, and a fix. */
export function formatNotice({ severity, message, file, line, column, pointer, places = 1, fix }: Notice): string {
  const more = places === 1 ? '' : `, the first of ${places} such places`;
  const place = file === undefined ? '' : `${[file, line, column].filter((part) => part !== undefined).join(':')} `;
  const at = pointer === undefined ? '' : ` (${pointer}${more})`;
  return oneLine(`${severity ?? 'note'}: ${place}${message}${at}${fix === undefined ? '' : `. ${fix}`}`);
}

/** A word for a POSIX shell, quoted only if it has special characters. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
