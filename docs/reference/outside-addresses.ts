// What a finished page must not contain: an address that the browser fetches by itself. Links that a reader follows
// are fine, and so are the names of XML namespaces.
import {
  attribute,
  fetchedByStyle,
  fetchingAttributes,
  fetchingLinks,
  inPage,
  replacePictures,
} from './outside-pictures.ts';
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

// What the words of the contract say is drawn as text between tags, and fetches nothing.
const tag = /<([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/gi;
const styleElement = /<style\b[^>]*>([\s\S]*?)<\/style>/gi;

function firstGroups(text: string, patterns: readonly RegExp[]): readonly string[] {
  return patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), (match) => match[1] ?? ''));
}

/** What the elements of a page fetch by themselves, and what their styles do. */
function fetchedBy(html: string): readonly string[] {
  const fetched: string[] = [];
  const styles = firstGroups(html, [styleElement]);
  for (const [, element = '', attributes = ''] of html.matchAll(tag)) {
    for (const [, name = '', ...values] of attributes.matchAll(attribute)) {
      const value = values.find((one) => one !== undefined) ?? '';
      const fetches = fetchingAttributes.test(name) || (/^href$/i.test(name) && fetchingLinks.test(element));
      if (fetches && !inPage.test(value.trim())) fetched.push(value.trim());
      if (/^style$/i.test(name)) fetched.push(...firstGroups(value, fetchedByStyle));
    }
  }
  return [...fetched, ...styles.flatMap((style) => firstGroups(style, fetchedByStyle))];
}

/**
 * Lists what would be fetched from elsewhere, or might be, as sentences for whoever builds the page.
 *
 * @returns an empty list when the page stands alone
 */
export function findOutsideAddresses({ frame, script, definition }: Page): readonly string[] {
  const unknown = firstGroups(script, [absolute]).filter((host) => !Object.hasOwn(namedOnly, host.toLowerCase()));
  return [
    ...[...new Set(unknown)].map((host) => `the renderer names ${host}, of which nobody has said what it is for`),
    ...frame.flatMap(fetchedBy).map((address) => `the page fetches ${address}`),
    ...replacePictures(JSON.parse(definition)).map(({ address }) => `the contract shows a picture from ${address}`),
  ];
}
