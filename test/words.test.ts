import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';

// A word that only this project uses costs every reader a second look. `docs/glossary.md` lists the old words and what to write instead.

const [terms = '', senses = ''] = readFileSync('docs/glossary.md', 'utf8').split('## Words with one sense');

/** The cells of a table of the page. */
const rowsOf = (page: string): string[][] =>
  page.split('\n').flatMap((line) =>
    line.startsWith('| ')
      ? [
          line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ]
      : [],
  );

/** Each old word with what to write instead. */
const replaced = new Map(
  rowsOf(terms)
    .slice(2)
    .flatMap(([term = '', , old = '']) => old.split(', ').flatMap((word) => (word === '' ? [] : [[word, term]]))),
);

/** Words of plain English that are vague in a sentence. In names of members they may be part of the wire format. */
const vague = new Map(
  rowsOf(senses).flatMap(([words = '', sense, instead = '']) =>
    sense === 'Not used.' ? words.split(', ').map((word) => [word, instead]) : [],
  ),
);

/** The replaced words with their endings, the vague ones as they are: `besides` is not vague. */
const replacedWords = `(${[...replaced.keys()].join('|')})(?:s|d|ed|ing)?`;
const inNames = new RegExp(`(?<![\\w-])${replacedWords}(?![\\w-])`, 'gi');
const inProse = new RegExp(`(?<![\\w-])(?:${replacedWords}|(${[...vague.keys()].join('|')}))(?![\\w-])`, 'gi');

/** `wordsOf('valueLadder')` is `value Ladder`: each part of a name is a word. */
const wordsOf = (name: string): string => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[_./-]/g, ' ');

/** Texts of others, of the past, or generated from the contract. */
const isQuoted =
  /^docs\/glossary|\.gen\.ts$|\/generated\/|^toolkit\/fixtures\/|^bench\/clients\/programs\/|^test\/corpus\/|^test\/words/;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|md|yaml)$/.test(file) && !isQuoted.test(file));

/** Texts that keep their words: error bodies of the service, its members in YAML, and the name of a setting. */
const kept =
  /left out beside this cursor|it ends too early|\bsays(?=:)|required: \[in, at, says, nearest\]|\bSECOND_OPINION\b/g;

interface Prose {
  readonly at: number;
  readonly prose: string;
  readonly isName?: boolean;
}

/** Prose of a file: of TypeScript its comments, texts of several words, and names. */
function* proseOf(file: string, text: string): Generator<Prose> {
  if (!file.endsWith('.ts')) return yield { at: 0, prose: text };
  const { program, comments } = parseSync(file, text, { lang: 'ts' });
  for (const { start, value } of comments) yield { at: start, prose: value };
  const nodes: unknown[] = [program];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    nodes.push(...Object.values(node).filter((part) => part !== undefined));
    const { type, start = 0, value, name } = node as { type?: string; start?: number; value?: unknown; name?: unknown };
    if (type === 'Identifier') yield { at: start, prose: String(name), isName: true };
    if (type === 'Literal' && typeof value === 'string' && value.includes(' ')) yield { at: start, prose: value };
    if (type === 'TemplateElement') yield { at: start, prose: (value as { raw: string }).raw };
  }
}

/** Text in code marks is a name on the wire or in a file. Places stay the same, so that lines can be counted. */
const withoutCode = (prose: string): string =>
  prose.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replaceAll(/\w/g, '.'));

/** Comments that begin without a subject: `What …`. */
const isHeadless = /^[\s*]*(What|Whatever|Whoever)\b/;

/** Names without an old word: most names stand in many places. */
const cleanNames = new Set<string>();

/** The old words in a text, with their places. */
const oldWordsOf = ({ prose, isName }: Prose): RegExpExecArray[] => {
  if (isName && cleanNames.has(prose)) return [];
  const text = withoutCode(prose).replaceAll(kept, (known) => '.'.repeat(known.length));
  const found = [...(isName ? wordsOf(text) : text).matchAll(isName ? inNames : inProse)];
  if (isName && found.length === 0) cleanNames.add(prose);
  return found;
};

test.each<Prose & { name: string; found: string[] }>([
  { name: 'a sentence', at: 0, prose: 'The ladders tell it, and besides it tells.', found: ['ladders', 'tells'] },
  { name: 'a name', at: 0, prose: 'valueLadder', isName: true, found: ['Ladder'] },
  { name: 'a member of the wire format', at: 0, prose: 'says', isName: true, found: [] },
  { name: 'code in a sentence', at: 0, prose: 'The member `says` and a second-hand tale.', found: [] },
  { name: 'a setting', at: 0, prose: 'SECOND_OPINION', isName: true, found: [] },
])('$name is searched for old words', ({ found, ...prose }) => {
  expect(oldWordsOf(prose).map(([word]) => word)).toEqual(found);
});

// Every file is read: 3 s on idle cores.
test('no text and no name has a word that the glossary has replaced', () => {
  const found = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...proseOf(file, text), { at: 0, prose: file, isName: true }].flatMap((prose) =>
      oldWordsOf(prose).map(({ 0: word, 1: old = '', index }) => {
        const line = text.slice(0, prose.at + index).split('\n').length;
        const instead = replaced.get(old.toLowerCase()) ?? vague.get(word.toLowerCase());
        return `${file}:${line} ${word}: write ${instead}`;
      }),
    );
  });
  expect(found).toEqual([]);
});

test('no comment begins with a relative clause that has no noun', () => {
  const found = files.flatMap((file) => {
    if (!file.endsWith('.ts')) return [];
    const text = readFileSync(file, 'utf8');
    return parseSync(file, text, { lang: 'ts' }).comments.flatMap(({ start, value }) =>
      isHeadless.test(value) ? [`${file}:${text.slice(0, start).split('\n').length}`] : [],
    );
  });
  expect(found).toEqual([]);
});
