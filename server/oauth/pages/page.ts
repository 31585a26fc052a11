import { Html, type HtmlValue, html } from './html.ts';
import type { PlainKey } from './messages/catalogue.ts';
import { style } from './style.ts';
import type { Wording } from './wording.ts';

interface Page {
  readonly wording: Wording;
  /** The state comes first, since a screen reader speaks the title on load. It contains no names, which a title can't isolate. */
  readonly title: readonly PlainKey[];
  readonly width: 'narrow' | 'wide';
  readonly main: Html;
}

const styleElement = new Html(`<style>${style}</style>`);

/** A whole document. It loads no other resource, so that it works offline, and no other host learns of it. */
export function renderPage({ wording: { language, say }, title, width, main }: Page): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title.map((key) => html`${say(key)} – `)}${say('service')}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${styleElement}
</head>
<body class="${width}">
<header>${mark}<span>${say('service')}</span></header>
<main>
${main}
</main>
</body>
</html>
`.toString();
}

/** A screen reader speaks it at once if it supports alerts of a new page, otherwise at the field that it describes. */
export function renderMessage(kind: 'fault' | 'notice', message: HtmlValue, id?: string): Html {
  return kind === 'fault'
    ? html`<div class="message fault" role="alert"${id !== undefined && html` id="${id}"`}>${message}</div>`
    : html`<div class="message" role="status">${message}</div>`;
}

const mark = html`<svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="7"/><path d="M10 13v-2.5a4 4 0 0 1 8 0V13"/><rect x="8" y="12.5" width="12" height="9" rx="2"/></svg>`;
