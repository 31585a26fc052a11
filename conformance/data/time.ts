// Spells times in values, moves them to the present, and generates them by the rules of the contract.
import { day, type Instant, readDuration, soon, spellInstant } from '@lockstep/values/instant';
import type { Contract } from '../contract/contract.ts';
import { isObject, type Pointer, readPointer } from '../contract/document.ts';
import { readRule, ruleOf } from '../contract/extensions.ts';
import { ruledValues } from '../schema/annotated-values.ts';
import type { Judge } from '../schema/create-judge.ts';

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Moves the times of an example by whole days, so that the earliest is one or two days ahead. Order, durations, times of day and zones
 * remain. Undefined if the example contains no time.
 */
export function moveToPresent(value: unknown, now: Instant): unknown {
  const times = textsOf(value).filter(isTime);
  if (times.length === 0) return undefined;
  const earliest = Math.min(...times.map((text) => Date.parse(text)));
  const days = Math.ceil((soon(now) + day - earliest) / day);
  return moveByDays(value, days);
}

/** Whether a text is a time or a day: examples have days such as `0000-00-00`. */
function isTime(text: string): boolean {
  return (dateTime.test(text) || /^\d{4}-\d\d-\d\d$/.test(text)) && !Number.isNaN(Date.parse(text));
}

/** A copy in which each time is moved. */
export function moveByDays(value: unknown, days: number): unknown {
  if (Array.isArray(value)) return value.map((item) => moveByDays(item, days));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, moveByDays(part, days)]));
  if (typeof value !== 'string' || !isTime(value)) return value;
  const moved = new Date(Date.parse(`${value.slice(0, 10)}T00:00:00Z`) + days * day);
  return `${moved.toISOString().slice(0, 10)}${value.slice(10)}`;
}

/** The texts in a value. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

interface Tools {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly now: Instant;
}

/** Replaces each value with a recipe in `x-rule` by the result of the recipe. Omitted values remain omitted. */
export function applyRules(tools: Tools, schema: Pointer, value: unknown): unknown {
  let result = value;
  // A second round is needed because a recipe may start from the result of another one.
  for (let round = 0; round < 2; round += 1) {
    for (const part of ruledValues(tools.contract.root, schema, result)) {
      const made = followRecipe(tools, ruleOf(part.schema), part.pointer, (from) => readPointer(result, from));
      if (made !== undefined && typeof made === typeof part.value) result = replaceAt(result, part.at, made);
    }
  }
  return result;
}

/** The result of a rule's recipe, in the first spelling that the schema accepts; undefined without a recipe. */
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
  return spellings.find((spelling) => judge.accepts(schema, 'request', spelling));
}

/** A copy with the value at a pointer replaced. */
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
