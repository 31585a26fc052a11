// What a finished page must not contain: an address that the browser fetches by itself. Links that a reader follows
// are fine, and so are the names of XML namespaces.
import type { Page } from './split-page.ts';

/** Hosts that the renderer names without fetching anything from them. A host that is not here stops the build. */
const namedOnly: Readonly<Record<string, string>> = {
  'www.w3.org': 'names of XML namespaces',
  'redocly.com': 'links from messages and from the name of the renderer',
  'github.com': 'links in licence notes and messages',
  'react.dev': 'links in messages',
  'reactrouter.com': 'links in messages',
  'yarnpkg.com': 'links in messages',
  'commonmark.org': 'a link in a comment',
  'en.wikipedia.org': 'a link in a comment',
  'claude.ai': 'opened by a button that needs an address to download the contract from, which this page has not',
  'chatgpt.com': 'the same',
  'example.com': 'an address in generated samples',
  localhost: 'an address in generated samples, and where a router looks when there is no window',
};

const absolute = /\bhttps?:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*)/gi;
const fetched = [
  /\s(?:src|srcset|poster|data|background|xlink:href)\s*=\s*["']?(?!["']?(?:data:|blob:|#|["'\s>]))([^"'\s>]+)/gi,
  /<link\b[^>]*\shref\s*=\s*["']?(?!data:|#)([^"'\s>]+)/gi,
  /\burl\(\s*["']?(?!["']?(?:data:|#))([^"')\s]+)/gi,
  /@import\s+["']?(?!url\()([^"';\s]+)/gi,
];
/** In the contract's own words: Markdown pictures, pictures in HTML and `x-logo`. JSON writes `<` as `\u003c`. */
const pictured = [
  /!\[[^\]]*\]\(\s*(?!data:|#)([^)\s]+)/gi,
  /\\u003cimg\b.*?\bsrc=\\?["']?(?!data:|#)([^"'\\\s>]+)/gi,
  /"x-logo":\{[^}]*"url":"(?!data:|#)([^"]+)"/gi,
];

function firstGroups(text: string, patterns: readonly RegExp[]): readonly string[] {
  return patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), (match) => match[1] ?? ''));
}

/**
 * Lists what would be fetched from elsewhere, or might be, as sentences for whoever builds the page.
 *
 * @returns an empty list when the page stands alone
 */
export function findOutsideAddresses({ frame, script, definition }: Page): readonly string[] {
  const unknown = firstGroups(script, [absolute]).filter((host) => !(host.toLowerCase() in namedOnly));
  return [
    ...[...new Set(unknown)].map((host) => `the renderer names ${host}, of which nobody has said what it is for`),
    ...frame.flatMap((part) => firstGroups(part, fetched)).map((address) => `the page fetches ${address}`),
    ...firstGroups(definition, pictured).map((address) => `the contract shows a picture from ${address}`),
  ];
}
