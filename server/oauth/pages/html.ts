// A type for text that is known to be HTML, and the only function that creates it. All other text is escaped.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Created by `html` alone, so that the type guarantees that every value was escaped. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** `undefined` and `false` are empty, for `condition && html…` in a template. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** A template whose values are escaped unless they are `Html` themselves. Attributes have to be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, index) => text + toText(values[index - 1]) + part));
}

function toText(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  return typeof value === 'object' ? value.map(toText).join('') : escapeHtml(String(value));
}

/** Bidirectional control characters: one left open would reorder the text around a name, a surplus closing one would leave `bdi`. */
const bidiControls = /[\u202A-\u202E\u2066-\u2069]/g;

/** Isolates a name of any script, so that it can't reorder the sentence around it (UAX #9; HTML, `bdi`). */
export function isolate(name: string): Html {
  return html`<bdi>${name.replaceAll(bidiControls, '')}</bdi>`;
}
