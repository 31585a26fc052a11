import {
  type ContractDocument,
  extendPointer,
  formatPointer,
  isObject,
  type JsonObject,
  parsePointer,
  parseReference,
  readPointer,
} from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import { schemaKeywords, schemasIn } from '@lockstep/json/schema-keywords';
import { isLocal, longestChain } from './reference-chains.ts';

export interface Resolved {
  /** A copy without dynamic references. */
  readonly document: ContractDocument;
  /** Maps a pointer of the copy to the given document. */
  readonly originOf: (pointer: string) => string;
}

/** Pointers of the schemas that dynamic references lead to, by the name of their anchor. */
type Scope = ReadonlyMap<string, string>;

const nothing: Scope = new Map();

/** A hostile document becomes endless: each of forty names has two targets. */
const mostSchemas = 10_000;

/** Next to a `$ref`, these add nothing to its target. */
const naming = new Set(['$ref', '$dynamicAnchor', '$comment', 'title', 'description']);

/**
 * Replaces each `$dynamicRef` by a `$ref` (JSON Schema 2020-12 core, 8.2.3.2). Its target depends on the schemas that lead to it, so the schema
 * around it becomes several: a generic `Page` becomes `Page-Book` and `Page-Author`. By the letter, all schemas without an `$id` are one resource.
 * Their authors mean that an anchor in the `$defs` of a schema belongs to this schema.
 *
 * @param document unchanged
 * @returns undefined for a document that would become too large
 */
export function resolveDynamicReferences(document: ContractDocument): Resolved | undefined {
  const { anchors, opens, resourceOf } = readAnchors(document);
  const dependents = findDependents(document, anchors);
  const names = new Set(Object.keys(membersOf(document).schemas));
  const copies = new Map<string, { readonly name: string; readonly target: string; readonly scope: Scope }>();
  const resolved = new Set<object>();

  const whole = mapSchemas(document, (schema, { pointer }) =>
    resolved.has(schema) ? schema : (resolve(schema, pointer, nothing) as JsonObject),
  );
  const ofDocument = resolved.size;
  const added: Record<string, unknown> = {};
  const targets = new Map<string, string>();
  // The iteration of a Map includes the copies that are added meanwhile.
  for (const { name, target, scope } of copies.values()) {
    if (resolved.size - ofDocument > mostSchemas) return undefined;
    // Nothing refers to the definitions and names of a copy.
    const { $defs, $id, $anchor, ...schema } = Object(readPointer(document, target));
    added[name] = resolve(schema, target, scopeAt(target, scope));
    targets.set(name, target);
  }
  const { components, schemas } = membersOf(whole);
  return {
    document:
      copies.size === 0 ? whole : { ...whole, components: { ...components, schemas: { ...schemas, ...added } } },
    originOf: (pointer) => {
      const [first, second, name = '', ...rest] = parsePointer(pointer);
      const target = first === 'components' && second === 'schemas' ? targets.get(name) : undefined;
      return target === undefined ? pointer : extendPointer(target, ...rest);
    },
  };

  /** @param pointer of the schema in the document; in a copy, of the original */
  function resolve(schema: unknown, pointer: string, around: Scope): unknown {
    if (!isObject(schema)) return schema;
    const scope = enter(around, pointer);
    const result: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(schema)) {
      const holds = schemaKeywords.get(name)?.holds;
      const part = (one: unknown, key: string | number) => resolve(one, extendPointer(pointer, name, key), scope);
      if (holds === 'schema') result[name] = resolve(value, extendPointer(pointer, name), scope);
      else if (holds === 'schemas' && Array.isArray(value)) result[name] = value.map(part);
      else if (holds === 'map' && isObject(value))
        result[name] = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, part(one, key)]));
      else if (name === '$ref') result[name] = isLocal(value) ? refer(value, scope) : value;
      else if (name !== '$dynamicAnchor' && name !== '$dynamicRef') result[name] = value;
    }
    const target = targetOf(schema.$dynamicRef, pointer, scope);
    if (target !== undefined) {
      if (result.$ref === undefined) result.$ref = refer(target, scope);
      else result.allOf = [...((result.allOf as unknown[]) ?? []), { $ref: refer(target, scope) }];
    }
    resolved.add(result);
    return result;
  }

  /** Adds the anchors of a schema. Schemas further out decide first. */
  function enter(around: Scope, pointer: string): Scope {
    const own = opens.get(pointer);
    return own === undefined ? around : new Map([...own, ...around]);
  }

  /** The scope inside a schema that a reference leads to. */
  function scopeAt(pointer: string, around: Scope): Scope {
    const path = parsePointer(pointer);
    let scope = around;
    for (let length = parsePointer(resourceOf(pointer)).length; length <= path.length; length += 1)
      scope = enter(scope, formatPointer(path.slice(0, length)));
    return scope;
  }

  /** The `$ref` to a schema inside a scope: to a copy, if the scope changes the meaning of the schema. */
  function refer(reference: string, scope: Scope): string {
    if (scope.size === 0) return reference;
    const target = formatPointer(parseReference(reference));
    const schema = readPointer(document, target);
    const used = [...scope].filter(([name]) => dependents.get(name)?.has(schema)).sort();
    const own = scopeAt(target, nothing);
    const other = used.filter(([name, to]) => own.get(name) !== to);
    if (other.length === 0) return reference;
    const key = JSON.stringify([target, used]);
    const copy = copies.get(key) ?? { name: nameCopy(target, other), target, scope: new Map(used) };
    copies.set(key, copy);
    return formatPointer(['components', 'schemas', copy.name]);
  }

  function nameCopy(target: string, other: readonly (readonly [string, string])[]): string {
    const parts = [target, ...other.map(([, to]) => to)].map((pointer) => {
      const path = parsePointer(pointer);
      return String(path[0] === 'components' ? path[2] : path.at(-1)).replaceAll(/[^A-Za-z0-9._]+/g, '_');
    });
    const base = parts.join('-');
    let name = base;
    for (let number = 2; names.has(name); number += 1) name = `${base}-${number}`;
    names.add(name);
    return name;
  }

  /** @returns undefined if several schemas have the name, and none of them is in the scope: any value is valid, as in a page without a default */
  function targetOf(reference: unknown, pointer: string, scope: Scope): string | undefined {
    if (isLocal(reference)) return reference;
    const name = String(reference).slice(1);
    const same = anchors.get(name) ?? [];
    const fixed = same.find((one) => !one.isDynamic && one.resource === resourceOf(pointer));
    const found = fixed?.pointer ?? scope.get(name) ?? (same.length === 1 ? same[0]?.pointer : undefined);
    return found === undefined ? undefined : skipReferences(document, found);
  }
}

/** By their name. */
type Anchors = ReadonlyMap<string, readonly Anchor[]>;

interface Anchor {
  readonly name: string;
  readonly pointer: string;
  readonly resource: string;
  readonly isDynamic: boolean;
}

function readAnchors(document: ContractDocument) {
  const found: Anchor[] = [];
  /** Schemas with an `$id`, outer before inner. */
  const resources: string[] = [];
  const isIn = (pointer: string, around: string) => pointer === around || pointer.startsWith(`${around}/`);
  const resourceOf = (pointer: string) => resources.findLast((resource) => isIn(pointer, resource)) ?? '#';
  mapSchemas(document, (schema, { pointer }) => {
    if (typeof schema.$id === 'string') resources.push(pointer);
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = schema[keyword];
      if (typeof name === 'string')
        found.push({ name, pointer, resource: resourceOf(pointer), isDynamic: keyword === '$dynamicAnchor' });
    }
    return schema;
  });
  const anchors: Anchors = Map.groupBy(found, ({ name }) => name);
  const alike = Map.groupBy(found, ({ name, resource }) => `${name} ${resource}`);
  const opens = new Map<string, Map<string, string>>();
  for (const { name, pointer, resource } of found.filter(({ isDynamic }) => isDynamic)) {
    const isOnly = alike.get(`${name} ${resource}`)?.length === 1;
    const holder = pointer.replace(/\/\$defs\/[^/]*$/, '').replace(/\/allOf\/\d+$/, '');
    const at = isOnly && resource !== '#' ? resource : isIn(holder, resource) ? holder : pointer;
    opens.set(at, new Map([[name, skipReferences(document, pointer)], ...(opens.get(at) ?? [])]));
  }
  return { anchors, opens, resourceOf };
}

/** The schemas from which a dynamic reference to a name can be reached. */
function findDependents(document: ContractDocument, anchors: Anchors): ReadonlyMap<string, ReadonlySet<unknown>> {
  const found = new Map([...anchors.keys()].map((name) => [name, new Set<unknown>()] as const));
  /** A dynamic reference is a holder of its name, and the name of the schemas that have it. */
  const holders = new Map<unknown, unknown[]>();
  const hold = (part: unknown, holder: unknown): void => {
    const known = holders.get(part);
    if (known === undefined) holders.set(part, [holder]);
    else known.push(holder);
  };
  for (const [name, same] of anchors) for (const { pointer } of same) hold(readPointer(document, pointer), name);
  mapSchemas(document, (schema) => {
    const { $ref, $dynamicRef } = schema;
    const name = typeof $dynamicRef === 'string' ? $dynamicRef.slice(1) : '';
    found.get(name)?.add(schema);
    const targets = [$ref, $dynamicRef].filter(isLocal).map((pointer) => readPointer(document, pointer));
    for (const part of [...schemasIn(schema, 'value'), ...schemasIn(schema, 'part'), ...targets, name])
      hold(part, schema);
    return schema;
  });
  // The iteration of a Set includes members that are added meanwhile.
  for (const schemas of found.values())
    for (const schema of schemas) for (const holder of holders.get(schema) ?? []) schemas.add(holder);
  return found;
}

/** The target of a schema that is only a reference: two pages of books are one. */
function skipReferences(document: ContractDocument, pointer: string): string {
  let at = pointer;
  for (let hops = 0; hops < longestChain; hops += 1) {
    const schema = readPointer(document, at);
    if (!isObject(schema) || !isLocal(schema.$ref) || !Object.keys(schema).every((name) => naming.has(name))) break;
    at = schema.$ref;
  }
  return at;
}

function membersOf(document: JsonObject): { readonly components: JsonObject; readonly schemas: JsonObject } {
  const components = isObject(document.components) ? document.components : {};
  return { components, schemas: isObject(components.schemas) ? components.schemas : {} };
}
