import { escapeControls } from '@lockstep/json/escape-controls';

/** Text that may be a stranger's, its control characters escaped, but for line breaks and tabs. */
export function printable(text: string): string {
  return escapeControls(text, '\n\t');
}

/** The same on a line of its own. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/[\s\u0085]+/g, ' '));
}

/** One JSON value on one line, its control characters escaped. */
export function formatJson(value: object): string {
  return escapeControls(JSON.stringify(value));
}

/** Something of the contract that was decided, or left out, and where. */
export interface Notice {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly pointer?: string;
}

/** `openapi.yaml:12:5 says #/paths/…`: what was told, with its place where it has one. */
export function formatNotice({ message, file, line, column, pointer }: Notice): string {
  const place = file === undefined ? '' : `${[file, line, column].filter((part) => part !== undefined).join(':')} `;
  return oneLine(`note: ${place}${message}${pointer === undefined ? '' : ` (${pointer})`}`);
}

/** A word for a POSIX shell, left as it is where no shell reads anything into it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
