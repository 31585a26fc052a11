import { isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';
import { createCanonicalForm } from '@lockstep/values/canonical-form';
import { isSchema, type JsonType, type Schema, type SchemaNode } from '@lockstep/values/shape';
import type { ContractTools } from './contract-tools.ts';
import { once } from './once.ts';
import { isNoun, plainName, singular } from './template.ts';

/** Names of the members from a body to a part of it. */
export type Place = readonly string[];

export interface Part {
  readonly place: Place;
  readonly node: SchemaNode;
}

/** Names around one item, without separators. */
const wrappers = new Set(
  'data item result payload content resource response record object entity attributes embedded'.split(' '),
);

/** Plain names of members that identify an item only where nothing else does: envelopes have a `code` too. */
export const vagueNames: ReadonlySet<string> = new Set('key slug code name number index login username'.split(' '));

/** Plain names of ids with a word that names no other object: `extId`, `generated_uuid`. */
export const qualifiedIds = /^(?:ext|external|generated|unique|public|internal|global|system)(?:id|uuid|guid)$/;

/** Names around the items of a list. */
export const listNames: ReadonlySet<string> = new Set(
  'items data results result values records rows entries list content elements objects hits value resources embedded'.split(
    ' ',
  ),
);

/** Plain names of lists about the request and not of items. */
export const reports: ReadonlySet<string> = new Set('messages errors warnings notices links'.split(' '));

/** Plain names of members next to an item that are about the request: `{code, message, result}`. */
const aboutRequest = new Set(
  'code message msg status success ok error errors warnings notices messages meta requestid timestamp'.split(' '),
);

/** Plain names of objects next to a wrapper. */
const besideItem = new Set([...aboutRequest, ...reports]);

/** Letters of a member that may be the last word of a path: shorter ones are the end of other words. */
const shortestWord = 5;

/** Objects of an envelope: a commit has a `commit` too, next to its author, its parents and its files. */
const mostBeside = 3;

/** Wrappers around each other: `{data: {account: {…}}}`. */
const mostWrappers = 2;

/** Levels of objects in which lists and items are searched. */
const deepest = 3;

/** A schema whose alternatives exclude nothing, as a discriminator selects one: the judge compares whole values with it. */
const inclusive = once((schema: JsonObject): JsonObject => {
  const { oneOf, ...others } = schema;
  const isSelected = oneOf !== undefined && others.discriminator !== undefined && others.anyOf === undefined;
  return isSelected ? { ...others, anyOf: oneOf } : schema;
});

export type SchemaReader = ReturnType<typeof createSchemaReader>;

/** Reads schemas as answers contain them: references and `allOf` merged, alternatives as branches. */
export function createSchemaReader({ document, judge, makeValue }: ContractTools) {
  const source = (leavesOut: 'readOnly' | 'writeOnly') => ({
    leavesOut,
    sharesReferences: true as const,
    reword: inclusive,
    resolve: (reference: string): Schema | undefined => {
      const schema = readPointer(document, reference);
      return isSchema(schema) ? schema : undefined;
    },
  });
  const form = createCanonicalForm(source('writeOnly'));
  const requests = createCanonicalForm(source('readOnly'));

  const nodeOf = (schema: unknown): SchemaNode => form.join(isSchema(schema) ? schema : true);

  /** Members of all branches; the first branch that declares a member describes it. */
  const membersOf = once((node: SchemaNode): ReadonlyMap<string, SchemaNode> => {
    const found = new Map<string, SchemaNode>();
    for (const shape of form.shapes(node))
      for (const name of shape.properties.keys()) if (!found.has(name)) found.set(name, form.property(shape, name));
    return found;
  });

  /** The latest schema that accepted an object: values are never changed, and the same one is judged several times for an answer. */
  const accepted = new WeakMap<object, SchemaNode>();
  const accepts = (value: unknown, node: SchemaNode): boolean => {
    const isScalar = typeof value !== 'object' || value === null;
    if (!isScalar && accepted.get(value) === node) return true;
    for (const schema of node.schemas) if (judge(value, schema) !== undefined) return false;
    if (!isScalar) accepted.set(value, node);
    return true;
  };

  const typesOf = once((node: SchemaNode): ReadonlySet<JsonType> => {
    const types = form.shapes(node).flatMap((shape) => [...shape.types]);
    return new Set(types.filter((one) => one !== 'null'));
  });

  /** Whether a value has this type, apart from null. A schema without types has none. */
  const isOnly = (node: SchemaNode, type: Exclude<JsonType, 'null'>): boolean => {
    const types = typesOf(node);
    return types.size === 1 && types.has(type);
  };

  const isObjectNode = (node: SchemaNode): boolean => isOnly(node, 'object') || membersOf(node).size > 0;

  const itemOf = (node: SchemaNode): SchemaNode => form.item(form.branch(node), 0);

  /** The schemas that references lead to, the nearest one first: two nodes with the same first one describe the same thing. */
  const identityOf = (node: SchemaNode): Schema | undefined => form.common(node).references[0];

  /** The lists of objects in a body, by the levels of objects in which they are searched. */
  const listsWithin: readonly ((node: SchemaNode) => readonly Part[])[] = Array.from(
    { length: deepest + 1 },
    (_, levels) =>
      once((node: SchemaNode) => {
        if (isOnly(node, 'array')) return isObjectNode(itemOf(node)) ? [{ place: [], node }] : [];
        const inner = listsWithin[levels - 1];
        if (inner === undefined) return [];
        return [...membersOf(node)].flatMap(([name, member]) =>
          inner(member).map((list) => ({ place: [name, ...list.place], node: list.node })),
        );
      }),
  );

  /** Members by their plain names. */
  const plainMembersOf = once((node: SchemaNode) => Map.groupBy(membersOf(node), ([name]) => plainName(name)));

  /** The first of these plain names that a member has, which is no object. */
  const keyAmong = (node: SchemaNode, keys: readonly string[]): string | undefined =>
    keys.find((key) =>
      plainMembersOf(node)
        .get(key)
        ?.some(([, member]) => !isOnly(member, 'object')),
    );

  /**
   * The item in a body. A wrapper has at most one object of a usual name, and no member that identifies the item better than those of
   * that object.
   *
   * @param keys plain names of members that identify the item
   */
  const findItem = (
    node: SchemaNode,
    noun: string,
    keys: readonly string[],
    levels = mostWrappers,
  ): Part | undefined => {
    if (!isObjectNode(node)) return undefined;
    const members = membersOf(node);
    const own =
      keyAmong(node, keys) ??
      plainMembersOf(node)
        .keys()
        .find((key) => qualifiedIds.test(key));
    const isVague = (key: string): boolean =>
      key !== keys[0] && (vagueNames.has(key) || (qualifiedIds.test(key) && !keys.includes(key)));
    if (own !== undefined && !isVague(own)) return { place: [], node };
    const inner = [...members].filter(([, member]) => isObjectNode(member));
    const [wrapped] = inner.filter(
      ([name, member]) =>
        isNoun(name, noun) ||
        wrappers.has(plainName(name)) ||
        (members.size === 1 && keyAmong(member, keys) !== undefined),
    );
    // An object next to others is no wrapper of a wrapper: an event has a `resource` with an item, and an `actor`.
    const isAlone = inner.every(([name]) => name === wrapped?.[0] || besideItem.has(plainName(name)));
    const within = wrapped && isAlone && levels > 0 ? findItem(wrapped[1], noun, keys, levels - 1) : undefined;
    const [place, shown] = within === undefined ? [[], wrapped?.[1]] : [within.place, within.node];
    const inside = shown && keyAmong(shown, keys);
    const isEnvelope =
      inside !== undefined &&
      wrappers.has(plainName(wrapped?.[0] ?? '')) &&
      [...members.keys()].every((name) => name === wrapped?.[0] || aboutRequest.has(plainName(name)));
    const isBetter = inside !== undefined && (!isVague(inside) || isEnvelope);
    if (own !== undefined && !isBetter) return { place: [], node };
    const isWrapper =
      wrapped !== undefined &&
      (isBetter || inner.length === 1 || members.size <= 3 || (isNoun(wrapped[0], noun) && inner.length <= mostBeside));
    if (!isWrapper) return { place: [], node };
    return inside === undefined || shown === undefined
      ? { place: [wrapped[0]], node: wrapped[1] }
      : { place: [wrapped[0], ...place], node: shown };
  };

  return {
    form,
    nodeOf,
    membersOf,
    plainMembersOf,
    keyAmong,
    accepts,
    isOnly,
    isObjectNode,
    itemOf,
    /** The schema at the pointer of a parameter or a request body. */
    nodeAt: (pointer: string): SchemaNode => nodeOf(readPointer(document, pointer)),
    isReadOnly: ({ schemas }: SchemaNode): boolean => requests.common(requests.join(...schemas)).isLeftOut,
    isWriteOnly: (node: SchemaNode): boolean => form.common(node).isLeftOut,
    isRequired: (node: SchemaNode, name: string): boolean => {
      const shapes = form.shapes(node);
      return shapes.length > 0 && shapes.every(({ required }) => required.has(name));
    },
    /** @returns undefined if the schema has no default */
    defaultOf: once(
      ({ schemas }: SchemaNode): unknown =>
        schemas.flatMap((schema) => listParts(document, schema)).find((part) => Object.hasOwn(part, 'default'))
          ?.default,
    ),
    identityOf,
    /** Whether a schema describes the same thing as one of others. */
    isAmong: (node: SchemaNode, others: readonly SchemaNode[]): boolean => {
      const identity = identityOf(node);
      return others.some((one) => one === node || (identity !== undefined && identityOf(one) === identity));
    },
    /** A value that every schema of the node accepts. */
    make: (node: SchemaNode, seed = 0): unknown => {
      const [only = true, ...others] = node.schemas;
      const made = makeValue(others.length === 0 ? only : { allOf: node.schemas }, seed);
      return made.kind === 'value' ? made.value : undefined;
    },
    /** The list of a response: the body itself, or a member with a usual name, or the only one. */
    findList: (node: SchemaNode, noun: string): Part | undefined => {
      const lists = listsWithin.at(-1)?.(node) ?? [];
      const nameOf = ({ place }: Part): string => plainName(place.at(-1) ?? '');
      const named =
        lists.find(({ place }) => place.length === 0) ??
        lists.find((one) => isNoun(nameOf(one), noun)) ??
        lists.find((one) => listNames.has(nameOf(one))) ??
        // `/best_podcasts` lists `podcasts`.
        lists.find((one) => nameOf(one).length >= shortestWord && noun.endsWith(singular(nameOf(one))));
      const others = lists.filter((one) => !reports.has(nameOf(one)));
      return named ?? (others.length <= 1 && !membersOf(node).has('id') ? others[0] : undefined);
    },
    /** The list of ids in a response: the body itself, a member with a usual name, or the only member. */
    findIds: (node: SchemaNode, noun: string, type: 'string' | 'number'): Part | undefined => {
      const isOfIds = (list: SchemaNode): boolean => isOnly(list, 'array') && isOnly(itemOf(list), type);
      if (isOfIds(node)) return { place: [], node };
      const lists = [...membersOf(node)].filter(([, member]) => isOfIds(member));
      const [name, list] =
        lists.find(([own]) => isNoun(own, noun)) ??
        lists.find(([own]) => listNames.has(plainName(own))) ??
        (membersOf(node).size === 1 ? lists : []).at(0) ??
        [];
      return name === undefined || list === undefined ? undefined : { place: [name], node: list };
    },
    findItem,
  };
}

export function valueAtPlace(root: unknown, place: Place): unknown {
  let value = root;
  for (const name of place) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** A copy with another value at a place. Missing objects on the way are added. */
export function replaceAtPlace(root: unknown, place: Place, value: unknown): unknown {
  const [name, ...rest] = place;
  if (name === undefined) return value;
  const around: JsonObject = isObject(root) ? root : {};
  return { ...around, [name]: replaceAtPlace(around[name], rest, value) };
}

/** A copy without the member at a place. */
export function withoutPlace(root: unknown, place: Place): unknown {
  const [name = '', ...rest] = place;
  if (!isObject(root) || !Object.hasOwn(root, name)) return root;
  return mapMembers(root, (own, value) => {
    if (own !== name) return value;
    return rest.length === 0 ? undefined : withoutPlace(value, rest);
  });
}

/**
 * An object with other values of its members, without those whose value is undefined. The same object if every value stays: most
 * objects of requests need no copy.
 */
export function mapMembers(object: JsonObject, change: (name: string, value: unknown) => unknown): JsonObject {
  let changed: Map<string, unknown> | undefined;
  for (const name in object) {
    const value = change(name, object[name]);
    if (value === object[name]) continue;
    changed ??= new Map(Object.entries(object));
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
  }
  return changed === undefined ? object : Object.fromEntries(changed);
}
