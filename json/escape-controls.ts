/** Orders for a terminal (C0 and C1), ends of lines, also Unicode's two, and what turns the direction of text. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Writes text of a stranger's contract so that it shows what it holds: it can't colour or clear a terminal, nor look like a line of its own. In
 * JSON, and in a string or comment of TypeScript, it means the same as before.
 *
 * @param kept characters that stay as they are, such as line breaks between the lines of a file
 */
export function escapeControls(text: string, kept = ''): string {
  return text.replaceAll(controls, (character) =>
    kept.includes(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
