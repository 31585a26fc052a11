import {
  arrayAt,
  isObject,
  type JsonObject,
  joinPointer,
  memberOf,
  normalisePointer,
  objectAt,
  type Pointer,
  placeAt,
  splitPointer,
  textAt,
} from '../contract/document.ts';

/** What discriminators say of schemas (OpenAPI 3.1, 4.8.25): which name stands for which schema, and who extends whom. */
export function createDiscriminators(root: JsonObject) {
  const components = Object.entries(objectAt(objectAt(root, 'components'), 'schemas'));
  const pointerOf = (name: string): Pointer => joinPointer('#/components/schemas', name);
  const isAllOf = (schema: unknown, base: Pointer): boolean =>
    arrayAt(schema, 'allOf').some((part) => sameReference(memberOf(part, '$ref'), base));
  const discriminatorOf = (schema: JsonObject): string | undefined => textAt(schema.discriminator, 'propertyName');
  /** A mapping's value is a reference, or the name of a schema. */
  const mappingOf = (schema: JsonObject): [string, Pointer][] =>
    Object.entries(objectAt(schema.discriminator, 'mapping')).map(([name, to]) => {
      const text = String(to);
      return [name, text.includes('#') || text.includes('/') ? text : pointerOf(text)];
    });
  /** What the property itself may be, if its own schema says so. */
  const fixedNames = (source: Pointer, property: string): readonly unknown[] => {
    const seen = new Set<unknown>([placeAt(root, source).value]);
    for (const schema of seen) {
      const own = objectAt(schema, 'properties')[property];
      if (isObject(own) && ('const' in own || Array.isArray(own.enum)))
        return 'const' in own ? [own.const] : arrayAt(own, 'enum');
      const parts = [schema, ...arrayAt(schema, 'allOf')].map((part) => memberOf(part, '$ref'));
      for (const part of arrayAt(schema, 'allOf')) seen.add(part);
      for (const part of parts)
        if (typeof part === 'string' && part.startsWith('#')) seen.add(placeAt(root, part).value);
    }
    return [];
  };
  return {
    discriminatorOf,
    /** The names that choose a branch: those that the mapping lists, else the name of its schema. */
    branch: (schema: JsonObject, property: string, source: Pointer): { listed: boolean; meant: unknown[] } => {
      const mapped = mappingOf(schema).filter(([, to]) => sameReference(to, source));
      const own = mapped.length > 0 ? mapped.map(([name]) => name) : [splitPointer(source).at(-1) ?? ''];
      const fixed = fixedNames(source, property);
      const allowed = own.filter((name) => fixed.length === 0 || fixed.includes(name));
      return allowed.length > 0
        ? { listed: mapped.length > 0, meant: allowed }
        : { listed: false, meant: fixed.slice(0, 1) };
    },
    /** The schemas that extend one by `allOf`, as its discriminator knows them. */
    subtypesOf: (schema: JsonObject, pointer: Pointer): Pointer[] => {
      const mapped = mappingOf(schema).map(([, to]) => to);
      if (mapped.length > 0) return mapped.filter((to) => to.startsWith('#') && !sameReference(to, pointer));
      return components.filter(([, other]) => isAllOf(other, pointer)).map(([name]) => pointerOf(name));
    },
    /** The schemas with a discriminator that one extends by `allOf`. */
    basesOf: (schema: JsonObject): { base: JsonObject; property: string }[] =>
      arrayAt(schema, 'allOf').flatMap((part) => {
        const reference = memberOf(part, '$ref');
        const base =
          typeof reference === 'string' && reference.startsWith('#') ? placeAt(root, reference).value : undefined;
        const property = isObject(base) ? discriminatorOf(base) : undefined;
        return isObject(base) && property !== undefined ? [{ base, property }] : [];
      }),
  };
}

function sameReference(one: unknown, other: Pointer): boolean {
  return typeof one === 'string' && one.startsWith('#') && normalisePointer(one) === normalisePointer(other);
}
