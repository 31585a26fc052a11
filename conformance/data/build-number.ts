import type { JsonObject } from '../contract/json.ts';

/** The number nearest to 1 that keeps the bounds and is a multiple of what it has to be. */
export function buildNumber(keywords: JsonObject, whole: boolean): number {
  const step = typeof keywords.multipleOf === 'number' && keywords.multipleOf > 0 ? keywords.multipleOf : whole ? 1 : 0;
  const gap = step > 0 ? step : 0.5;
  const low = Math.max(bound(keywords.minimum, -Infinity), bound(keywords.exclusiveMinimum, -Infinity, gap));
  const high = Math.min(bound(keywords.maximum, Infinity), bound(keywords.exclusiveMaximum, Infinity, -gap));
  const wish = Math.min(Math.max(1, low), high);
  if (step === 0) return wish;
  const up = Math.ceil(tidy(wish / step)) * step;
  const value = up > high ? Math.floor(tidy(high / step)) * step : up;
  return tidy(value);
}

function bound(value: unknown, otherwise: number, gap = 0): number {
  return typeof value === 'number' ? value + gap : otherwise;
}

/** Without the crumbs of binary fractions: 0.1 * 3 is 0.3. */
function tidy(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(12)) : value;
}
