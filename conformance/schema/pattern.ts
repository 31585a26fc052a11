import { sample, stringMatching } from 'fast-check';

/** A regular expression of a contract, as JSON Schema means it: it matches somewhere in the text, unless it is anchored. */
export interface Pattern {
  readonly source: string;
  /** Gives the source: Ajv tells patterns apart by it. */
  readonly toString: () => string;
  readonly test: (text: string) => boolean;
  /**
   * A text that matches, the same for the same seed, of plain ASCII where that will do.
   *
   * @param bounds of its length in code points, both ends included
   * @returns undefined where there is none, or none was found
   */
  readonly sample: (bounds: LengthBounds, seed: number) => string | undefined;
}

export interface LengthBounds {
  readonly min: number;
  readonly max: number;
}

const known = new Map<string, Pattern | undefined>();

/** Reads ECMA-262 with flag `u`, without it when that fails (`^\-$`). @returns undefined where neither compiles */
export function readPattern(source: string): Pattern | undefined {
  if (!known.has(source)) known.set(source, createPattern(source));
  return known.get(source);
}

/** One text that matches all of the patterns; undefined where there is none, none was found, or one cannot be read. */
export function samplePatterns(sources: readonly string[], bounds: LengthBounds, seed: number): string | undefined {
  const patterns = sources.map(readPattern);
  const [first] = sources;
  const expression = first === undefined ? undefined : compile(first);
  if (expression === undefined || patterns.includes(undefined)) return undefined;
  const fits = (text: string): boolean => {
    const length = [...text].length;
    return length >= bounds.min && length <= bounds.max && patterns.every((pattern) => pattern?.test(text));
  };
  const plain = plainTexts.map((text) => text.padEnd(bounds.min, text.at(-1)).slice(0, bounds.max)).find(fits);
  return plain ?? draw(expression, fits, seed);
}

function createPattern(source: string): Pattern | undefined {
  const expression = compile(source);
  if (expression === undefined) return undefined;
  return {
    source,
    toString: () => source,
    test: (text) => expression.test(text),
    sample: (bounds, seed) => samplePatterns([source], bounds, seed),
  };
}

function compile(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // The next flags may take it.
    }
  }
  return undefined;
}

/** How many texts of each size are drawn before a pattern counts as out of reach. */
const draws = 100;

/** What a person would type: most patterns take one of these, and no one has to wonder about it in a log. */
const plainTexts = ['conform', 'Conform', 'CONFORM', '1', 'a1', 'A1', '2030-01-01', 'en', 'conform-1'];

function draw(expression: RegExp, fits: (text: string) => boolean, seed: number): string | undefined {
  // Without anchors both ends would be filled up with anything.
  const anchored = anchor(expression);
  for (const size of ['small', 'medium', 'large'] as const) {
    try {
      const found = sample(stringMatching(anchored, { size }), { seed, numRuns: draws }).find(fits);
      if (found !== undefined) return found;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function anchor(pattern: RegExp): RegExp {
  const { source, flags } = pattern;
  if (source.includes('|') && !/^\^\(.*\)\$$/s.test(source)) return pattern;
  return new RegExp(`${source.startsWith('^') ? '' : '^'}${source}${/(^|[^\\])\$$/.test(source) ? '' : '$'}`, flags);
}
