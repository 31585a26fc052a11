import type { Place } from '../contract/document.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { BuildContext } from './build-context.ts';
import { buildNumber } from './build-number.ts';
import { buildText } from './build-text.ts';
import { type FlatSchema, flattenSchema } from './flatten-schema.ts';

/** Deeper than this only what is required is built, so that a schema which contains itself ends. */
const deepest = 6;

/** From the one depth to the other what is required is built in whichever branch ends; beyond nothing is. */
const endsWithin = 6;

/** Branches that are tried there. */
const mostBranches = 4;

/** With so many parts the value is large enough: only what is required is added, and beyond the second nothing. */
const manyParts = { optional: 1_000, required: 10_000 } as const;

/**
 * A polite value for a schema: plain, short, soon. It is meant to be valid; the judge decides.
 *
 * @returns undefined where the schema contains itself without end
 */
export function buildValue(place: Place, context: BuildContext, name = '', depth = 0): unknown {
  if (place.value === true || place.value === undefined) return `${context.tag}`;
  context.built.parts += 1;
  if (depth > deepest + endsWithin || context.built.parts > manyParts.required) return undefined;
  const tries = depth < deepest ? 1 : mostBranches;
  for (let offset = 0; offset < tries; offset += 1) {
    const value = buildBranch(place, { ...context, variant: context.variant + offset }, name, depth);
    if (value !== undefined) return value;
  }
  return undefined;
}

function buildBranch(place: Place, context: BuildContext, name: string, depth: number): unknown {
  const flat = flattenSchema(context.root, place, context.variant);
  const { keywords } = flat;
  if ('const' in keywords) return keywords.const;
  if (context.examples) {
    const example = [keywords.example, ...list(keywords.examples), keywords.default].find(
      (value) => value !== undefined,
    );
    if (example !== undefined && depth > 0) return example;
  }
  const members = list(keywords.enum);
  if (members.length > 0) return members[context.variant % members.length];
  return builders[typeOf(flat)](flat, context, name, depth);
}

type Builder = (flat: FlatSchema, context: BuildContext, name: string, depth: number) => unknown;

const builders = {
  null: () => null,
  boolean: (_, { variant }) => variant % 2 === 0,
  integer: (flat) => buildNumber(flat.keywords, true),
  number: (flat) => buildNumber(flat.keywords, false),
  string: (flat, context, name, depth) =>
    buildText(flat, context, name, (content) =>
      depth < deepest ? buildValue(content, context, '', depth + 1) : context.tag,
    ),
  array: buildArray,
  object: buildObject,
} as const satisfies Record<string, Builder>;

function typeOf({ types, keywords, properties, items, required }: FlatSchema): keyof typeof builders {
  const named = types?.find((type) => type !== 'null') ?? types?.[0];
  if (named !== undefined && Object.hasOwn(builders, named)) return named as keyof typeof builders;
  if (properties.size > 0 || required.size > 0 || isObject(keywords.additionalProperties)) return 'object';
  if (items !== undefined) return 'array';
  return 'minimum' in keywords || 'maximum' in keywords ? 'number' : 'string';
}

function buildArray(flat: FlatSchema, context: BuildContext, name: string, depth: number): unknown[] | undefined {
  const { minItems, maxItems } = flat.keywords;
  const least = typeof minItems === 'number' ? minItems : 0;
  const wanted = typeof minItems === 'number' ? least : hasRoom(context, depth) ? 1 : 0;
  const length = Math.min(wanted, typeof maxItems === 'number' ? maxItems : 64, 64);
  const item = flat.items ?? { value: true, pointer: flat.pointer };
  const unique = flat.keywords.uniqueItems === true;
  const built: unknown[] = [];
  for (let index = 0; index < length; index += 1) {
    const own = unique ? { ...context, variant: context.variant + index, seed: context.seed + index } : context;
    const part = buildValue(item, own, name, depth + 1);
    if (part === undefined) return built.length < least ? undefined : built;
    built.push(part);
  }
  return built;
}

function buildObject(flat: FlatSchema, context: BuildContext, _: string, depth: number): JsonObject | undefined {
  const { minProperties } = flat.keywords;
  const least = typeof minProperties === 'number' ? minProperties : 0;
  const chosen = [...flat.properties].filter(([name, place]) => {
    if (isObject(place.value) && place.value.readOnly === true) return false;
    return flat.required.has(name) || (hasRoom(context, depth) && place.value !== false);
  });
  for (const entry of flat.properties) if (chosen.length < least && !chosen.includes(entry)) chosen.push(entry);
  const built: [string, unknown][] = [];
  for (const [name, place] of chosen) {
    const value = buildValue(place, context, name, depth + 1);
    if (value !== undefined) built.push([name, value]);
    else if (flat.required.has(name)) return undefined;
  }
  const undeclared = [...flat.required].filter((name) => !flat.properties.has(name));
  return Object.fromEntries([...built, ...undeclared.map((name): [string, unknown] => [name, context.tag])]);
}

/** Whether what may be left out is built. */
function hasRoom({ optional, built }: BuildContext, depth: number): boolean {
  return optional && depth < deepest && built.parts < manyParts.optional;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
