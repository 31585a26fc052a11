/** Control characters (C0 and C1), the line separators of Unicode, and characters that change the direction of text. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Escapes control characters in text of an untrusted contract, so that it can't colour or clear a terminal, nor imitate a separate line.
 * In JSON, and in a string or comment of TypeScript, the escaped text means the same.
 *
 * @param kept characters that stay as they are, such as line breaks between the lines of a file
 */
export function escapeControls(text: string, kept = ''): string {
  return text.replaceAll(controls, (character) =>
    kept.includes(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
