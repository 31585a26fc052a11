import { parse } from 'node:path';

/** A page beside the contract, as `npm run docs -- --page FILE` names it. */
export interface DocsPage {
  readonly file: string;
  readonly markdown: string;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
const headingLine = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*$/;
/** Its words stay; an image has none that are worth a place. */
const link = /(!?)\[([^\]]*)\]\(([^()\s]*)(?:\s+"[^"]*")?\)/g;
/** What leads somewhere from the reference: another site, or a place of its own. */
const reachable = /^(?:https?:|mailto:|#(?:operation|section|tag)\/)/i;

/**
 * Adds pages to the description of a contract, each as a section of its own. The first heading of a page becomes the name of the section,
 * and where there is none, the name of its file. Whatever heading follows stands below it. A link to a file beside the page would lead
 * nowhere, so its words alone stay.
 */
export function appendPages(description: string | undefined, pages: readonly DocsPage[]): string {
  return [description ?? '', ...pages.map(writeSection)]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

interface Line {
  readonly text: string;
  /** Of a heading; 0 for any other line. */
  readonly level: number;
}

function writeSection({ file, markdown }: DocsPage): string {
  const lines = readLines(markdown);
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

/** What looks like a heading or a link within a block of code is neither. */
function readLines(markdown: string): readonly Line[] {
  let open: string | undefined;
  return markdown.split(/\r?\n/).map((text) => {
    const [, mark] = fence.exec(text) ?? [];
    const wasOpen = open !== undefined;
    if (mark !== undefined && open === undefined) open = mark;
    else if (mark !== undefined && open !== undefined && mark.startsWith(open)) open = undefined;
    if (wasOpen || open !== undefined) return { text, level: 0 };
    const level = headingLine.exec(text)?.[1]?.length ?? 0;
    return { text: text.replaceAll(link, keepReachable), level };
  });
}

function keepReachable(whole: string, image: string, words: string, target: string): string {
  if (image !== '') return words;
  return reachable.test(target) ? whole : words;
}

function nameAfter(file: string): string {
  const words = parse(file).name.replaceAll(/[-_]+/g, ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
