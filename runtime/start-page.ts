/** The start page of a served contract for a browser. All members are text: markup in a contract is escaped. */
export interface StartPage {
  readonly title: string;
  readonly version: string;
  /** Kind of the server: `Mock`, `Server`. */
  readonly kind: string;
  /** Paragraphs below the title. */
  readonly notes: readonly string[];
  readonly addresses: readonly { readonly url: string; readonly operations: number }[];
  /** Other pages with their purpose; none by default. */
  readonly links?: readonly { readonly href: string; readonly purpose: string }[];
  readonly operations: readonly PageOperation[];
}

interface PageOperation {
  readonly operationId: string;
  /** Upper case. */
  readonly method: string;
  /** Base path included. */
  readonly path: string;
  readonly summary: string;
  /** Undefined if every operation is implemented. */
  readonly isImplemented?: boolean;
  /** A line for a shell. */
  readonly curl: string;
  /** An address that a browser can open as it is. */
  readonly href?: string | undefined;
}

/** The policy of the page, which loads and runs nothing (Content Security Policy Level 3). */
export const startPagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const style = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1b1b1b; background: #fff; }
code, pre { font: 14px/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .5rem; background: #f3f3f3; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
table { table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-top: 1px solid #ccc; overflow-wrap: anywhere; }
th:first-child { width: 4.5rem; }
th:nth-child(2) { width: 35%; }
th:nth-child(4) { width: 9rem; }
@media (max-width: 40rem) { thead { display: none; } table, tbody, tr, td { display: block; } tr { border-top: 1px solid #ccc; padding: .4rem 0; } td { border: 0; padding: 0; } td:first-child, td:nth-child(2) { display: inline; } }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } pre { background: #262626; } a { color: #9cf; } th, td { border-color: #444; } }
`;

/** One self-contained page, without scripts and pictures. */
export function formatStartPage({ title, version, kind, notes, addresses, links = [], operations }: StartPage): string {
  const name = escapeHtml(`${title} ${version}`.trim());
  const isPartial = operations.some(({ isImplemented }) => isImplemented !== undefined);
  const columns = ['Method', 'Path', 'What it does', ...(isPartial ? ['State'] : [])];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(kind)} of ${name}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(kind)} of ${name}</h1>
${notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('\n')}
<ul>
${addresses.map(({ url, operations: count }) => `<li><code>${escapeHtml(url)}</code> ${countOf(count)}</li>`).join('\n')}
${links.map(({ href, purpose }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(href)}</a> ${escapeHtml(purpose)}</li>\n`).join('')}<li><a href="/healthz">/healthz</a> for health checks</li>
</ul>
<h2>Operations</h2>
<table>
<thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody>
${operations.map(formatOperation).join('\n')}
</tbody>
</table>
</body>
</html>
`;
}

export function countOf(operations: number): string {
  return `${operations} ${operations === 1 ? 'operation' : 'operations'}`;
}

function formatOperation({ operationId, method, path, summary, isImplemented, curl, href }: PageOperation): string {
  const place = `<code>${escapeHtml(path)}</code>`;
  const linked = href === undefined ? place : `<a href="${escapeHtml(href)}">${place}</a>`;
  const state = isImplemented === undefined ? '' : `<td>${isImplemented ? 'implemented' : 'not yet: 501'}</td>`;
  return `<tr><td><code>${escapeHtml(method)}</code></td><td>${linked}</td><td><details><summary><code>${escapeHtml(operationId)}</code> ${escapeHtml(summary)}</summary><pre>${escapeHtml(curl)}</pre></details></td>${state}</tr>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.toWellFormed().replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
