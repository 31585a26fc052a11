import type { JsonObject } from '@lockstep/json/json-pointer';
import { type BuildContext, buildNumber, buildText } from './build-scalar.ts';
import { negated } from './negate.ts';
import { samplePatterns } from './pattern.ts';
import { canonical } from './same-value.ts';
import { admits, freeNameOf, type JsonType, type SchemaNode, type Shape, typesOf } from './shape.ts';

/** Deeper than this only what is required is built, by the branch with the fewest levels. */
const deepest = 6;

/** Down to here a list has an item though it may be empty. */
const fewest = 3;

/** Deeper ones are not built: no server reads them. */
const mostDepth = 600;

/** Branches that are tried where the first ones cannot be built. */
const mostTries = 6;

/** What a value may cost: beyond `optional` only what is required is added, beyond `required` it is given up. */
const most = { optional: { parts: 1_000, bytes: 65_536 }, required: { parts: 20_000, bytes: 4_194_304 } } as const;

/**
 * A polite value for a schema: plain, short, soon. It is meant to be valid; the judge decides.
 *
 * @returns undefined where no finite value is valid, or none was found
 */
export function buildValue(node: SchemaNode, context: BuildContext, name = '', depth = 0): unknown {
  const { form, spent } = context;
  if (node.schemas.length === 0)
    return spend(context, context.serial === 0 ? context.tag : `${context.tag}-${context.serial}`);
  spent.parts += 1;
  if (isTooLarge(context)) return undefined;
  if (form.height(node) === Infinity || depth > mostDepth) return undefined;
  for (const { shape, type } of waysOf(node, context, depth).slice(0, mostTries)) {
    const value = buildShape(shape, type, context, name, depth);
    if (value !== undefined && admits(shape, value)) return value;
  }
  return undefined;
}

/** Whether a value was given up because it became larger than any server reads. */
export function isTooLarge({ spent }: BuildContext): boolean {
  return spent.parts > most.required.parts || spent.bytes > most.required.bytes;
}

/** Whether what may be left out is built. */
function hasRoom({ optional, spent }: BuildContext, depth: number): boolean {
  return optional && depth < deepest && spent.parts < most.optional.parts && spent.bytes < most.optional.bytes;
}

interface Way {
  readonly shape: Shape;
  readonly type: JsonType;
}

/** Branches and types that come to an end, the one that is meant first. */
function waysOf(node: SchemaNode, { form, variant }: BuildContext, depth: number): readonly Way[] {
  const ways = form.shapes(node).flatMap((shape) => typesOf(shape).map((type, index) => ({ shape, type, index })));
  const finite = ways
    .map((way) => ({ ...way, height: form.heightOf(way.shape, way.type) }))
    .filter(({ height }) => height < Infinity);
  if (depth >= deepest) return finite.sort((a, b) => a.height - b.height);
  // Every branch in its first type before any in its second.
  finite.sort((a, b) => a.index - b.index);
  const start = variant % Math.max(1, finite.length);
  return [...finite.slice(start), ...finite.slice(0, start)];
}

function buildShape(shape: Shape, type: JsonType, context: BuildContext, name: string, depth: number): unknown {
  const { variant, serial } = context;
  if (shape.values !== undefined) {
    const wished = shape.preferred.find((value) => admits(shape, value));
    return spend(context, serial === 0 && wished !== undefined ? wished : pick(shape.values, variant + serial));
  }
  const examples = context.examples && depth > 0 ? shape.examples : [];
  const given = [...shape.preferred, ...examples].filter((value) => value !== undefined && admits(shape, value));
  if (given.length > serial) return spend(context, given[serial]);
  return builders[type](shape, context, name, depth);
}

type Builder = (shape: Shape, context: BuildContext, name: string, depth: number) => unknown;

const builders: Readonly<Record<JsonType, Builder>> = {
  null: () => null,
  boolean: (_, { variant, serial }) => (variant + serial) % 2 === 0,
  number: (shape, context) => spend(context, buildNumber(shape, context.serial)),
  string: (shape, context, name, depth) =>
    spend(
      context,
      buildText(shape, context, name, (content) =>
        depth < deepest ? buildValue(context.form.join(content), context, '', depth + 1) : context.tag,
      ),
    ),
  array: buildArray,
  object: buildObject,
};

/** Items that are tried for each place where no two may be equal. */
const mostDoubles = 24;

function buildArray(shape: Shape, context: BuildContext, name: string, depth: number): unknown[] | undefined {
  const { form } = context;
  const fixed = Math.max(0, ...shape.lists.map(({ prefix }) => prefix.length));
  const contained = shape.contains.flatMap(({ schema, min }) =>
    Array.from({ length: Math.min(min, 20_000) }, () => schema),
  );
  // An empty list is refused more often than one with an item in it, and makes nothing.
  const usual = hasRoom(context, depth) ? Math.max(fixed, 1) : depth < fewest && context.sparse !== true ? 1 : 0;
  const wanted = Math.max(shape.minItems, usual);
  // What has to be contained follows what has a place of its own, unless there is no room behind it.
  const first = contained.length === 0 ? 0 : Math.max(0, Math.min(fixed, shape.maxItems - contained.length));
  const length = Math.min(Math.max(wanted, first + contained.length), shape.maxItems);
  const built: unknown[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < length; index += 1) {
    const own = form.item(shape, index);
    const asked = contained[index - first];
    const isCounted = asked !== undefined && index >= first;
    // Once there are as many as there may be, no other item is one of them.
    const others = shape.contains
      .filter(({ schema, max }) => schema !== asked && max < Infinity)
      .map(({ schema }) => negated(schema));
    const node = isCounted ? form.join(...own.schemas, asked, ...others) : form.join(...own.schemas, ...others);
    const item = buildItem(shape.isUnique ? seen : undefined, node, context, name, depth);
    if (item === undefined)
      return built.length < Math.max(shape.minItems, first + contained.length) ? undefined : built;
    built.push(item);
  }
  return built;
}

/** @param seen items that it must not be equal to */
function buildItem(
  seen: Set<string> | undefined,
  node: SchemaNode,
  context: BuildContext,
  name: string,
  depth: number,
): unknown {
  if (seen === undefined) return buildValue(node, context, name, depth + 1);
  for (let serial = 0; serial < mostDoubles; serial += 1) {
    const { seed, variant } = context;
    // Other numbers and texts first, then other branches too.
    const number = seen.size + serial;
    const turned = serial % 2 === 0 ? variant : variant + number;
    const item = buildValue(
      node,
      { ...context, serial: number, seed: seed + number, variant: turned },
      name,
      depth + 1,
    );
    if (item === undefined) return undefined;
    const key = canonical(item);
    if (!seen.has(key)) {
      seen.add(key);
      return item;
    }
  }
  return undefined;
}

function buildObject(shape: Shape, context: BuildContext, _: string, depth: number): JsonObject | undefined {
  const { form } = context;
  const ownHeight = form.heightOf(shape, 'object');
  const built = new Map<string, unknown>();
  const add = (name: string): boolean => {
    if (built.has(name)) return true;
    const value = buildValue(form.property(shape, name), context, name, depth + 1);
    if (value === undefined) return false;
    context.spent.bytes += name.length + 4;
    built.set(name, value);
    return true;
  };
  const needed = new Set(shape.required);
  for (const name of needed) for (const other of shape.dependentRequired.get(name) ?? []) needed.add(other);
  if (needed.size > shape.maxProperties) return undefined;
  // In the order of the contract, as a reader expects them.
  const declared = [...shape.properties.keys()].filter((name) => needed.has(name));
  for (const name of new Set([...declared, ...needed])) if (!add(name)) return undefined;

  const mayAdd = (name: string): boolean => {
    const more = [name, ...(shape.dependentRequired.get(name) ?? [])].filter((other) => !built.has(other));
    return built.size + more.length <= shape.maxProperties && isNamed(shape, name, context);
  };
  const isBuildable = (name: string): boolean => {
    const node = form.property(shape, name);
    return !node.schemas.includes(false) && !form.common(node).isLeftOut && form.height(node) < Infinity;
  };
  const addOptional = (name: string): void => {
    if (built.has(name) || !mayAdd(name) || !isBuildable(name)) return;
    const others = shape.dependentRequired.get(name) ?? [];
    if (others.every((other) => built.has(other) || (isBuildable(other) && add(other)))) add(name);
  };
  const optional = [...shape.properties.keys()];
  for (const name of optional) if (hasRoom(context, depth)) addOptional(name);
  // Deep down one that ends soonest, and not one that leads round again.
  const ends = (name: string): boolean => depth < deepest || form.height(form.property(shape, name)) < ownHeight;
  for (const name of optional) if (built.size < shape.minProperties && ends(name)) addOptional(name);
  const isMap = shape.rests.some(({ schema, isSpent }) => typeof schema === 'object' && !isSpent);
  const wanted =
    hasRoom(context, depth) && optional.length === 0 && (isMap || shape.patternProperties.length > 0) ? 1 : 0;
  const count = Math.min(Math.max(shape.minProperties, wanted), shape.maxProperties);
  for (let number = 0; built.size < count && number < 2 * count + 8; number += 1) {
    for (const name of freeNames(shape, context, number))
      if (built.size < count && isNamed(shape, name, context)) addOptional(name);
  }
  return built.size < shape.minProperties ? undefined : Object.fromEntries(built);
}

/** Whether `propertyNames` takes it, as far as that can be told without the judge. */
function isNamed(shape: Shape, name: string, { form }: BuildContext): boolean {
  return shape.names.every((schema) => form.shapes(form.join(schema)).some((one) => admits(one, name)));
}

/** Names that nothing declares: by the patterns that describe some, by `propertyNames`, or plain. */
function freeNames(shape: Shape, context: BuildContext, number: number): string[] {
  const { form, seed } = context;
  const byPattern = shape.patternProperties.flatMap(
    ({ pattern }) => samplePatterns([pattern], { min: 1, max: 40 }, seed + number) ?? [],
  );
  const named = { ...context, serial: number, seed: seed + number };
  const byRule = shape.names.length === 0 ? undefined : buildValue(form.join(...shape.names, onlyText), named, 'key');
  const plain = freeNameOf(shape, number === 0 ? 'key' : `key${number + 1}`);
  return [...byPattern, ...(typeof byRule === 'string' ? [byRule] : []), plain];
}

const onlyText = { type: 'string' };

/** Counts what a finished value weighs. */
function spend<Value>(context: BuildContext, value: Value): Value {
  if (typeof value === 'string') context.spent.bytes += value.length + 2;
  else if (typeof value === 'object' && value !== null) context.spent.bytes += canonical(value).length;
  else context.spent.bytes += 8;
  return value;
}

function pick(values: readonly unknown[], index: number): unknown {
  return values[index % values.length];
}
