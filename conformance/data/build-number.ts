import { roundToMultiple } from '../schema/decimal.ts';
import { admits, type Shape } from '../schema/shape.ts';

/** Steps away from the first choice that are looked at. */
const mostSteps = 64;

/**
 * The number nearest to 1 that keeps bounds and multiples.
 *
 * @param serial how many others come before it, so that values may differ
 * @returns undefined where none was found
 */
export function buildNumber(shape: Shape, serial: number): number | undefined {
  const step = stepOf(shape);
  const wish = Math.min(Math.max(1, shape.minimum), shape.maximum);
  const start =
    step === undefined
      ? wish
      : roundToMultiple(wish, step, wish > shape.minimum || wish < shape.maximum ? 'up' : 'down');
  const { minimum, maximum } = shape;
  const span = maximum - minimum;
  const gap = step ?? (Number.isFinite(span) && span > 0 ? Math.min(0.5, span / 4 / (serial + 1)) : 0.5);
  const found: number[] = [];
  for (let index = 0; index < mostSteps + 2 * serial && found.length <= serial; index += 1) {
    for (const value of index === 0 ? [start] : [tidy(start + index * gap), tidy(start - index * gap)])
      if (admits(shape, value) && !found.includes(value)) found.push(value);
  }
  if (found.length === 0) {
    for (const value of [minimum, maximum, (minimum + maximum) / 2, 0.5]) if (admits(shape, value)) return value;
  }
  return found[Math.min(serial, found.length - 1)];
}

function stepOf({ isInteger, multipleOf }: Shape): number | undefined {
  if (!isInteger) return multipleOf;
  if (multipleOf === undefined) return 1;
  return multipleOf;
}

/** Without the crumbs of binary fractions: 0.1 * 3 is 0.3. */
function tidy(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : value;
}
