// Random valid values: other branches, optional parts, list lengths, numbers and texts than those of a plain request.
import { roundToMultiple } from '@lockstep/values/multiples';
import type { Random } from '@lockstep/values/random';
import { admits, type SchemaNode, type Shape } from '@lockstep/values/shape';
import { isObject, type Pointer } from '../contract/document.ts';
import { fitTexts, textFamilies } from './text-families.ts';
import { applyRules } from './time.ts';
import { buildFrom, type DataTools } from './value-candidates.ts';

/** Branches that a part may have, items of a list of any length, and parts of one value that are drawn again. */
const most = { variants: 12, items: 4, parts: 60 } as const;

/**
 * A random valid value of a schema.
 *
 * @param keep returns the value of a member that must exist on the server; undefined for any other
 * @returns undefined if none could be built
 */
export function randomValue(
  tools: DataTools,
  schema: Pointer,
  name: string,
  random: Random,
  keep: (tokens: readonly string[]) => unknown,
): unknown {
  const { judge } = tools;
  const isValid = (value: unknown): boolean => value !== undefined && judge.accepts(schema, 'request', value);
  const built = buildFrom(
    tools,
    schema,
    {
      optional: random(4) > 0,
      vary: (context) => ({
        ...context,
        variant: random(most.variants),
        optional: context.optional && random(3) > 0,
        items: random(most.items),
        seed: random(0x7fffffff),
      }),
    },
    name,
  );
  if (!isValid(built)) return undefined;
  const drawn = applyRules(tools, schema, drawParts(tools, schema, built, random, keep));
  return isValid(drawn) ? drawn : built;
}

/** Replaces numbers and free texts by random ones, and members that must exist by those that do. */
function drawParts(
  { judge }: DataTools,
  schema: Pointer,
  built: unknown,
  random: Random,
  keep: (tokens: readonly string[]) => unknown,
): unknown {
  const form = judge.forms.request;
  let parts = 0;
  const draw = (value: unknown, node: SchemaNode, tokens: readonly string[]): unknown => {
    parts += 1;
    const kept = keep(tokens);
    if (kept !== undefined && typeof kept === typeof value) return kept;
    if (parts > most.parts) return value;
    const shape = form.shapes(node).find((one) => admits(one, value)) ?? form.common(node);
    if (Array.isArray(value))
      return value.map((item, index) => draw(item, form.item(shape, index), [...tokens, String(index)]));
    if (isObject(value)) {
      const entries = Object.entries(value).map(([name, part]): [string, unknown] => {
        return [name, draw(part, form.property(shape, name), [...tokens, name])];
      });
      return Object.fromEntries(entries);
    }
    const other = random(3) === 0 ? undefined : drawScalar(value, shape, random);
    return other !== undefined && admits(shape, other) ? other : value;
  };
  return draw(built, form.at(schema), []);
}

function drawScalar(value: unknown, shape: Shape, random: Random): unknown {
  if (shape.values !== undefined) return shape.values[random(shape.values.length)];
  if (typeof value === 'number') return drawNumber(shape, random);
  if (typeof value === 'string') return drawText(shape, random);
  return undefined;
}

/** Numbers without a bound are drawn up to this one. */
const wide = 1_000;

function drawNumber({ minimum, maximum, isInteger, multipleOf }: Shape, random: Random): number {
  const low = Number.isFinite(minimum) ? minimum : Math.min(-wide, maximum - wide);
  const high = Number.isFinite(maximum) ? maximum : Math.max(wide, low + wide);
  const between = low + (random(2 ** 31) / 2 ** 31) * (high - low);
  const drawn = [between, between, between, low, high, 0, -1][random(7)] ?? low;
  const step = multipleOf ?? (isInteger ? 1 : undefined);
  const value = step === undefined ? drawn : roundToMultiple(drawn, step, drawn < high ? 'up' : 'down');
  // A decimal that every reader represents alike.
  return Number(value.toPrecision(12));
}

const usual = textFamilies.filter(({ row }) => row !== 'grey' && row !== 'longest');

/** Characters of a plain text. */
const longestPlain = 200;

function drawText(shape: Shape, random: Random): string | undefined {
  const { minLength, maxLength, patterns, format, content, isBinary } = shape;
  if (patterns.size > 0 || format !== undefined || content !== undefined || isBinary) return undefined;
  const [first, second] = [usual[random(usual.length)], usual[random(usual.length)]];
  if (random(2) === 0)
    return fitTexts(
      [first, second].filter((one) => one !== undefined),
      shape,
    )?.text;
  const span = Math.max(0, Math.min(maxLength, Math.max(longestPlain, minLength)) - minLength);
  return 'x'.repeat(minLength + random(span + 1));
}
