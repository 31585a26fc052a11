// Regular expressions by automaton: matching takes linear time, where the platform's engine may take exponential time. The
// automata also generate texts of a given length. The platform's engine decides back-references, under a deadline.
// The library refa 0.12.1 would save 5 % of these lines, but has the properties of Unicode 15.0, no `(?i:…)`, no lookarounds
// in automata, and takes 36 ms to load.
import { createContext, Script } from 'node:vm';
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { buildAutomaton, type Reading, readingsOf, repeatedGroups } from './pattern/automaton.ts';
import { createAlphabet, highest, readCharacters } from './pattern/char-set.ts';
import { type Conjunct, createSampler, type Draw, type LengthBounds, type Sampler } from './pattern/sample.ts';
import { Dfa, dead, matched, search, Walker } from './pattern/simulate.ts';
import { createRandom } from './random.ts';

/** A regular expression of a contract, as JSON Schema means it: it matches somewhere in the text, unless it is anchored. */
export interface Pattern {
  readonly source: string;
  /** Returns the source: Ajv distinguishes patterns by it. */
  readonly toString: () => string;
  /** Takes linear time. True if about 50 ms don't decide it, which only back-references and huge counts cause. */
  readonly test: (text: string) => boolean;
}

interface Expression {
  readonly compiled: RegExp;
  /** Undefined if its syntax is newer than the parser, or nested too deep. */
  readonly parsed: AST.Pattern | undefined;
}

const deadlineMs = 50;
/** Visits of states to match one text, and to generate one. */
const most = { judge: 2_000_000, sample: 3_000_000 };
/** States that one automaton may cache. */
const mostKept = 1_000_000;
const mostAttempts = 24;
/** Later attempts ignore readability. */
const politeAttempts = 6;
const mostSamplers = 200;

const patterns = new Map<string, Pattern | undefined>();
const expressions = new Map<string, Expression | undefined>();
const samplers = new Map<string, Sampler>();

/** Compiles with flag `u`; if that fails (`^\-$`), without it. @returns undefined if neither compiles */
export function readPattern(source: string): Pattern | undefined {
  if (!patterns.has(source)) patterns.set(source, createPattern(source));
  return patterns.get(source);
}

/**
 * Generates one text that matches all patterns, in ASCII if possible. The same seed gives the same text.
 *
 * @param bounds limits of its length in code points, inclusive
 * @param word the start of longer texts, if the patterns allow it
 * @returns undefined if there is no such text, none was found, or a pattern cannot be compiled
 */
export function samplePatterns(
  sources: readonly string[],
  bounds: LengthBounds,
  seed: number,
  word = '',
): string | undefined {
  const all = sources.map((source) => ({ source, ...readExpression(source) }));
  const random = createRandom(seed);
  const budget = { left: most.sample };
  const fits = (text: string): boolean => {
    const length = [...text].length;
    return length >= bounds.min && length <= bounds.max && sources.every((source) => readPattern(source)?.test(text));
  };
  for (let attempt = 0; attempt < mostAttempts && budget.left > 0; attempt += 1) {
    const chosen: Chosen[] = [];
    // The length of a back-referenced group is found by trial.
    const isPolite = attempt < politeAttempts;
    const least = isPolite ? 0 : random(Math.min(bounds.max, bounds.min + 8) >> 1);
    const repeated = { min: least, max: least + (isPolite ? 8 >> attempt : random(8)) };
    for (const { source, parsed, compiled } of all) {
      const choice =
        parsed && compiled && choose(source, parsed, compiled.unicode, { random, budget, bounds: repeated, word });
      if (choice === undefined) return undefined;
      chosen.push(choice);
    }
    // To reach the length, arbitrary text around an unanchored match is the last resort.
    let mayExist = chosen.some(({ isOnly }) => !isOnly);
    for (const isOpen of [false, true]) {
      const draw = samplerOf(chosen, isOpen);
      const text = draw({ bounds, random, budget, isPolite, word });
      if (typeof text === 'string' && fits(text)) return text;
      mayExist ||= text !== null;
    }
    if (!mayExist) return undefined;
  }
  return undefined;
}

function createPattern(source: string): Pattern | undefined {
  const expression = readExpression(source);
  if (expression === undefined) return undefined;
  let judge: ((text: string) => boolean) | undefined;
  return {
    source,
    toString: () => source,
    test: (text) => {
      judge ??= createTest(expression);
      return judge(text);
    },
  };
}

function readExpression(source: string): Expression | undefined {
  if (!expressions.has(source)) expressions.set(source, compile(source, 'u') ?? compile(source, ''));
  return expressions.get(source);
}

function compile(source: string, flags: string): Expression | undefined {
  let compiled: RegExp;
  try {
    compiled = new RegExp(source, flags);
  } catch {
    return undefined;
  }
  try {
    const parser = new RegExpParser({ ecmaVersion: 2025 });
    return { compiled, parsed: parser.parsePattern(source, 0, source.length, { unicode: flags === 'u' }) };
  } catch {
    return { compiled, parsed: undefined };
  }
}

function createTest({ compiled, parsed }: Expression): (text: string) => boolean {
  const decide = (text: string): boolean => askPlatform(compiled, text) ?? true;
  if (parsed === undefined) return decide;
  const { unicode } = compiled;
  const automaton = buildAutomaton(parsed.alternatives, { unicode });
  const alphabet = createAlphabet(automaton.sets, unicode ? highest.withUnicode : highest.without);
  const walker = new Walker(automaton, alphabet);
  const dfa =
    automaton.lookarounds.length > 0 ? undefined : new Dfa(walker, { opensAnywhere: true, closesAnywhere: true });
  return (text) => {
    const classes = readCharacters(text, unicode).map(alphabet.classOf);
    const found = dfa === undefined ? search(walker, classes, most.judge) : run(dfa, classes);
    // An automaton that over-approximates decides only mismatches; an exact one decides both.
    return found === false || (found === true && classes.length <= automaton.isExactUpTo) ? found : decide(text);
  };
}

function run(dfa: Dfa, classes: readonly number[]): boolean | undefined {
  const limit = dfa.steps + most.judge;
  let state = dfa.start;
  for (const charClass of classes) {
    state = dfa.step(state, charClass);
    if (state === matched || state === dead) return state === matched;
    if (dfa.size > mostKept) state = dfa.forgetAllBut(state);
    if (dfa.steps > limit) return undefined;
  }
  return dfa.accepts(state);
}

const sandbox: { expression?: RegExp; text?: string } = {};
let script: Script | undefined;

/** Asks the platform's engine, which may backtrack exponentially. @returns undefined after the deadline */
function askPlatform(expression: RegExp, text: string): boolean | undefined {
  if (script === undefined) {
    createContext(sandbox);
    script = new Script('expression.test(text)');
  }
  Object.assign(sandbox, { expression, text });
  try {
    return script.runInContext(sandbox, { timeout: deadlineMs }) === true;
  } catch {
    return undefined;
  }
}

/** The part of one pattern that one attempt has to match. */
interface Chosen {
  /** Identifies the choice. Undefined if it depends on randomly drawn groups. */
  readonly key: string | undefined;
  /** Whether the pattern has no other reading. */
  readonly isOnly: boolean;
  readonly reading: Reading;
  readonly unicode: boolean;
  readonly groups: ReadonlyMap<AST.CapturingGroup, string>;
}

/** @returns undefined if no text is found for a back-referenced group */
function choose(
  source: string,
  parsed: AST.Pattern,
  unicode: boolean,
  draw: Omit<Draw, 'isPolite'>,
): Chosen | undefined {
  const readings = readingsOf(parsed);
  const index = draw.random(readings.length);
  const [reading] = readings.slice(index);
  const groups = new Map<AST.CapturingGroup, string>();
  for (const group of repeatedGroups(parsed.alternatives)) {
    const automaton = buildAutomaton(group.alternatives, { unicode, groups, withoutLookarounds: true });
    const fill = createSampler([{ automaton, ...closed, isNegated: false }], lastOf([unicode]));
    const text = fill({ ...draw, isPolite: true });
    if (typeof text !== 'string') return undefined;
    groups.set(group, text);
  }
  const key = groups.size > 0 ? undefined : `${index} ${source}`;
  const isOnly = groups.size === 0 && readings.length === 1;
  return reading === undefined ? undefined : { key, isOnly, reading, unicode, groups };
}

const closed = { opensAnywhere: false, closesAnywhere: false };

function samplerOf(chosen: readonly Chosen[], isOpen: boolean): Sampler {
  const key = `${isOpen} ${JSON.stringify(chosen.map((choice) => choice.key))}`;
  const isLasting = chosen.every((choice) => choice.key !== undefined);
  const known = isLasting ? samplers.get(key) : undefined;
  if (known !== undefined) return known;
  const sampler = createSampler(
    chosen.flatMap((choice) => conjunctsOf(choice, isOpen)),
    lastOf(chosen.map(({ unicode }) => unicode)),
  );
  if (samplers.size >= mostSamplers) samplers.clear();
  if (isLasting) samplers.set(key, sampler);
  return sampler;
}

function conjunctsOf({ reading, unicode, groups }: Chosen, isOpen: boolean): readonly Conjunct[] {
  const options = { unicode, groups, withoutLookarounds: true };
  const { start, end } = reading.isAnchored;
  const ends = { opensAnywhere: isOpen && !start, closesAnywhere: isOpen && !end };
  const main: Conjunct = { automaton: buildAutomaton(reading.main, options), ...ends, isNegated: false };
  const others = reading.others.map((lookaround): Conjunct => {
    const isAhead = lookaround.kind === 'lookahead';
    return {
      automaton: buildAutomaton(lookaround.alternatives, options),
      opensAnywhere: !isAhead,
      closesAnywhere: isAhead,
      isNegated: lookaround.negate,
    };
  });
  // A negated automaton that over-approximates would exclude valid texts.
  return [
    main,
    ...others.filter(({ automaton, isNegated }) => !isNegated || automaton.isExactUpTo === Number.POSITIVE_INFINITY),
  ];
}

function lastOf(unicodes: readonly boolean[]): number {
  return unicodes.every(Boolean) ? highest.withUnicode : highest.without;
}
