import { parse } from 'node:path';

/** A page beside the contract, as `npm run docs -- --page FILE` names it. */
export interface DocsPage {
  readonly file: string;
  readonly markdown: string;
  /** The pictures that it shows from files beside it, by the address that it names them with. */
  readonly pictures: Readonly<Record<string, Picture>>;
}

export interface Picture {
  /** `data:image/…` */
  readonly address: string;
  /** In pixels, where they are known. */
  readonly width?: string;
  readonly height?: string;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
const headingLine = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*$/;
const link = /(!?)\[([^\]]*)\]\(([^()\s]*)(?:\s+"[^"]*")?\)/g;
/** An address with a scheme, or of another host: no file beside the page. */
const elsewhere = /^(?:[a-z][a-z0-9+.-]*:|\/|#|$)/i;
/** What leads somewhere from the reference: another site, or a place of its own. */
const reachable = /^(?:https?:|mailto:|#(?:operation|section|tag)\/)/i;

/**
 * Adds pages to the description of a contract, each as a section of its own. The first heading of a page becomes the name of the section,
 * and where there is none, the name of its file. Whatever heading follows stands below it. A link to a file beside the page would lead
 * nowhere, so its words alone stay. A picture beside the page becomes part of it; of one from elsewhere its words alone stay too.
 */
export function appendPages(description: string | undefined, pages: readonly DocsPage[]): string {
  return [description ?? '', ...pages.map(writeSection)]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The addresses of all pictures that a page shows from files beside it, each once. */
export function findPictures(markdown: string): readonly string[] {
  const found = readLines(markdown)
    .filter(({ isCode }) => !isCode)
    .flatMap(({ text }) => Array.from(text.matchAll(link)))
    .flatMap(([, image, , target = '']) => (image !== '' && !elsewhere.test(target) ? target : []));
  return [...new Set(found)];
}

interface Line {
  readonly text: string;
  /** Of a heading; 0 for any other line. */
  readonly level: number;
  /** What looks like a heading or a link within a block of code is neither. */
  readonly isCode: boolean;
}

function writeSection({ file, markdown, pictures }: DocsPage): string {
  const lines = readLines(markdown).map(({ text, isCode, ...line }) => ({
    ...line,
    text: isCode ? text : text.replaceAll(link, (...match) => writeLink(match as unknown as LinkMatch, pictures)),
  }));
  const first = lines.findIndex(({ text }) => text.trim() !== '');
  const opensWithTitle = (lines[first]?.level ?? 0) > 0;
  const body = opensWithTitle ? lines.slice(first + 1) : lines;
  const title = opensWithTitle ? headingLine.exec(lines[first]?.text ?? '')?.[2] : nameAfter(file);
  const levels = body.map(({ level }) => level).filter((level) => level > 0);
  const down = 2 - Math.min(...levels);
  const written = body.map(({ text, level }) => {
    const words = level > 0 ? (headingLine.exec(text)?.[2] ?? '') : text;
    return level > 0 ? `${'#'.repeat(Math.min(level + down, 6))} ${words}` : words;
  });
  return [`# ${title}`, '', ...written].join('\n');
}

/** The lines of Markdown, and of each whether it is code. */
function readLines(markdown: string): readonly Line[] {
  let open: string | undefined;
  return markdown.split(/\r?\n/).map((text) => {
    const [, mark] = fence.exec(text) ?? [];
    const wasOpen = open !== undefined;
    if (mark !== undefined && open === undefined) open = mark;
    else if (mark !== undefined && open !== undefined && mark.startsWith(open)) open = undefined;
    const isCode = wasOpen || open !== undefined;
    return { text, isCode, level: isCode ? 0 : (headingLine.exec(text)?.[1]?.length ?? 0) };
  });
}

type LinkMatch = readonly [whole: string, image: string, words: string, target: string];

function writeLink([whole, image, words, target]: LinkMatch, pictures: DocsPage['pictures']): string {
  if (image === '') return reachable.test(target) ? whole : words;
  const picture = pictures[target];
  return picture === undefined ? words : writePicture(words, picture);
}

/** As an element: of Markdown's own pictures Redoc draws none that is an SVG within the page. */
function writePicture(words: string, { address, width, height }: Picture): string {
  const attributes = Object.entries({ alt: words, width, height, src: address }).flatMap(([name, value]) =>
    value === undefined
      ? []
      : `${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`,
  );
  return `<img ${attributes.join(' ')}>`;
}

function nameAfter(file: string): string {
  const words = parse(file).name.replaceAll(/[-_]+/g, ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
