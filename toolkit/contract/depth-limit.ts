import { Lexer } from 'yaml';
import { ContractError, problemAtTop } from './contract-error.ts';
import { displayPath } from './display-path.ts';

/** Ten times as deep as any known contract. Parsers and walks recurse for each level, and deeper ones overflow the stack. */
export const deepest = 1000;

/** Limit of one file. The linter needs a gigabyte for so many values, and an address can send more in 60 kB (compressed). */
const mostValues = 2_000_000;

/**
 * Refuses a text with more values than fit in memory, or nested too deep for parsers and walks, before one of them reads it.
 *
 * @throws ContractError with the location of the excess depth
 */
export function refuseTooLargeText(source: string, text: string): void {
  refuseTooManyValues(source, text);
  refuseTooDeepText(source, text);
}

/** Applies only the limit of values. */
export function refuseTooManyValues(source: string, text: string): void {
  if (text.length > mostValues && countValues(text) > mostValues)
    throw tooLarge(
      source,
      `it holds more than ${mostValues.toLocaleString('en')} values`,
      'Split it into several contracts.',
    );
}

/** Applies only the limit of depth. */
export function refuseTooDeepText(source: string, text: string): void {
  const offset = findTooDeep(text);
  if (offset === undefined) return;
  const before = text.slice(0, offset);
  throw tooDeep(source, before.split('\n').length, offset - before.lastIndexOf('\n'));
}

/** Lists and objects that aliases may add to the text: twice as many as any walk, ours or a library's, visits in a second. */
const mostRepeated = 100_000;

/**
 * Applies these limits to the parsed value of a text with YAML aliases. Such a value is nested deeper than its text, and nine levels of nine
 * aliases hold more objects than fit in memory.
 *
 * @throws ContractError for a value that is too deep, or too large
 */
export function refuseTooLargeValue(source: string, text: string, value: unknown): void {
  if (!text.includes('*')) return;
  const { height, repeated } = measure(value);
  if (height > deepest) throw tooDeep(source, 1, 1);
  if (repeated <= mostRepeated) return;
  const message = `its aliases stand for more than ${mostRepeated.toLocaleString('en')} further lists and objects`;
  throw tooLarge(source, message, 'Move the repeated parts into components, and refer to them by $ref.');
}

function tooLarge(source: string, message: string, fix: string): ContractError {
  return new ContractError([problemAtTop(source, 'too-large', message, fix)]);
}

/** Counts the characters before a value: commas and brackets, in YAML also line breaks and item marks. Those in prose count too. */
function countValues(text: string): number {
  const signs = /^\s*\{/.test(text) ? /[,[{]/g : /[,[{\n]|[-?](?=\s)/g;
  let count = 0;
  while (signs.test(text)) count += 1;
  return count;
}

/** @returns the offset where a text is nested too deep; undefined if it is not */
export function findTooDeep(text: string): number | undefined {
  return isJson(text) ? tooDeepJson(text) : tooDeepYaml(text);
}

function tooDeep(source: string, line: number, column: number): ContractError {
  const message = `lists and objects are nested more than ${deepest} deep here`;
  const fix = 'Move the nested parts into components, and refer to them by $ref.';
  return new ContractError([{ file: displayPath(source), line, column, pointer: '#', rule: 'too-deep', message, fix }]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Counts brackets outside of strings, without recursion. */
function tooDeepJson(text: string): number | undefined {
  const marks = /["[\]{}]/g;
  let depth = 0;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    if (found[0] === '"') {
      for (let at = text.indexOf('"', marks.lastIndex); ; at = text.indexOf('"', at + 1)) {
        let escapes = 0;
        while (text[at - 1 - escapes] === '\\') escapes += 1;
        if (escapes % 2 === 1) continue;
        marks.lastIndex = at + 1;
        break;
      }
    } else if (found[0] === '[' || found[0] === '{') {
      depth += 1;
      if (depth > deepest) return found.index;
    } else depth -= 1;
  }
  return undefined;
}

/** Counts brackets by the YAML lexer, which recognizes quotes, and blocks by their columns: each level is further right. */
function tooDeepYaml(text: string): number | undefined {
  return tooDeepBlocks(text) ?? (mayNest(text) ? tooDeepFlow(text) : undefined);
}

/** Whether enough brackets are open at once, in a hundredth of the lexer's time. The parser catches texts with closing brackets in quotes. */
function mayNest(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth += 1;
    else if ((code === 0x5d || code === 0x7d) && depth > 0) depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}

/** Lexemes without text: begin and end of a document, begin of a scalar. */
const noText = new Set(['\u0002', '\u0018', '\u001f']);

function tooDeepFlow(text: string): number | undefined {
  let depth = 0;
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === '[' || lexeme === '{') depth += 1;
    else if (lexeme === ']' || lexeme === '}') depth -= 1;
    if (depth > deepest) return offset;
    if (!noText.has(lexeme)) offset += lexeme.length;
  }
  return undefined;
}

/** Counts lines with more indentation than all previous lines, and several lists on one line: `- - -`. */
function tooDeepBlocks(text: string): number | undefined {
  const starts: number[] = [];
  const line = /^( *)((?:[-?:] +)*)(?=\S)/gm;
  for (let found = line.exec(text); found !== null; found = line.exec(text)) {
    const [whole, spaces = '', marks = ''] = found;
    while ((starts.at(-1) ?? -1) >= spaces.length && starts.length > 0) starts.pop();
    starts.push(spaces.length);
    for (let at = marks.search(/ [-?:]/), from = 0; at >= 0; ) {
      from += at + 1;
      starts.push(spaces.length + from);
      at = marks.slice(from).search(/ [-?:]/);
    }
    if (starts.length > deepest) return found.index + spaces.length;
    if (whole === '') line.lastIndex = Math.max(line.lastIndex, text.indexOf('\n', found.index) + 1 || text.length);
  }
  return undefined;
}

/**
 * Height of a value, and how many of its lists and objects are repetitions. Each object is measured once. `findForeign` reports cycles.
 */
function measure(root: unknown): { readonly height: number; readonly repeated: number } {
  const measured = new Map<object, { readonly height: number; readonly size: number }>();
  const open = new Set<object>();
  if (typeof root !== 'object' || root === null) return { height: 0, repeated: 0 };
  const left: object[] = [root];
  for (let node = left.at(-1); node !== undefined; node = left.at(-1)) {
    if (measured.has(node)) {
      left.pop();
      continue;
    }
    const inner = Object.values(node).filter((value): value is object => typeof value === 'object' && value !== null);
    if (!open.has(node)) {
      open.add(node);
      const unknown = inner.filter((value) => !measured.has(value) && !open.has(value));
      left.push(...unknown);
      if (unknown.length > 0) continue;
    }
    left.pop();
    open.delete(node);
    let height = 1;
    let size = 1;
    for (const value of inner) {
      const known = measured.get(value);
      height = Math.max(height, 1 + (known?.height ?? 0));
      size += known?.size ?? 0;
    }
    measured.set(node, { height, size });
  }
  const { height = 0, size = 0 } = measured.get(root) ?? {};
  return { height, repeated: size - measured.size };
}
