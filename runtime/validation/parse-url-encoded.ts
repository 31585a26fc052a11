/** One `name=value` of a query or form, decoded. */
export interface Pair {
  readonly name: string;
  readonly value: string;
  /** Whether an escape could not be decoded; name and value are then as sent. */
  readonly broken: boolean;
  /** The value as sent, if it has escapes: separators of items are searched in it. */
  readonly raw?: string;
}

/**
 * Parses `application/x-www-form-urlencoded` text. Unlike `URLSearchParams` it marks a broken escape (`%ZZ`), and
 * drops or merges no value.
 */
export function parseUrlEncoded(text: string): Pair[] {
  return text
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const equals = piece.indexOf('=');
      const rawName = equals === -1 ? piece : piece.slice(0, equals);
      const rawValue = equals === -1 ? '' : piece.slice(equals + 1);
      const [name, value] = [decodeForm(rawName), decodeForm(rawValue)];
      if (name === undefined || value === undefined) return { name: name ?? rawName, value: rawValue, broken: true };
      return value === rawValue ? { name, value, broken: false } : { name, value, broken: false, raw: rawValue };
    });
}

/** Decodes a piece of a query whose escapes are known to be valid. */
export function decodeForm(text: string): string | undefined {
  return decodePercent(text.replaceAll('+', ' '));
}

/** Percent-decoding that returns `undefined` for a broken escape, or for bytes that are not UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The fault of a pair that is marked as broken, to follow its name in a sentence. */
export function describeBroken({ name, value }: Pair): string {
  const raw = decodeForm(value) === undefined ? value : name;
  return /%(?![0-9a-f]{2})/i.test(raw)
    ? 'has a broken escape: % must be followed by two hexadecimal digits'
    : 'has escapes that are not UTF-8: encode the text as UTF-8, then escape it';
}
