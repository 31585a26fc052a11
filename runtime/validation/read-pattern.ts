// Matches patterns of a contract in time linear in the text. The platform's engine backtracks: with `^(a+)+$` its time doubles for each further
// letter, 2.4 s for 29 of them (measured, Node 24), and blocks the process meanwhile.
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';

/** A pattern that is matched in time linear in the text. */
export interface Pattern {
  readonly test: (text: string) => boolean;
  /** Ajv caches one pattern for each of these texts. */
  readonly toString: () => string;
}

const known = new Map<string, Pattern | Error>();

/**
 * Compiles a pattern of ECMA-262 (JSON Schema 2020-12, Core, 6.4), each once. The platform's engine runs it if that is certainly fast, else RE2's
 * algorithm.
 *
 * @throws Error for a syntax error, and for a pattern that neither can run in linear time
 */
export function readPattern(source: string): Pattern {
  const found = known.get(source) ?? tryPattern(source);
  known.set(source, found);
  if (found instanceof Error) throw found;
  return found;
}

function tryPattern(source: string): Pattern | Error {
  try {
    const expression = compilePattern(source);
    const parsed = parse(expression);
    return isFast(parsed) ? wrap(expression) : compileLinear(parsed);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The engine's stack overflows at some megabytes of text, as with `^([a-z])*$`: such a long text does not match. */
function wrap(expression: RegExp): Pattern {
  const test = (text: string): boolean => {
    try {
      return expression.test(text);
    } catch {
      return false;
    }
  };
  return { test, toString: () => String(expression) };
}

/**
 * A pattern for the platform's own engine, with the `u` flag if possible. Without it, redundant escapes such as `[\w\-]` are allowed, which many authors
 * write.
 *
 * @throws SyntaxError for a pattern that is invalid with and without the flag, or too large
 */
export function compilePattern(source: string): RegExp {
  try {
    return compile(source, 'u');
  } catch (error) {
    try {
      return compile(source, '');
    } catch {
      throw error;
    }
  }
}

function compile(source: string, flags: string): RegExp {
  const expression = new RegExp(source, flags);
  // The engine compiles a pattern at its first use, and only then detects that it is too large.
  expression.test('');
  return expression;
}

function parse({ source, unicode }: RegExp): AST.Pattern {
  return new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode });
}

/** Upper bounds on the work of a backtracking engine for one text. */
interface Work {
  /** Number of matching paths through the pattern. */
  readonly ways: number;
  readonly steps: number;
  /** The fewest characters that it matches. */
  readonly least: number;
}

const probedLength = 10_000;
/** Limit for each further character: 0.1 s for a body of 10 MiB. */
const mostStepsPerCharacter = 32;
/** Limit for a text of the probed length: 25 ms. */
const mostSteps = 5_000_000;

/** Compares upper bounds: it may be false for a fast pattern, but is never true for a slow one. */
function isFast(pattern: AST.Pattern): boolean {
  const steps = measurePattern(pattern, probedLength);
  const more = measurePattern(pattern, 2 * probedLength) - steps;
  return steps <= mostSteps && more <= mostStepsPerCharacter * probedLength;
}

function measurePattern({ alternatives }: AST.Pattern, length: number): number {
  const { steps } = measureChoice(alternatives, length);
  return alternatives.every(isAnchored) ? steps : steps * length;
}

function isAnchored({ elements: [first] }: AST.Alternative): boolean {
  if (first?.type === 'Assertion') return first.kind === 'start';
  return (first?.type === 'Group' || first?.type === 'CapturingGroup') && first.alternatives.every(isAnchored);
}

function measureChoice(alternatives: readonly AST.Alternative[], length: number): Work {
  let ways = 0;
  let steps = 1;
  let least = Infinity;
  for (const { elements } of alternatives) {
    let waysHere = 1;
    let leastHere = 0;
    for (const element of elements) {
      const work = measure(element, length);
      steps += waysHere * work.steps;
      waysHere *= work.ways;
      leastHere += work.least;
    }
    ways += waysHere;
    least = Math.min(least, leastHere);
  }
  return { ways, steps, least };
}

function measure(element: AST.Element, length: number): Work {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return measureChoice(element.alternatives, length);
    case 'Quantifier':
      return measureRepetition(element, length);
    case 'Assertion':
      // The engine does not backtrack into an assertion.
      return 'alternatives' in element
        ? { ...measureChoice(element.alternatives, length), ways: 1, least: 0 }
        : nothing;
    case 'Backreference':
      return { ways: 1, steps: length, least: 0 };
    default:
      return one;
  }
}

const one: Work = { ways: 1, steps: 1, least: 1 };
const nothing: Work = { ...one, least: 0 };

function measureRepetition({ min, max, element }: AST.Quantifier, length: number): Work {
  const inner = measure(element, length);
  const most = Math.min(max, length / Math.max(1, inner.least));
  const least = min * inner.least;
  if (inner.ways <= 1) return { ways: Math.max(1, most - min + 1), steps: most * inner.steps + 1, least };
  let ways = 0;
  let steps = 1;
  for (let count = 0, waysHere = 1; count <= most; count += 1, waysHere *= inner.ways) {
    steps += waysHere * inner.steps;
    if (count >= min) ways += waysHere;
    if (!Number.isFinite(steps)) break;
  }
  return { ways, steps, least };
}

/**
 * Counts the characters of the longest text that a generator creates from a pattern: nested repetitions can exceed memory.
 *
 * @param endless repetitions of the generator for a quantifier without an upper bound
 * @returns Infinity for a pattern with a syntax error
 */
export function measureLongest(source: string, endless: number): number {
  try {
    return longestOf(parse(compilePattern(source)).alternatives, endless);
  } catch {
    return Infinity;
  }
}

function longestOf(alternatives: readonly AST.Alternative[], endless: number): number {
  const lengths = alternatives.map(({ elements }) =>
    elements.reduce((sum, element) => sum + longestElement(element, endless), 0),
  );
  return Math.max(...lengths);
}

function longestElement(element: AST.Element, endless: number): number {
  if ('alternatives' in element) return longestOf(element.alternatives, endless);
  if (element.type === 'Quantifier')
    return (
      (element.max === Infinity ? Math.max(element.min, endless) : element.max) *
      longestElement(element.element, endless)
    );
  return element.type === 'Backreference' ? endless : 1;
}

/** Limit of characters times automaton states, for all texts of one value: 2 s at most, usually 0.1 s. */
const mostLinearSteps = 30_000_000;
let stepsLeft = mostLinearSteps;

/** Call this before each validation of a value. Its texts share the steps; values don't, since validation is synchronous. */
export function renewSteps(): void {
  stepsLeft = mostLinearSteps;
}

function compileLinear(pattern: AST.Pattern): Pattern {
  const expression = RE2JS.compile(spellChoice(pattern.alternatives));
  const size = expression.programSize();
  return {
    test: (text) => spendSteps(text.length * size) && expression.test(text),
    toString: () => `linear ${pattern.raw}`,
  };
}

/** @returns false if fewer steps are left; the text does not match then */
function spendSteps(count: number): boolean {
  if (count > stepsLeft) return false;
  stepsLeft -= count;
  return true;
}

/** Throws for syntax that RE2 does not have. */
function refuse(what: string): never {
  throw new Error(`it may take more than linear time, and no linear engine runs ${what}`);
}

/** Writes a pattern in the syntax of RE2. Each set is spelt out, since RE2 has others for `\s`, `.` and `$`. */
function spellChoice(alternatives: readonly AST.Alternative[]): string {
  return alternatives.map(({ elements }) => elements.map(spell).join('')).join('|');
}

function spell(element: AST.Element): string {
  switch (element.type) {
    case 'Group':
      if (element.modifiers !== null) refuse('a modifier');
      return `(?:${spellChoice(element.alternatives)})`;
    case 'CapturingGroup':
      return `(?:${spellChoice(element.alternatives)})`;
    case 'Quantifier': {
      const { min, max } = element;
      return `(?:${spell(element.element)}){${min},${max === Infinity ? '' : max}}`;
    }
    case 'Assertion':
      if (element.kind === 'start') return '\\A';
      if (element.kind === 'end') return '\\z';
      if (element.kind === 'word') return element.negate ? '\\B' : '\\b';
      return refuse(`a ${element.kind}`);
    case 'Backreference':
      return refuse('a back-reference');
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return spellSet(readSet(element));
    default:
      return refuse('a class of strings');
  }
}

/** Code points from and to, both included. */
type Ranges = readonly (readonly [number, number])[];

const highest = 0x10ffff;
/** Shorthands whose members are code points of 16 bits. */
const shorthands = { any: '[\\n\\r\\u2028\\u2029]', digit: '\\d', space: '\\s', word: '\\w' } as const;

function readSet(
  node: AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ClassRangesCharacterClassElement,
): Ranges {
  switch (node.type) {
    case 'Character':
      // A surrogate, in a pattern without the flag u.
      if (node.value >= 0xd800 && node.value <= 0xdfff) refuse('half a character');
      return [[node.value, node.value]];
    case 'CharacterClassRange':
      return [[node.min.value, node.max.value]];
    case 'CharacterClass': {
      // Only patterns with the flag v have other elements.
      const sets = (node.elements as readonly AST.ClassRangesCharacterClassElement[]).flatMap(readSet);
      return node.negate ? invert(sets) : sets;
    }
    default: {
      if (node.kind === 'property') return collect(node.raw, highest);
      const set = collect(shorthands[node.kind], 0xffff);
      return node.kind === 'any' || node.negate ? invert(set) : set;
    }
  }
}

const collected = new Map<string, Ranges>();
/** A property is looked up in all characters, which takes 80 ms. */
const mostCollected = 20;

/** The members of a class up to a code point, by the platform's own tables: those of RE2 have fewer names. */
function collect(source: string, last: number): Ranges {
  const found = collected.get(source);
  if (found !== undefined) return found;
  if (last === highest && collected.size >= mostCollected) refuse(`one class more than ${mostCollected}`);
  const expression = new RegExp(source, 'u');
  const ranges: [number, number][] = [];
  for (let code = 0; code <= last; code += 1) {
    if (!expression.test(String.fromCodePoint(code))) continue;
    const latest = ranges.at(-1);
    if (latest?.[1] === code - 1) latest[1] = code;
    else ranges.push([code, code]);
  }
  collected.set(source, ranges);
  return ranges;
}

function invert(ranges: Ranges): Ranges {
  const inverted: [number, number][] = [];
  let next = 0;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from > next) inverted.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= highest) inverted.push([next, highest]);
  return inverted;
}

function spellSet(ranges: Ranges): string {
  const hex = (code: number): string => `\\x{${code.toString(16)}}`;
  // RE2 has no empty class.
  if (ranges.length === 0) return `[^\\x{0}-${hex(highest)}]`;
  return `[${ranges.map(([from, to]) => `${hex(from)}-${hex(to)}`).join('')}]`;
}
