// Splits a page of Redocly, since the renderer's code and the contract's text need different checks.

export interface Page {
  /** Text before and after script and contract: head, styles, the pre-rendered body, the final call. */
  readonly frame: readonly [before: string, after: string];
  /** Redoc's code. */
  readonly script: string;
  /** The contract as JSON, `<` written as an escape. */
  readonly definition: string;
}

const scriptOpens = '<script type="module">';
const definitionOpens = 'const __redoc_definition = ';
const definitionCloses = ';\n';

/**
 * Finds the renderer and the contract in a page of `redocly build-docs --inlineBundle`.
 *
 * @throws Error if the page does not have the structure of Redocly CLI 2.77
 */
export function splitPage(html: string): Page {
  const script = html.indexOf(scriptOpens) + scriptOpens.length;
  const marker = html.lastIndexOf(definitionOpens);
  const definition = marker + definitionOpens.length;
  const end = html.indexOf(definitionCloses, definition);
  if (script < scriptOpens.length || marker < script || end < 0) {
    throw new Error(
      'The page has no inline script followed by the contract: this version of Redocly has another structure.',
    );
  }
  return {
    frame: [html.slice(0, script), html.slice(end)],
    script: html.slice(script, definition),
    definition: html.slice(definition, end),
  };
}

/** Puts a page together again; the inverse of `splitPage`. */
export function joinPage({ frame: [before, after], script, definition }: Page): string {
  return before + script + definition + after;
}
