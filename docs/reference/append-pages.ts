import { parse } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';

/** A page next to the contract, as `npm run docs -- --page FILE` names it. */
export interface DocsPage {
  readonly file: string;
  readonly markdown: string;
  /** The pictures that it shows from local files, by their address in the page. */
  readonly pictures: Readonly<Record<string, Picture>>;
}

export interface Picture {
  /** `data:image/…` */
  readonly address: string;
  /** Width and height in pixels; undefined if unknown. */
  readonly width?: string;
  readonly height?: string;
}

/** An address with a scheme, or of another host: no local file. */
const elsewhere = /^(?:[a-z][a-z0-9+.-]*:|\/|#|$)/i;
/** An address that works in the reference: another site, or a place of the reference itself. */
const reachable = /^(?:https?:|mailto:|#(?:operation|section|tag)\/)/i;

/**
 * Appends pages to the description of a contract, each as a section. The first heading of a page, or else the name of its file, becomes the
 * name of the section. All other headings move below it. A link to a local file would be broken, so only its text stays. A local picture becomes part
 * of the page; of a picture from elsewhere, only the alternative text stays.
 */
export function appendPages(description: string | undefined, pages: readonly DocsPage[]): string {
  return [description ?? '', ...pages.map(writeSection)]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The addresses of all pictures that a page shows from local files, each once. */
export function findPictures(markdown: string): readonly string[] {
  const found = nodesOf(fromMarkdown(markdown)).flatMap((node) => (node.type === 'image' ? (node.url ?? '') : []));
  return [...new Set(found.filter((address) => !elsewhere.test(address)))];
}

/** A part of a page as the parser gives it. */
interface Node {
  readonly type: string;
  readonly position?: Position | undefined;
  readonly children?: readonly Node[];
  /** Of a heading, from 1 to 6. */
  readonly depth?: number;
  /** Of a link or a picture. */
  readonly url?: string;
  readonly alt?: string | null | undefined;
}

interface Position {
  readonly start: { readonly offset?: number | undefined };
  readonly end: { readonly offset?: number | undefined };
}

/** A part of the text to replace. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function writeSection({ file, markdown, pictures }: DocsPage): string {
  const tree = fromMarkdown(markdown);
  const nodes = nodesOf(tree);
  const [opening] = tree.children;
  const title = opening?.type === 'heading' ? opening : undefined;
  const headings = nodes.filter((node) => node.type === 'heading' && node !== title);
  const down = 2 - Math.min(...headings.map(({ depth = 1 }) => depth));
  const edits = [
    ...headings.flatMap((heading) => moveHeading(heading, down)),
    ...nodes.flatMap((node) => writeLink(node, pictures)),
  ];
  const name = title === undefined ? nameAfter(file) : rewrite(markdown, edits, innerOf(title));
  const from = title === undefined ? 0 : spanOf(title).to;
  const body = rewrite(markdown, edits, { from, to: markdown.length });
  return `# ${name}\n\n${title === undefined ? body : body.replace(/^\r?\n/, '')}`;
}

/** An underlined heading becomes one with `#` signs. */
function moveHeading(heading: Node, down: number): readonly Edit[] {
  const { from, to } = spanOf(heading);
  const inner = innerOf(heading);
  const signs = '#'.repeat(Math.min((heading.depth ?? 1) + down, 6));
  return [
    { from, to: inner.from, text: `${signs} ` },
    { from: inner.to, to, text: '' },
  ];
}

function writeLink(node: Node, pictures: DocsPage['pictures']): readonly Edit[] {
  const { url = '', alt } = node;
  const span = spanOf(node);
  if (node.type === 'image') {
    const picture = pictures[url];
    return [{ ...span, text: picture === undefined ? (alt ?? '') : writePicture(alt ?? '', picture) }];
  }
  if (node.type !== 'link' || reachable.test(url)) return [];
  const inner = innerOf(node);
  return [
    { from: span.from, to: inner.from, text: '' },
    { from: inner.to, to: span.to, text: '' },
  ];
}

/** Writes an HTML element, since Redoc does not draw an SVG with a `data:` address from Markdown's own syntax. */
function writePicture(words: string, { address, width, height }: Picture): string {
  const attributes = Object.entries({ alt: words, width, height, src: address }).flatMap(([name, value]) =>
    value === undefined
      ? []
      : `${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`,
  );
  return `<img ${attributes.join(' ')}>`;
}

/** The part of a text with the edits in it. */
function rewrite(text: string, edits: readonly Edit[], { from, to }: Omit<Edit, 'text'>): string {
  const own = edits
    .filter((edit) => edit.from >= from && edit.to <= to)
    .toSorted((a, b) => a.from - b.from || a.to - b.to);
  let written = '';
  let at = from;
  for (const edit of own) {
    written += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return written + text.slice(at, to);
}

/** All nodes, each before its children. Code has no children. */
function nodesOf(node: Node): readonly Node[] {
  return [node, ...(node.children ?? []).flatMap(nodesOf)];
}

function spanOf({ position }: Node): Omit<Edit, 'text'> {
  return { from: position?.start.offset ?? 0, to: position?.end.offset ?? 0 };
}

/** The text of a heading or a link; without text, an empty part at its end. */
function innerOf(node: Node): Omit<Edit, 'text'> {
  const [first] = node.children ?? [];
  const last = node.children?.at(-1);
  const { to } = spanOf(node);
  return first === undefined || last === undefined
    ? { from: to, to }
    : { from: spanOf(first).from, to: spanOf(last).to };
}

function nameAfter(file: string): string {
  const words = parse(file).name.replaceAll(/[-_]+/g, ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
