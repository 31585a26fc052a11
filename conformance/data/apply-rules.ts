import type { Contract } from '../contract/contract.ts';
import { isObject, type Pointer, readPointer } from '../contract/document.ts';
import { readRule, ruleOf } from '../contract/extensions.ts';
import { ruledValues } from '../schema/annotated-values.ts';
import type { Judge } from '../schema/create-judge.ts';
import { type Instant, readDuration, spellInstant } from './time.ts';

interface Tools {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly now: Instant;
}

/** Replaces each value under `x-rule` that has a recipe by what the recipe makes. Values that are not there stay out. */
export function applyRules(tools: Tools, schema: Pointer, value: unknown): unknown {
  let result = value;
  // Twice: a recipe may start from a value that another one makes.
  for (let round = 0; round < 2; round += 1) {
    for (const part of ruledValues(tools.contract.root, schema, result)) {
      const made = followRecipe(tools, ruleOf(part.schema), part.pointer, (from) => readPointer(result, from));
      if (made !== undefined && typeof made === typeof part.value) result = replaceAt(result, part.at, made);
    }
  }
  return result;
}

/** The value that a rule's recipe makes, in the first spelling that the schema takes; undefined without a recipe. */
export function followRecipe(
  { judge, now }: Tools,
  rule: unknown,
  schema: Pointer,
  read: (from: string) => unknown,
): string | number | undefined {
  const recipe = readRule(rule);
  if (recipe === undefined) return undefined;
  const start = recipe.from === 'now' ? now : instantOf(read(recipe.from));
  if (start === undefined) return undefined;
  const sum = start + (readDuration(recipe.add ?? 'PT0S') ?? 0);
  const step = readDuration(recipe.round ?? '') ?? 1;
  const spellings = spellInstant(Math.floor(sum / step) * step);
  return spellings.find((spelling) => judge.judge(schema, 'request', spelling).length === 0);
}

/** A copy with the value at a pointer exchanged. */
export function replaceAt(value: unknown, at: string, made: unknown): unknown {
  if (at === '') return made;
  const [, token = '', rest = ''] = /^\/([^/]*)(.*)$/s.exec(at) ?? [];
  const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === name ? replaceAt(item, rest, made) : item));
  if (!isObject(value)) return value;
  return { ...value, [name]: replaceAt(value[name], rest, made) };
}

function instantOf(value: unknown): Instant | undefined {
  const instant = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
}
