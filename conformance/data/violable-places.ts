// Finds every schema that describes a part of a value, and adds the optional parts that the value lacks.
import { negated } from '@lockstep/values/negate';
import { readPattern, samplePatterns } from '@lockstep/values/pattern';
import {
  freeNameOf,
  isSchema,
  type JsonType,
  type Schema,
  type SchemaNode,
  schemasIn,
  typeOfValue,
} from '@lockstep/values/shape';
import {
  isObject,
  type JsonObject,
  joinPointer,
  memberOf,
  objectAt,
  type Pointer,
  readPointer,
} from '../contract/document.ts';
import { schemasOf } from '../schema/canonical.ts';
import { is30 } from '../schema/clauses.ts';
import { applyRules, replaceAt } from './time.ts';
import { type BuildWishes, buildNode, type DataTools } from './value-candidates.ts';

/** A location in a valid value, with the schemas that all apply to it. */
export interface Location {
  /** JSON pointer, `/tags/0`. */
  readonly at: string;
  /** A valid value of the whole schema that has this location. */
  readonly host: unknown;
  readonly node: SchemaNode;
  /** Locations of the `anyOf` and `oneOf` whose branches lead here, the outermost first. */
  readonly choices: readonly string[];
}

/** A schema of the contract at a location. */
export interface Place extends Location {
  readonly schema: JsonObject;
  readonly pointer: Pointer;
  /** Set for a further item of a list: the schema has an earlier place. */
  readonly isRepeated: boolean;
}

/** Limits of places, of the schemas that are read for them, of the first items of a list, and of other branches. */
const most = { places: 300, schemas: 2_000, positions: 20, branches: 12 } as const;

/** Attempts at a value that the whole schema accepts. */
const attempts: readonly BuildWishes[] = [
  { sparse: true },
  { sparse: true, variant: 1 },
  { sparse: true, variant: 2 },
  { optional: true },
];

export type PlaceFinder = ReturnType<typeof createPlaceFinder>;

/** Builds the values of one schema, each valid as a whole. */
export function createPlaceFinder(tools: DataTools, schema: Pointer) {
  const { judge, contract } = tools;
  const dialect = schemasOf(contract).dialects.request;
  const form = judge.forms.request;

  const valueAt = ({ host, at }: Location): unknown => readPointer(host, at);

  /** Whether a value satisfies a schema of the contract. */
  const holds = (part: Schema, value: unknown): boolean => {
    if (typeof part === 'boolean') return part;
    const keywords = Object.keys(part);
    const target = typeof part.$ref === 'string' && keywords.length === 1 ? dialect.resolve(part.$ref) : undefined;
    if (target !== undefined) return judge.accepts(target.pointer, 'request', value);
    if (isSchema(part.not) && keywords.length === 1) return !holds(part.not, value);
    // A discriminator adds such a schema, which has no location of its own.
    if (Array.isArray(part.allOf) && keywords.length === 1)
      return schemasIn(part.allOf).every((one) => holds(one, value));
    const pointer = dialect.pointerOf(part);
    return pointer === undefined || judge.accepts(pointer, 'request', value);
  };

  /** The location with another value; undefined if the whole would be invalid. */
  const withValue = (location: Location, value: unknown): Location | undefined => {
    if (value === undefined) return undefined;
    const host = applyRules(tools, schema, replaceAt(location.host, location.at, value));
    return judge.accepts(schema, 'request', host) ? { ...location, host } : undefined;
  };

  /** The location with the first value that fits among those built for its schemas and further ones. */
  const rebuilt = (location: Location, ...also: readonly Schema[]): Location | undefined => {
    const node = form.join(...location.node.schemas, ...also);
    if (form.height(node) === Infinity) return undefined;
    const name = location.at.slice(location.at.lastIndexOf('/') + 1);
    for (const wishes of attempts) {
      const found = withValue(location, buildNode(tools, node, wishes, name));
      if (found !== undefined) return found;
    }
    return undefined;
  };

  /** The location with a value of a type. */
  const typed = (location: Location, type: JsonType): Location | undefined =>
    typeOfValue(valueAt(location)) === type ? location : rebuilt(location, form.adopt({ type }));

  /** The location with a value of the branch that accepts `also`: next to an `unevaluated…`, it cannot be built apart. */
  const turned = (location: Location, also: readonly Schema[]): Location | undefined => {
    const { rests, restItems } = form.common(location.node);
    const variants = rests.length + restItems.length === 0 ? 0 : most.branches;
    for (let variant = 0; variant < variants; variant += 1) {
      const value = buildNode(tools, location.node, { sparse: true, variant });
      const isFound = value !== undefined && also.every((schema) => holds(schema, value));
      const found = isFound ? withValue(location, value) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };

  /** The location with a value that further schemas accept, and these schemas added. */
  const within = (location: Location, isHeld: boolean, ...also: readonly Schema[]): Location | undefined => {
    const found = isHeld ? location : (rebuilt(location, ...also) ?? turned(location, also));
    return found && { ...found, node: form.join(...location.node.schemas, ...also) };
  };

  /** Outside a branch that the other branches reject, a broken value might satisfy one of these. */
  const branchOf = (location: Location, branch: Schema, all: readonly Schema[]): Location | undefined => {
    const inner = { ...location, choices: [...location.choices, location.at] };
    const others = all.filter((other) => other !== branch).slice(0, most.branches);
    const value = valueAt(location);
    const isHeld = holds(branch, value);
    if (isHeld && !others.some((other) => holds(other, value))) return within(inner, true, branch);
    const alone = within(inner, false, branch, ...others.map(negated));
    return alone === undefined
      ? within(inner, isHeld, branch)
      : { ...alone, node: form.join(...location.node.schemas, branch) };
  };

  const propertyOf = (location: Location, name: string): Location | undefined => {
    const object = typed(location, 'object');
    if (object === undefined) return undefined;
    const node = form.property(form.common(object.node), name);
    if (form.common(node).isLeftOut) return undefined;
    const below = (parent: Location): Location => ({ ...parent, at: joinPointer(parent.at, name), node });
    if (memberOf(valueAt(object), name) !== undefined) return below(object);
    const added = rebuilt(below(object));
    if (added !== undefined) return added;
    const whole = rebuilt(object, form.adopt({ type: 'object', required: [name] }));
    return whole && below(whole);
  };

  const itemOf = (location: Location, index: number, length = index + 1): Location | undefined => {
    const value = valueAt(location);
    const isLong = Array.isArray(value) && value.length >= length;
    const list = isLong ? location : rebuilt(location, form.adopt({ type: 'array', minItems: length }));
    const node = form.item(form.common(location.node), index);
    return list && { ...list, at: joinPointer(list.at, index), node };
  };

  /** The name of a member that a map describes: one of the value, or a new one. */
  const nameOf = (location: Location, isDescribed: (name: string) => boolean, pattern?: string): string | undefined => {
    const value = valueAt(location);
    const known = isObject(value) ? Object.keys(value).find(isDescribed) : undefined;
    if (known !== undefined) return known;
    const made =
      pattern === undefined
        ? freeNameOf(form.common(location.node), 'key')
        : samplePatterns([pattern], { min: 1, max: 40 }, tools.seed);
    return made !== undefined && isDescribed(made) ? made : undefined;
  };

  /** OpenAPI 3.0 ignores siblings of a reference. */
  const isBare = (part: JsonObject): boolean => typeof part.$ref === 'string' && is30(contract.root.openapi);

  /** The schemas that apply wherever a schema does. */
  const conjunctionOf = (part: JsonObject): readonly JsonObject[] => {
    const target = typeof part.$ref === 'string' ? dialect.resolve(part.$ref)?.schema : undefined;
    return [target, ...(isBare(part) ? [] : schemasIn(part.allOf))].filter(isObject);
  };

  /** Adds the schemas for the same value to `here`, and those for its parts to `below`. */
  const follow = (part: JsonObject, location: Location, here: Step[], below: Step[]): void => {
    const later = (next: unknown, find: () => Location | undefined, isRepeated = false): void => {
      if (isObject(next)) below.push({ schema: next, find, isRepeated });
    };
    for (const one of conjunctionOf(part)) here.push({ schema: one, find: () => location, isRepeated: false });
    if (isBare(part)) return;
    for (const all of [part.anyOf, part.oneOf].map(schemasIn))
      for (const branch of all.filter(isObject))
        here.push({ schema: branch, find: () => branchOf(location, branch, all), isRepeated: false });
    if (isSchema(part.if)) {
      const condition = part.if;
      const isMet = holds(condition, valueAt(location));
      const go = (next: unknown, isHeld: boolean, asked: Schema): void => {
        if (isObject(next))
          here.push({ schema: next, find: () => within(location, isHeld, asked, next), isRepeated: false });
      };
      go(part.then, isMet, condition);
      go(part.else, !isMet, negated(condition));
    }
    for (const [name, next] of Object.entries(objectAt(part, 'dependentSchemas'))) {
      const isHeld = memberOf(valueAt(location), name) !== undefined;
      if (isObject(next)) {
        const asked = form.adopt({ type: 'object', required: [name] });
        const find = () => within(location, isHeld, asked, next);
        here.push({ schema: next, find, isRepeated: false });
      }
    }
    const properties = objectAt(part, 'properties');
    for (const [name, next] of Object.entries(properties)) later(next, () => propertyOf(location, name));
    const patterns = Object.entries(objectAt(part, 'patternProperties'));
    const named = (isDescribed: (name: string) => boolean, pattern?: string) => () => {
      const name = nameOf(location, isDescribed, pattern);
      return name === undefined ? undefined : propertyOf(location, name);
    };
    for (const [pattern, next] of patterns)
      later(
        next,
        named((name) => readPattern(pattern)?.test(name) === true, pattern),
      );
    const isOther = (name: string): boolean =>
      !Object.hasOwn(properties, name) && !patterns.some(([pattern]) => readPattern(pattern)?.test(name) === true);
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) later(part[keyword], named(isOther));
    const prefix = schemasIn(part.prefixItems).slice(0, most.positions);
    for (const [index, next] of prefix.entries()) later(next, () => itemOf(location, index));
    if (prefix.length < most.positions) {
      later(part.items, () => itemOf(location, prefix.length));
      // A server may validate the first item alone, or every item but the last.
      const [middle, last] = [prefix.length + 1, prefix.length + 2];
      for (const index of [middle, last]) later(part.items, () => itemOf(location, index, last + 1), true);
    }
  };

  return {
    holds,
    withValue,
    typed,
    form,
    pointerOf: dialect.pointerOf,
    /** The places below a valid value, breadth first, each schema once. */
    places: (start: unknown): readonly Place[] => {
      const definition = dialect.definitionAt(schema);
      const root: Location = { at: '', host: start, node: form.at(schema), choices: [] };
      const seen = new Set<JsonObject>();
      const found: Place[] = [];
      let count = 0;
      let level: Step[] = [{ schema: definition.schema, find: () => root, isRepeated: false }];
      while (level.length > 0) {
        const below: Step[] = [];
        for (const { schema: part, find, isRepeated } of level) {
          if ((!isRepeated && seen.has(part)) || found.length >= most.places || count >= most.schemas) continue;
          count += 1;
          const location = find();
          if (location === undefined) continue;
          seen.add(part);
          const pointer = dialect.pointerOf(part);
          if (pointer !== undefined && !isBare(part)) found.push({ ...location, schema: part, pointer, isRepeated });
          if (!isRepeated) follow(part, location, level, below);
          else for (const next of conjunctionOf(part)) level.push({ schema: next, find: () => location, isRepeated });
        }
        level = below;
      }
      return found;
    },
  };
}

/** A schema whose location is found when it is reached. */
interface Step {
  readonly schema: JsonObject;
  readonly find: () => Location | undefined;
  readonly isRepeated: boolean;
}
