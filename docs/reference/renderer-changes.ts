// Changes of Redoc's bundle. Each replaces a text that must be there, or the build stops.
//
// - Markdown shows only allowed elements (`allowed-markdown.ts`).
// - The bundle names addresses that a reader's browser would request: pictures for icons, its logo, telemetry. Each becomes an inert value, so that
//   the page works offline and nobody learns that it is read.
// - The search lists the introduction as one result, by the name of the API, below all operations. Here each section is a separate result.
//   A found response leads to the top of its operation. Here it leads to the response.

import { allowedMarkdown, keepAllowed } from './allowed-markdown.ts';

/** A dot, for icons that Redoc would fetch by name. `#` turns the name that Redoc appends into a fragment. */
const dot = svgUri('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="4"/></svg>');

/** The name of the renderer as plain text in place of its logo. */
const logo = svgUri(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 44 16" height="16">' +
    '<text x="0" y="12" font-family="sans-serif" font-size="12" font-weight="600" fill="#3b82d6">Redoc</text></svg>',
);

function svgUri(svg: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

export interface RendererChange {
  readonly text: string;
  readonly instead: string;
}

/** If one address begins with another, the longer one is first. */
export const inertAddresses: readonly RendererChange[] = [
  { text: 'https://cdn.redocly.com/icons/fa/7.0.0', instead: `${dot}#` },
  { text: 'https://cdn.redocly.com/icons/code/5.24.0', instead: `${dot}#` },
  { text: 'https://cdn.redoc.ly/redoc/logo-mini-full.svg', instead: logo },
  { text: 'https://cdn.redoc.ly/redoc/logo-mini.svg', instead: logo },
  { text: 'https://otel.cloud.redocly.com/v1/traces', instead: 'data:,' },
  { text: 'http://localhost:4318/', instead: 'data:,' },
];

/** One result of Redoc's search. */
export interface SearchedPlace {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** Titles of the outer sections. */
  readonly path: readonly string[];
  /** `root`: the introduction. */
  readonly kind: string;
  readonly parameters?: readonly SearchedPart[];
}

interface SearchedPart {
  readonly name: string;
  readonly description: string;
  /** `description` for a section of Markdown. */
  readonly place: string;
  readonly deepLink?: string;
}

/**
 * Makes each section of the introduction a separate result, ranked by its title like an operation: an error code is the title of
 * its entry. Runs in the page, so it refers to nothing outside its own body.
 */
export function splitIntroduction(place: SearchedPlace): readonly SearchedPlace[] {
  const isSection = (part: SearchedPart) => part.place === 'description' && part.deepLink?.startsWith('/#section/');
  const sections = place.kind === 'root' ? (place.parameters ?? []).filter(isSection) : [];
  const [first] = sections;
  if (first === undefined) return [place];
  const titleOf = (link: string) => sections.filter(({ deepLink }) => deepLink === link).map(({ name }) => name);
  const { parameters, ...rest } = place;
  return [
    {
      ...rest,
      text: place.text.split(first.name)[0] ?? '',
      parameters: (parameters ?? []).filter((part) => !isSection(part)),
    },
    ...sections.map(({ name, description, deepLink = '' }) => ({
      ...{ id: deepLink, url: deepLink.replace('#', ''), title: name, text: description, kind: place.kind },
      path: [place.title, ...titleOf(deepLink.slice(0, deepLink.lastIndexOf('/')))],
    })),
  ];
}

const searchChanges: readonly RendererChange[] = [
  // Redoc skips the sections of a place without a slug, such as the introduction.
  { text: 'if(!e||typeof e==`string`||!t.slug)return;', instead: 'if(!e||typeof e==`string`)return;' },
  {
    text: 'let c=i.getResult(),l=new EOe;',
    instead: `let c=i.getResult().flatMap(${splitIntroduction}),l=new EOe;`,
  },
  // Redoc joins the last word of a line or a cell to the first of the next one.
  {
    text: '`string`&&t.push(e.attributes.content);',
    instead:
      '`string`?t.push(e.attributes.content):[`softbreak`,`hardbreak`,`item`,`td`,`th`].includes(e.type)&&t.push(` `);',
  },
  // Redoc scrolls only to the plural name, which it uses elsewhere.
  { text: 'Vh(`response`,void 0,', instead: 'Vh(`responses`,void 0,' },
];

const keeping = (parsed: string) => `return(${keepAllowed})(${parsed},${JSON.stringify(allowedMarkdown)})`;

export const rendererChanges: readonly RendererChange[] = [
  ...inertAddresses,
  ...searchChanges,
  { text: 'return rB(Wz.parse(qB(n)))', instead: keeping('rB(Wz.parse(qB(n)))') },
];

/** The same change for Redocly's code that renders the introduction in advance. */
export const drawnBeforehand: RendererChange = {
  text: 'return uSe(Co.parse(kj(r)))',
  instead: keeping('uSe(Co.parse(kj(r)))'),
};

/**
 * Replaces all occurrences of each text in the script.
 *
 * @returns the script, and the texts that did not occur: the renderer has changed, so the table must be corrected
 */
export function changeRenderer(
  script: string,
  table: readonly RendererChange[] = rendererChanges,
): { readonly script: string; readonly missing: readonly string[] } {
  const missing = table.filter(({ text }) => !script.includes(text)).map(({ text }) => text);
  return {
    script: table.reduce((changed, { text, instead }) => changed.replaceAll(text, () => instead), script),
    missing,
  };
}
