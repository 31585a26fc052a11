// Finds addresses that the browser fetches by itself: a finished page must not contain any. Links that a reader follows
// are fine, and so are the names of XML namespaces.
import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5';
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
  localhost: 'an address in generated samples, and the default of a router without a window',
};

const absolute = /\bhttps?:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*)/gi;

const fetchingAttributes = new Set(['src', 'srcset', 'poster', 'data', 'background']);
/** Elements that lead a reader away, or put another page into this one. */
const leadingAway = new Set(['base', 'embed', 'form', 'iframe', 'object']);
const fetchingLinks = new Set(['link', 'image', 'use', 'feimage']);
const fetchedByStyle = [/\burl\(\s*["']?(?!["']?(?:data:|#))([^"')\s]+)/gi, /@import\s+["']?(?!url\()([^"';\s]+)/gi];
/** An address within the page. */
export const inPage = /^(?:data:|blob:|#|$)/i;

function firstGroups(text: string, patterns: readonly RegExp[]): readonly string[] {
  return patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), (match) => match[1] ?? ''));
}

/** The elements of a page or of a part of one, as a browser reads them, in their order. */
export function listElements(html: string, part = false): readonly DefaultTreeAdapterTypes.Element[] {
  const root = part ? parseFragment(html) : parse(html, { sourceCodeLocationInfo: true });
  const found: DefaultTreeAdapterTypes.Element[] = [];
  // No recursion: deeply nested elements would overflow the stack.
  for (const waiting: DefaultTreeAdapterTypes.Node[] = [root]; waiting.length > 0; ) {
    const node = waiting.pop();
    if (node === undefined || !('childNodes' in node)) continue;
    if ('tagName' in node) found.push(node);
    if ('content' in node) waiting.push(node.content);
    waiting.push(...node.childNodes.toReversed());
  }
  return found;
}

/** Addresses outside the page that an element or its style fetches by itself. */
export function fetchedBy({ tagName, attrs, childNodes }: DefaultTreeAdapterTypes.Element): readonly string[] {
  const styled = tagName === 'style' ? childNodes.map((node) => ('value' in node ? node.value : '')).join('') : '';
  return [
    ...attrs.flatMap(({ name, value }) => {
      const fetches = fetchingAttributes.has(name) || (name === 'href' && fetchingLinks.has(tagName.toLowerCase()));
      if (fetches && !inPage.test(value.trim())) return [value.trim()];
      return name === 'style' ? firstGroups(value, fetchedByStyle) : [];
    }),
    ...firstGroups(styled, fetchedByStyle),
  ];
}

/**
 * Lists addresses that the page would or might fetch from elsewhere, as sentences for the builder of the page.
 *
 * @returns an empty list if the page is self-contained
 */
export function findOutsideAddresses({ frame, script }: Pick<Page, 'frame' | 'script'>): readonly string[] {
  const elements = listElements(frame.join(''));
  const leads = elements.filter(
    ({ tagName, attrs }) =>
      leadingAway.has(tagName) || (tagName === 'meta' && attrs.some(({ name }) => name === 'http-equiv')),
  );
  const unknown = firstGroups(script, [absolute]).filter((host) => !Object.hasOwn(namedOnly, host.toLowerCase()));
  return [
    ...[...new Set(unknown)].map((host) => `the renderer names the unknown host ${host}`),
    ...leads.map(({ tagName }) => `the page has a <${tagName}> that leads elsewhere`),
    ...elements.flatMap(fetchedBy).map((address) => `the page fetches ${address}`),
  ];
}
