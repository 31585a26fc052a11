// Draws ten pages and sixty messages for readers who do not know the project. Each sentence gets a number, which a mark names.
//
//   node bench/readers/draw.ts > drawn.txt
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';
import { parseAst } from 'rolldown/parseAst';

/** Committed, so that nobody can choose what is read. */
const seed = 'plain words, 2026-11-25';

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');

/** The first of a random order that depends on the seed and the text of each item alone: an edit elsewhere changes nothing. */
function draw<T>(items: readonly T[], count: number, nameOf: (item: T) => string): T[] {
  const place = (item: T) =>
    createHash('sha256')
      .update(`${seed}\n${nameOf(item)}`)
      .digest('hex');
  return items
    .map((item) => ({ item, place: place(item) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, count)
    .map(({ item }) => item);
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Sentences of the prose of a page, one row of a table being one; code blocks are left out. */
function sentencesOf(markdown: string): string[] {
  const sentences: string[] = [];
  let row: string[] | undefined;
  for (const token of new MarkdownIt('commonmark').enable('table').parse(markdown, {})) {
    if (token.type === 'tr_open') row = [];
    if (token.type === 'tr_close') {
      if (row !== undefined) sentences.push(row.join(' | '));
      row = undefined;
    }
    if (token.type !== 'inline') continue;
    const text = (token.children ?? [])
      .map(({ type, content }) => (type === 'code_inline' ? `\`${content}\`` : /break$/.test(type) ? ' ' : content))
      .join('');
    if (row === undefined) sentences.push(...Array.from(segmenter.segment(text), ({ segment }) => segment.trim()));
    else row.push(text);
  }
  return sentences.filter((sentence) => /\p{L}/u.test(sentence));
}

const isSource = /^(cli|conformance|docs|json|mock|runtime|server|shell|toolkit|values)\/.*\.ts$|^[^/]+\.ts$/;
const isNoMessage =
  /\.test(-d)?\.ts$|\/(fixtures|odd|planted|false-positives|seeded|suite|generated|examples|project)\/|\.gen\.ts$|\/rules\/reading\/|config\.ts$|\/(de|es|fr|ja)\.ts$/;

interface Part {
  readonly type?: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
  readonly expressions?: readonly unknown[];
  readonly left?: Part;
  readonly right?: Part;
}

/** A literal, or several that the source joins for the length of its lines. */
function textOf({ type, value, quasis, left, right }: Part): string | undefined {
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type === 'TemplateLiteral') return quasis?.map((quasi) => quasi.value.cooked).join('…');
  if (type !== 'BinaryExpression' || left === undefined || right === undefined) return undefined;
  const [before, after] = [textOf(left), textOf(right)];
  return before === undefined || after === undefined ? undefined : before + after;
}

/** Texts of four words and more, each value in them as an ellipsis: messages, help and titles, no comments. */
function messagesOf(file: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const text = textOf(node as Part);
    if (text !== undefined) found.push(text);
    else Object.values(node).forEach(visit);
    if ((node as Part).type === 'TemplateLiteral') visit((node as Part).expressions);
  };
  visit(parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }, file));
  return found
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => (text.match(/(?<![^\s('"])\p{L}[\p{L}'-]*(?=[\s,.:;)'"!?]|$)/gu) ?? []).length >= 4)
    .filter(
      (text) => !/^(<|, |select |insert |create |update |delete |with |\.|--)|[{}<]|;\s|=>|function /i.test(text),
    );
}

const pages = files.filter((file) => file.endsWith('.md') && !/CHANGELOG|fixtures|changelog/.test(file));
const messages = files
  .filter((file) => isSource.test(file) && !isNoMessage.test(file))
  .flatMap((file) => messagesOf(file).map((text) => ({ file, text })));

for (const [index, page] of draw(pages, 10, (name) => name).entries()) {
  console.log(`\n# Page ${index + 1}: ${page}\n`);
  for (const [line, sentence] of sentencesOf(readFileSync(page, 'utf8')).entries())
    console.log(`${index + 1}.${line + 1}  ${sentence}`);
}
console.log('\n# Messages: each … is a value that the program fills in\n');
for (const [index, { text }] of draw(messages, 60, ({ file, text }) => `${file}\n${text}`).entries())
  console.log(`M${index + 1}  ${text}`);
console.error(`${pages.length} pages, ${messages.length} messages`);
