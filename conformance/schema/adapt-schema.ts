import { follow, joinPointer, normalisePointer, type Pointer, placeAt, type ReportPart } from '../contract/document.ts';
import { isOpenEnum } from '../contract/extensions.ts';
import { isObject, type JsonObject, memberOf, objectAt } from '../contract/json.ts';
import { adaptKeyword, isSchemaType } from './adapt-keyword.ts';

export type Direction = 'request' | 'response';

export interface AdaptedSchema {
  /** A schema of its own, with all that it refers to under `$defs`. */
  readonly schema: JsonObject;
  /** Where in the contract each object of `schema` stands, so that a fault can cite its sentence. */
  readonly pointerOf: WeakMap<object, Pointer>;
  readonly definitions: Readonly<Record<string, unknown>>;
}

const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const choices = ['allOf', 'anyOf', 'oneOf'];
const singles = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/**
 * Copies a schema of the contract into plain JSON Schema 2020-12 as it holds in one direction: what is `readOnly` is not
 * required of a request, nor `writeOnly` of a response; an open enum is open; what no judge can read is left out and told.
 */
export function adaptSchema(root: JsonObject, start: Pointer, direction: Direction, report: ReportPart): AdaptedSchema {
  const pointerOf = new WeakMap<object, Pointer>();
  const names = new Map<Pointer, string>();
  const definitions: Record<string, unknown> = {};
  const waiting: { readonly name: string; readonly pointer: Pointer }[] = [];

  const refer = (pointer: Pointer): string => {
    const known = names.get(pointer);
    if (known !== undefined) return `#/$defs/${known}`;
    const name = `s${names.size}`;
    names.set(pointer, name);
    waiting.push({ name, pointer });
    return `#/$defs/${name}`;
  };

  const copy = (value: unknown, pointer: Pointer, relaxed: ReadonlySet<string>): unknown => {
    if (!isObject(value)) return isSchemaType(value, pointer, report);
    const known = new Set([...relaxed, ...relaxedNames(root, value, direction)]);
    const adapted: Record<string, unknown> = {};
    pointerOf.set(adapted, pointer);
    const choosesByName = direction === 'response' && isObject(value.discriminator);
    for (const [keyword, part] of Object.entries(value)) {
      const at = joinPointer(pointer, keyword);
      if (keyword === '$ref' && typeof part === 'string') {
        const target = follow(root, { value: { $ref: part }, pointer }, report);
        if (target !== undefined) adapted.$ref = refer(normalisePointer(part));
      } else if (maps.has(keyword) && isObject(part)) {
        adapted[keyword] = Object.fromEntries(
          Object.entries(part).map(([name, schema]) => [name, copy(schema, joinPointer(at, name), new Set())]),
        );
      } else if (lists.has(keyword) && Array.isArray(part)) {
        // Where a name chooses the branch, that two of them match is no fault.
        const name = keyword === 'oneOf' && choosesByName ? 'anyOf' : keyword;
        if (part.length > 0) adapted[name] = part.map((schema, index) => copy(schema, joinPointer(at, index), known));
      } else if (singles.has(keyword)) {
        adapted[keyword] = copy(part, at, new Set());
      } else if (keyword === 'required' && Array.isArray(part)) {
        adapted.required = part.filter((name) => typeof name === 'string' && !known.has(name));
      } else if (!(keyword === 'enum' && direction === 'response' && isOpenEnum(value))) {
        Object.assign(adapted, adaptKeyword(value, keyword, at, report));
      }
    }
    if (value.nullable !== true || !choices.some((keyword) => Array.isArray(value[keyword]))) return adapted;
    // OpenAPI 3.0: beside a composition no type can take null, and whoever writes `nullable` there means it.
    const choice = { anyOf: [adapted, { type: 'null' }] };
    pointerOf.set(choice, pointer);
    return choice;
  };

  const first = refer(normalisePointer(start));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    definitions[next.name] = copy(placeAt(root, next.pointer).value, next.pointer, new Set());
  }
  return { schema: { $ref: first, $defs: definitions }, pointerOf, definitions };
}

/** Names that this direction does not require: looked up in the schema itself and in what it is composed of. */
function relaxedNames(root: JsonObject, schema: JsonObject, direction: Direction, depth = 0): string[] {
  const flag = direction === 'request' ? 'readOnly' : 'writeOnly';
  const own = Object.entries(objectAt(schema, 'properties'))
    .filter(([, property]) => {
      if (memberOf(property, flag) === true) return true;
      return memberOf(follow(root, { value: property, pointer: '#' })?.value, flag) === true;
    })
    .map(([name]) => name);
  if (depth > 8) return own;
  const parts = [
    ...(Array.isArray(schema.allOf) ? schema.allOf : []),
    ...(schema.$ref === undefined ? [] : [{ $ref: schema.$ref }]),
  ];
  return parts.reduce<string[]>((names, part) => {
    const target = follow(root, { value: part, pointer: '#' })?.value;
    return isObject(target) && target !== schema
      ? names.concat(relaxedNames(root, target, direction, depth + 1))
      : names;
  }, own);
}
