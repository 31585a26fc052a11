import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { SchemaNode } from '@lockstep/values/shape';
import { once } from './once.ts';
import { mapMembers, type SchemaReader } from './read-schemas.ts';
import type { Resource } from './resource.ts';
import { plainName } from './template.ts';

/** Deeper values keep their names. */
const deepest = 12;

export type MemberNames = ReturnType<typeof createMemberNames>;

/** Reads members of requests by the names that answers have for them: a form sends `FriendlyName`, and answers show `friendly_name`. */
export function createMemberNames({ membersOf, isOnly, itemOf }: SchemaReader) {
  const spellings = once(
    (node: SchemaNode): ReadonlyMap<string, string> =>
      new Map([...membersOf(node).keys()].toReversed().map((name) => [plainName(name), name])),
  );

  /** The name in these schemas; the same name if they declare it, or nothing like it. */
  const nameIn = (nodes: readonly SchemaNode[], name: string): string => {
    for (const node of nodes) if (membersOf(node).has(name)) return name;
    const plain = plainName(name);
    return nodes.map((node) => spellings(node).get(plain)).find((own) => own !== undefined) ?? name;
  };

  const align = (value: unknown, nodes: readonly SchemaNode[], depth: number): unknown => {
    if (nodes.length === 0 || depth > deepest) return value;
    if (Array.isArray(value)) {
      const items = nodes.filter((node) => isOnly(node, 'array')).map(itemOf);
      return value.map((item) => align(item, items, depth + 1));
    }
    return isObject(value) ? alignObject(value, nodes, depth) : value;
  };

  /** The same object if every name stays. */
  const alignObject = (value: JsonObject, nodes: readonly SchemaNode[], depth: number): JsonObject => {
    const nameOf = (sent: string): string => {
      const own = nameIn(nodes, sent);
      return Object.hasOwn(value, own) ? sent : own;
    };
    const names = Object.keys(value);
    // Scalars have no names.
    const aligned = mapMembers(value, (sent, member) =>
      typeof member === 'object' && member !== null
        ? align(member, membersNamed(nodes, nameOf(sent)), depth + 1)
        : member,
    );
    return names.every((name) => nameOf(name) === name)
      ? aligned
      : Object.fromEntries(names.map((name) => [nameOf(name), aligned[name]]));
  };

  const membersNamed = (nodes: readonly SchemaNode[], name: string): readonly SchemaNode[] =>
    nodes.flatMap((node) => membersOf(node).get(name) ?? []);

  return {
    /** The members of a request with the names of the resource's answers. */
    align: ({ views }: Resource, sent: JsonObject): JsonObject => alignObject(sent, views, 0),
    /** Schemas of the members in the bodies that create an item, by the names of its answers. */
    draftedOf: once(({ views, drafts }: Resource): ReadonlyMap<string, readonly SchemaNode[]> => {
      const members = drafts.flatMap((draft) => [...membersOf(draft)]);
      const byName = Map.groupBy(members, ([name]) => nameIn(views, name));
      return new Map([...byName].map(([name, found]) => [name, found.map(([, node]) => node)]));
    }),
  };
}
