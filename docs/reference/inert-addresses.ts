// Redoc's bundle names addresses that a reader's browser would call: pictures for icons, its logo, telemetry. Here
// each gets a value that asks nothing of anybody, so that the page works offline and tells nobody that it is read.

/** A dot, for the icons that Redoc would fetch by name; `#` turns the name it appends into a fragment. */
const dot = svgUri('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="4"/></svg>');

/** The name as plain text: who made the renderer is still said, without a picture of theirs. */
const logo = svgUri(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 44 16" height="16">' +
    '<text x="0" y="12" font-family="sans-serif" font-size="12" font-weight="600" fill="#3b82d6">Redoc</text></svg>',
);

function svgUri(svg: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

export interface InertAddress {
  readonly address: string;
  readonly instead: string;
}

/** Longer addresses first, where one begins with another. */
export const inertAddresses: readonly InertAddress[] = [
  { address: 'https://cdn.redocly.com/icons/fa/7.0.0', instead: `${dot}#` },
  { address: 'https://cdn.redocly.com/icons/code/5.24.0', instead: `${dot}#` },
  { address: 'https://cdn.redoc.ly/redoc/logo-mini-full.svg', instead: logo },
  { address: 'https://cdn.redoc.ly/redoc/logo-mini.svg', instead: logo },
  { address: 'https://otel.cloud.redocly.com/v1/traces', instead: 'data:,' },
  { address: 'http://localhost:4318/', instead: 'data:,' },
];

/**
 * Replaces each address wherever it stands in the script.
 *
 * @returns the script, and the addresses that did not occur: the renderer changed, and the table needs a look
 */
export function replaceAddresses(
  script: string,
  table: readonly InertAddress[] = inertAddresses,
): { readonly script: string; readonly missing: readonly string[] } {
  const missing = table.filter(({ address }) => !script.includes(address)).map(({ address }) => address);
  return { script: table.reduce((text, { address, instead }) => text.replaceAll(address, instead), script), missing };
}
