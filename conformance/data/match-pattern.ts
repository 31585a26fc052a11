import { sample, stringMatching } from 'fast-check';
import { compilePattern } from '../schema/compile-pattern.ts';

/** How many strings of each size are drawn before a pattern counts as out of reach. */
const draws = 100;

/** What a person would type: most patterns take one of these, and no one has to wonder about it in a log. */
const plainTexts = ['conform', 'Conform', 'CONFORM', '1', 'a1', 'A1', '2030-01-01', 'en', 'conform-1'];

/**
 * A text that matches every pattern and has a length in code points between the bounds.
 *
 * @returns undefined where none is found: lookahead and the like are not built
 */
export function matchPatterns(
  patterns: readonly string[],
  bounds: { readonly min: number; readonly max: number },
  seed: number,
): string | undefined {
  const compiled = patterns.map(compilePattern);
  const first = compiled[0];
  if (first === undefined || compiled.includes(undefined)) return undefined;
  const fits = (text: string): boolean => {
    const length = [...text].length;
    return length >= bounds.min && length <= bounds.max && compiled.every((pattern) => pattern?.test(text));
  };
  const plain = plainTexts.map((text) => text.padEnd(bounds.min, text.at(-1)).slice(0, bounds.max)).find(fits);
  if (plain !== undefined) return plain;
  // Without anchors both ends would be filled up with anything.
  const anchored = anchor(first);
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
