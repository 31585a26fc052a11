import type { JsonObject } from '@lockstep/json/json-pointer';
import { type BuildContext, buildNumber, buildText } from './build-scalar.ts';
import { negated } from './negate.ts';
import { samplePatterns } from './pattern.ts';
import { canonical } from './same-value.ts';
import { admits, freeNameOf, type JsonType, type SchemaNode, type Shape, typesOf } from './shape.ts';

/** Down to this depth, a list has an item even if it could be empty. */
const fewest = 3;

/** Deeper values are not built: no server reads them. */
const mostDepth = 600;

/** Branches that are tried if the first ones cannot be built, and attempts at each branch if its parts are validated. */
const mostTries = { branches: 6, turns: 3 } as const;

/** Limits of a value: beyond `optional`, only required parts are added; beyond `required`, the builder gives up. */
const most = { optional: { parts: 1_000, bytes: 65_536 }, required: { parts: 20_000, bytes: 4_194_304 } } as const;

/**
 * Builds a plain and short value for a schema, with times in the near future. It is likely valid; the judge decides.
 *
 * @returns undefined if no finite value is valid, or none was found
 */
export function buildValue(node: SchemaNode, around: BuildContext, name = '', depth = 0): unknown {
  const context = around.vary?.(around) ?? around;
  const { form, spent, accepts } = context;
  if (node.schemas.length === 0)
    return spend(context, context.serial === 0 ? context.tag : `${context.tag}-${context.serial}`);
  spent.parts += 1;
  if (isTooLarge(context)) return undefined;
  if (form.height(node) === Infinity || depth > mostDepth) return undefined;
  const candidates = candidatesOf(node, context, depth);
  for (const { shape, type } of accepts === undefined ? candidates.slice(0, mostTries.branches) : candidates) {
    const fits = (value: unknown): boolean =>
      value !== undefined && admits(shape, value) && accepts?.(value, node.schemas) !== false;
    for (let turn = 0; turn < (accepts === undefined ? 1 : mostTries.turns); turn += 1) {
      const value = buildShape(shape, type, turned(context, turn), fits, name, depth);
      if (fits(value)) return value;
    }
  }
  return undefined;
}

/** The context of a further attempt: other texts and numbers, and no optional parts in the last one. */
function turned(context: BuildContext, turn: number): BuildContext {
  if (turn === 0) return context;
  const { serial, seed, variant, optional } = context;
  return {
    ...context,
    serial: serial + turn,
    seed: seed + turn,
    variant: variant + turn,
    optional: optional && turn < mostTries.turns - 1,
  };
}

/** Whether the builder gave up because the value became larger than any server reads. */
export function isTooLarge({ spent }: BuildContext): boolean {
  return spent.parts > most.required.parts || spent.bytes > most.required.bytes;
}

/** Whether optional parts are built. */
function hasRoom({ optional, spent, deepest }: BuildContext, depth: number): boolean {
  return optional && depth < deepest && spent.parts < most.optional.parts && spent.bytes < most.optional.bytes;
}

interface Candidate {
  readonly shape: Shape;
  readonly type: JsonType;
}

/** Pairs of a branch and a type with finite values, the preferred one first. */
function candidatesOf(node: SchemaNode, context: BuildContext, depth: number): readonly Candidate[] {
  const { form, variant, deepest } = context;
  const [only, ...others] = form.shapes(node);
  const [type] = only?.types ?? [];
  if (only !== undefined && type !== undefined && others.length === 0 && only.types.size === 1)
    return [{ shape: only, type }];
  const all = form.shapes(node).flatMap((shape) => typesOf(shape).map((type, index) => ({ shape, type, index })));
  const finite = all
    .map((candidate) => ({ ...candidate, height: form.heightOf(candidate.shape, candidate.type) }))
    .filter(({ height }) => height < Infinity);
  // In values for readers, required parts at the deepest level still get their preferred type.
  const isDeep = context.within === undefined ? depth >= deepest : depth > deepest;
  if (isDeep) return finite.sort((a, b) => a.height - b.height);
  // Every branch in its first type before any in its second.
  finite.sort((a, b) => a.index - b.index);
  const start = variant % Math.max(1, finite.length);
  const turned = [...finite.slice(start), ...finite.slice(0, start)];
  if (context.within === undefined) return turned;
  const rank = ({ shape, type }: Candidate): number => (leadsBack(context, () => shape) ? 2 : type === 'null' ? 1 : 0);
  return turned.sort((a, b) => rank(a) - rank(b));
}

/** Whether a part would repeat one of the schemas that contain it (`within`). */
function leadsBack({ within }: BuildContext, read: () => Shape): boolean {
  return within !== undefined && within.length > 0 && read().references.some((schema) => within.includes(schema));
}

function buildShape(
  shape: Shape,
  type: JsonType,
  context: BuildContext,
  fits: (value: unknown) => boolean,
  name: string,
  depth: number,
): unknown {
  const { variant, serial, within } = context;
  if (shape.values !== undefined) {
    const wished = shape.preferred.find((value) => admits(shape, value));
    return spend(context, serial === 0 && wished !== undefined ? wished : pick(shape.values, variant + serial, fits));
  }
  const examples = context.examples && depth > 0 ? shape.examples : [];
  const given = [...shape.preferred, ...examples].filter(fits);
  if (given.length > serial) return spend(context, given[serial]);
  const inner =
    within === undefined || shape.references.length === 0
      ? context
      : { ...context, within: [...within, ...shape.references] };
  return builders[type](shape, inner, name, depth);
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
        depth < context.deepest ? buildValue(context.form.join(content), context, '', depth + 1) : context.tag,
      ),
    ),
  array: buildArray,
  object: buildObject,
};

/** Items that are tried for each position of a list with `uniqueItems`. */
const mostDoubles = 24;

function buildArray(shape: Shape, context: BuildContext, name: string, depth: number): unknown[] | undefined {
  const { form, spent } = context;
  if (Math.max(shape.minItems, ...shape.contains.map(({ min }) => min)) > most.required.parts) spent.parts = Infinity;
  if (isTooLarge(context)) return undefined;
  const fixed = Math.max(0, ...shape.lists.map(({ prefix }) => prefix.length));
  const contained = shape.contains.flatMap(({ schema, min }) => Array.from({ length: min }, () => schema));
  // Servers reject an empty list more often than one with an item, and it creates nothing.
  const wish = leadsBack(context, () => form.common(form.item(shape, fixed))) ? 0 : (context.items ?? 1);
  const least = depth < fewest && context.sparse !== true ? Math.min(wish, 1) : 0;
  const usual = hasRoom(context, depth) ? Math.max(fixed, wish) : least;
  const wanted = Math.max(shape.minItems, usual);
  // Items for `contains` follow those of `prefixItems`, unless `maxItems` leaves no room.
  const first = contained.length === 0 ? 0 : Math.max(0, Math.min(fixed, shape.maxItems - contained.length));
  const length = Math.min(Math.max(wanted, first + contained.length), shape.maxItems);
  const built: unknown[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < length; index += 1) {
    const own = form.item(shape, index);
    const asked = contained[index - first];
    const isCounted = asked !== undefined && index >= first;
    // No other item may match a `contains` with `maxContains`.
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

/** @param seen canonical texts of the earlier items, all of which must differ from this one */
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
    // First attempts change numbers and texts, later ones the branch too.
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
  // The order of the contract.
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
  for (const name of optional) {
    const isWanted = hasRoom(context.vary?.(context) ?? context, depth);
    if (isWanted && !leadsBack(context, () => form.common(form.property(shape, name)))) addOptional(name);
  }
  // From `deepest` on, only properties of a lower height than the object are added, so that the recursion terminates.
  const terminates = (name: string): boolean =>
    depth < context.deepest || form.height(form.property(shape, name)) < ownHeight;
  for (const name of optional) if (built.size < shape.minProperties && terminates(name)) addOptional(name);
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

/** Whether `propertyNames` accepts the name, as far as a check without the judge can decide. */
function isNamed(shape: Shape, name: string, { form }: BuildContext): boolean {
  return shape.names.every((schema) => form.shapes(form.join(schema)).some((one) => admits(one, name)));
}

/** Undeclared names: from `patternProperties`, from `propertyNames`, or plain. */
function freeNames(shape: Shape, context: BuildContext, number: number): string[] {
  const { form, seed, word } = context;
  const byPattern = shape.patternProperties.flatMap(
    ({ pattern }) => samplePatterns([pattern], { min: 1, max: 40 }, seed + number, word) ?? [],
  );
  const named = { ...context, serial: number, seed: seed + number };
  const byRule = shape.names.length === 0 ? undefined : buildValue(form.join(...shape.names, onlyText), named, 'key');
  const plain = freeNameOf(shape, number === 0 ? 'key' : `key${number + 1}`);
  return [...byPattern, ...(typeof byRule === 'string' ? [byRule] : []), plain];
}

const onlyText = { type: 'string' };

/** Adds the size of a finished value to the bytes spent. */
function spend<Value>(context: BuildContext, value: Value): Value {
  if (typeof value === 'string') context.spent.bytes += value.length + 2;
  else if (typeof value === 'object' && value !== null) context.spent.bytes += canonical(value).length;
  else context.spent.bytes += 8;
  // JSON has no -0.
  return value === 0 ? (0 as Value) : value;
}

/** The value at this index, or the next valid one. */
function pick(values: readonly unknown[], number: number, fits: (value: unknown) => boolean): unknown {
  const start = number % values.length;
  return [...values.slice(start), ...values.slice(0, start)].find(fits);
}
