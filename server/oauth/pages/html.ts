// Text that is known to be HTML, and the one way to make it. What is no such text is escaped wherever it stands.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Made by `html` alone, so that its type says: every value in it was escaped. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** `undefined` and `false` are nothing, so that `condition && html…` can stand in a template. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** A template whose values are escaped, unless they come from such a template themselves. Attributes have to be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, index) => text + toText(values[index - 1]) + part));
}

function toText(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  return typeof value === 'object' ? value.map(toText).join('') : escapeHtml(String(value));
}

/** Marks that open or close a run of their own: one left open would turn the text around a name, one too many would leave `bdi`. */
const bidiControls = /[\u202A-\u202E\u2066-\u2069]/g;

/** What somebody else named, in whatever script: it can't reorder the sentence that it stands in (UAX #9; HTML, `bdi`). */
export function isolate(name: string): Html {
  return html`<bdi>${name.replaceAll(bidiControls, '')}</bdi>`;
}
