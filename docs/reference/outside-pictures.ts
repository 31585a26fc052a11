// Finds pictures from elsewhere, to report them to the author of the contract: the page shows only their alternative text (`allowed-markdown.ts`).
import { formatPointer, isObject } from '@lockstep/json/json-pointer';
import { type Reading, readingOf } from '@lockstep/json/schema-keywords';
import MarkdownIt from 'markdown-it';
import { fetchedBy, inPage, listElements } from './outside-addresses.ts';

/** A picture that a contract names by an address. */
export interface OutsidePicture {
  readonly address: string;
  /** Pointer of the text that shows the picture, in the bundled contract. */
  readonly pointer: string;
}

const markdown = new MarkdownIt({ html: true });
// An address is reported as its author wrote it.
markdown.normalizeLink = (address) => address;
markdown.validateLink = () => true;

/** Addresses outside the page that Markdown shows; those in code do not count. */
export function findShown(text: string): readonly string[] {
  if (!/[!<]/.test(text)) return [];
  const tokens = markdown.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  const pictures = tokens
    .filter(({ type }) => type === 'image')
    .map((token) => String(token.attrGet('src') ?? '').trim());
  const html = tokens.filter(({ type }) => type.startsWith('html_')).map(({ content }) => content);
  return [
    ...pictures.filter((address) => !inPage.test(address)),
    ...listElements(html.join(''), true).flatMap(fetchedBy),
  ];
}

/** The strings of a contract that Redoc draws as Markdown, and its logo, each with the object that contains it. */
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
    // An extension is data that only its owner interprets.
    if (isKeyword && name.startsWith('x-') && name !== 'x-webhooks') continue;
    const within = Array.isArray(node) ? 'keywords' : readingOf(reading, name);
    if (within !== 'data') yield* drawn(value, place, within);
  }
}

/**
 * Finds every picture from elsewhere, and removes a logo from elsewhere.
 *
 * @param document an OpenAPI document as one plain value; changed in place
 * @returns the pictures that the page does not show, in the order of the document
 */
export function findPictures(document: unknown): readonly OutsidePicture[] {
  // The list is completed first: a walk through a changing object would miss members.
  return [...drawn(document)].flatMap(({ holder, name, at }) => {
    const value = holder[name];
    const pointer = formatPointer(at);
    if (typeof value === 'string') return findShown(value).map((address) => ({ address, pointer }));
    if (!isObject(value) || typeof value.url !== 'string' || inPage.test(value.url)) return [];
    delete holder[name];
    return [{ address: value.url, pointer }];
  });
}
