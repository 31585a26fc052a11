// A page that stands alone shows no picture from elsewhere: its words stand there instead, as where a browser can't fetch it.
import { formatPointer, isObject } from '@lockstep/json/json-pointer';
import { type Reading, readingOf } from '@lockstep/json/schema-keywords';
import { readLines } from './append-pages.ts';

/** A picture that a contract names by an address. */
export interface OutsidePicture {
  readonly address: string;
  /** Of the text that shows it, in the contract as one document. */
  readonly pointer: string;
}

export const attribute = /([^\s"'/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g;
export const fetchingAttributes = /^(?:src|srcset|poster|data|background|xlink:href)$/i;
export const fetchingLinks = /^(?:link|image|use|feimage)$/i;
export const fetchedByStyle = [
  /\burl\(\s*["']?(?!["']?(?:data:|#))([^"')\s]+)/gi,
  /@import\s+["']?(?!url\()([^"';\s]+)/gi,
];
export const inPage = /^(?:data:|blob:|#|$)/i;

const words = String.raw`(?<words>(?:[^\[\]]|\[[^\[\]]*\])*)`;
const target = String.raw`\(\s*(?<target><[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`;
/** CommonMark 0.31, 6.4, in the order in which they are tried; what is code within a line is none of them. */
const shown = new RegExp(
  [
    String.raw`(?<code>\x60[^\x60\n]+\x60)`,
    String.raw`(?<style><style\b[^>]*>[\s\S]*?</style>)`,
    String.raw`\[!\[${words}\]${target}\](?<link>\([^()\s]*\)|\[[^\]]*\])`,
    String.raw`!\[${words}\]${target}`,
    String.raw`!\[${words}\](?:\[(?<label>[^\[\]]*)\])?`,
    // Of an element of HTML; words alone between < and > are none.
    String.raw`<(?<element>[a-z][^\s/>]*)(?<attributes>(?:"[^"]*"|'[^']*'|[^"'>])*)>`,
  ].join('|'),
  'gi',
);

interface Written {
  readonly text: string;
  readonly addresses: readonly string[];
}

/** Markdown with its pictures from elsewhere as their words; a link around one stays a link. What is code stays as it is. */
export function writeWithoutPictures(markdown: string): Written {
  if (!/[!<]/.test(markdown)) return { text: markdown, addresses: [] };
  const addresses: string[] = [];
  const blocks: { isCode: boolean; lines: string[] }[] = [];
  for (const { text, isCode } of readLines(markdown)) {
    const last = blocks.at(-1);
    if (last?.isCode === isCode) last.lines.push(text);
    else blocks.push({ isCode, lines: [text] });
  }
  const written = blocks.map(({ isCode, lines }) => {
    const text = lines.join('\n');
    return isCode ? text : text.replaceAll(shown, (...match) => writeShown(match, markdown, addresses));
  });
  return addresses.length === 0 ? { text: markdown, addresses } : { text: written.join('\n'), addresses };
}

function writeShown(match: readonly unknown[], markdown: string, addresses: string[]): string {
  const whole = String(match[0]);
  const { code, style, words: alt = '', target, link, label, element, attributes = '' } = match.at(-1) as Groups;
  const isOutside = (address = ''): boolean => {
    const bare = address.replace(/^<|>$/g, '').trim();
    if (inPage.test(bare)) return false;
    addresses.push(bare);
    return true;
  };
  if (code !== undefined) return whole;
  if (style !== undefined) return styledBy(style).some(isOutside) ? '' : whole;
  if (element !== undefined) return writeElement(whole, element, attributes, isOutside);
  const address = target ?? definitionOf(label || alt, markdown);
  if (!isOutside(address)) return whole;
  return link === undefined ? alt : `[${alt || link.slice(1, -1)}]${link}`;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** What a style would fetch. */
function styledBy(style: string): readonly string[] {
  return fetchedByStyle.flatMap((pattern) => Array.from(style.matchAll(pattern), ([, address = '']) => address));
}

/** `[label]: address`; CommonMark 0.31, 4.7. */
function definitionOf(label: string, markdown: string): string | undefined {
  const wanted = label.trim().toLowerCase();
  const found = Array.from(markdown.matchAll(/^ {0,3}\[([^\]]+)\]:\s*(\S+)/gm));
  return found.find(([, name]) => name?.trim().toLowerCase() === wanted)?.[2];
}

function writeElement(
  whole: string,
  element: string,
  attributes: string,
  isOutside: (address: string | undefined) => boolean,
): string {
  let alt = '';
  const fetched = new Set<string>();
  for (const [text, name = '', ...values] of attributes.matchAll(attribute)) {
    const value = values.find((one) => one !== undefined) ?? '';
    const fetches = fetchingAttributes.test(name) || (/^href$/i.test(name) && fetchingLinks.test(element));
    const addresses = fetches ? [value] : /^style$/i.test(name) ? styledBy(value) : [];
    if (addresses.filter(isOutside).length > 0) fetched.add(text);
    if (/^alt$/i.test(name)) alt = value;
  }
  if (fetched.size === 0) return whole;
  if (/^img$/i.test(element)) return alt;
  return whole.replace(attributes, () => attributes.replaceAll(attribute, (text) => (fetched.has(text) ? '' : text)));
}

/** The strings of a contract that Redoc draws as Markdown, and its logo, each with the object that it stands in. */
function* drawn(
  node: unknown,
  at: readonly string[] = [],
  reading: Reading = 'keywords',
): Generator<{ readonly holder: Record<string, unknown>; readonly name: string; readonly at: readonly string[] }> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    const place = [...at, name];
    const isKeyword = reading === 'keywords' && !Array.isArray(node);
    if (isKeyword && name === 'description' && typeof value === 'string') {
      yield { holder: node as Record<string, unknown>, name, at: place };
      continue;
    }
    if (isKeyword && name === 'x-logo') yield { holder: node as Record<string, unknown>, name, at: place };
    if (isKeyword && /^x-enum-?descriptions$/i.test(name) && isObject(value)) {
      for (const key of Object.keys(value)) {
        if (typeof value[key] === 'string')
          yield { holder: value as Record<string, unknown>, name: key, at: [...place, key] };
      }
    }
    // An extension is data for whoever knows it.
    if (isKeyword && name.startsWith('x-') && name !== 'x-webhooks') continue;
    const within = Array.isArray(node) ? 'keywords' : readingOf(reading, name);
    if (within !== 'data') yield* drawn(value, place, within);
  }
}

/**
 * Puts words in the place of every picture from elsewhere, and takes a logo from elsewhere out.
 *
 * @param document an OpenAPI document as one plain value; changed in place
 * @returns what was replaced, in the order of the document
 */
export function replacePictures(document: unknown): readonly OutsidePicture[] {
  const replaced: OutsidePicture[] = [];
  // Whoever changes an object while it is walked through would miss members.
  for (const { holder, name, at } of [...drawn(document)]) {
    const value = holder[name];
    const pointer = formatPointer(at);
    if (typeof value === 'string') {
      const { text, addresses } = writeWithoutPictures(value);
      if (addresses.length > 0) holder[name] = text;
      replaced.push(...addresses.map((address) => ({ address, pointer })));
    } else if (isObject(value) && typeof value.url === 'string' && !inPage.test(value.url)) {
      replaced.push({ address: value.url, pointer });
      delete holder[name];
    }
  }
  return replaced;
}
