import { type ContractDocument, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import { schemaKeywords, schemasIn } from '@lockstep/json/schema-keywords';
import { oncePerDocument } from '../once-per-document.ts';

/** A part of a contract that is not checked. */
export interface Unchecked {
  /** Location of the keyword in the contract. */
  readonly pointer: string;
  readonly why: string;
}

export interface UsableSchemas {
  /** The contract without the unchecked parts, for a compiler. */
  readonly document: ContractDocument;
  readonly unchecked: readonly Unchecked[];
}

/** Schemas that refer to themselves without a step into the value, each with the number of its circle. */
type Circles = ReadonlyMap<unknown, number>;

/** These depend on all adjacent schemas: if one of those is removed, they would reject valid values. */
const ofTheRest = new Set(['unevaluatedProperties', 'unevaluatedItems']);

/**
 * Copies a contract so that no schema contains itself without a step into the value. The behaviour of such a schema is undefined (JSON
 * Schema 2020-12, Core, 9.4.1), and a validator recurses until its stack overflows.
 *
 * Most are `Pet: { oneOf: [Cat, Dog] }` with `Cat: { allOf: [Pet, …] }`. The `Pet` in a `Cat` then means its own keywords without its
 * `oneOf`. All other circular references are removed.
 */
export const cutCircles = oncePerDocument((contract): UsableSchemas => {
  const circles = findCircles(contract);
  if (circles.size === 0) return { document: contract, unchecked: [] };
  const inAll = cut(contract, circles, (schema, circles, isAlternative) => {
    const { $ref } = schema;
    if (isAlternative || typeof $ref !== 'string') return undefined;
    const target = readPointer(contract, $ref);
    if (!isSame(circles, schema, target)) return undefined;
    const { $ref: _, ...beside } = schema;
    const own = ownPart(contract, circles, target, new Set([schema]));
    const why = `$ref leads back to the schema that it stands in: of ${$ref} only what stands there itself is checked`;
    return { schema: isEmpty(beside) ? own : joinAll(beside, own), faults: [{ name: '$ref', why }] };
  });
  const inForms = cut(inAll.document, findCircles(inAll.document), (schema, circles) => {
    const names = Object.keys(schema).filter((name) => leadsBack(circles, schema, name));
    if (names.length === 0) return undefined;
    const rest = Object.entries(schema).filter(([name]) => !names.includes(name) && !ofTheRest.has(name));
    const faults = names.map((name) => ({
      name,
      why: `${name} leads back to the schema that it stands in, without end`,
    }));
    return { schema: Object.fromEntries(rest), faults };
  });
  return { document: inForms.document, unchecked: [...inAll.unchecked, ...inForms.unchecked] };
});

interface Change {
  readonly schema: JsonObject;
  readonly faults: readonly { readonly name: string; readonly why: string }[];
}

/** @param change called for each schema of a circle, with whether it is a variant of `oneOf` or `anyOf`, or a condition */
function cut(
  document: ContractDocument,
  circles: Circles,
  change: (schema: JsonObject, circles: Circles, isAlternative: boolean) => Change | undefined,
): UsableSchemas {
  if (circles.size === 0) return { document, unchecked: [] };
  const forms = new Set(
    [...circles.keys()].filter(isObject).flatMap((schema) => schemasIn({ ...schema, allOf: undefined }, 'value')),
  );
  const unchecked: UsableSchemas['unchecked'][number][] = [];
  const mapped = mapSchemas(document, (schema, place) => {
    const changed = circles.has(schema) ? change(schema, circles, forms.has(schema)) : undefined;
    unchecked.push(...(changed?.faults ?? []).map(({ name, why }) => ({ pointer: `${place.pointer}/${name}`, why })));
    return changed?.schema ?? schema;
  });
  return { document: mapped, unchecked };
}

/** A schema without the parts that refer back into its circle. */
function ownPart(document: ContractDocument, circles: Circles, schema: unknown, way: ReadonlySet<unknown>): JsonObject {
  if (!isObject(schema) || way.has(schema)) return {};
  const further = new Set([...way, schema]);
  const own = (part: unknown): unknown =>
    isSame(circles, schema, part) ? ownPart(document, circles, part, further) : part;
  const { $ref, allOf, ...rest } = schema;
  const isCut = Object.keys(rest).some((name) => leadsBack(circles, schema, name));
  const kept = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !leadsBack(circles, schema, name) && !(isCut && ofTheRest.has(name))),
  );
  const parts = (Array.isArray(allOf) ? allOf.map(own) : []).filter((part) => !isEmpty(part));
  const joined = parts.length === 0 ? kept : { ...kept, allOf: parts };
  if (typeof $ref !== 'string') return joined;
  const target = readPointer(document, $ref);
  if (!isSame(circles, schema, target)) return { $ref, ...joined };
  const whole = ownPart(document, circles, target, further);
  return isEmpty(joined) ? whole : joinAll(joined, whole);
}

function isEmpty(schema: unknown): boolean {
  return isObject(schema) && Object.keys(schema).length === 0;
}

function joinAll(schema: JsonObject, part: JsonObject): JsonObject {
  return { ...schema, allOf: [...(Array.isArray(schema.allOf) ? schema.allOf : []), part] };
}

/** Whether a keyword for variants or conditions contains a schema of the same circle. */
function leadsBack(circles: Circles, schema: JsonObject, name: string): boolean {
  return (
    schemaKeywords.get(name)?.judges === 'value' &&
    schemasIn({ [name]: schema[name] }, 'value').some((part) => isSame(circles, schema, part))
  );
}

function isSame(circles: Circles, one: unknown, other: unknown): boolean {
  return circles.has(one) && circles.get(one) === circles.get(other);
}

/** Strongly connected schemas, by Tarjan's algorithm. */
function findCircles(document: ContractDocument): Circles {
  const circles = new Map<unknown, number>();
  const order = new Map<unknown, number>();
  const open: unknown[] = [];
  const isOpen = new Set<unknown>();
  mapSchemas(document, (schema) => {
    if (!order.has(schema)) visit(schema);
    return schema;
  });
  return circles;

  /** @returns the number of the earliest schema that this one refers back to */
  function visit(schema: JsonObject): number {
    const number = order.size;
    order.set(schema, number);
    const { $ref } = schema;
    const next = [...schemasIn(schema, 'value'), ...(typeof $ref === 'string' ? [readPointer(document, $ref)] : [])];
    // Most schemas refer to none.
    if (next.length === 0) return number;
    open.push(schema);
    isOpen.add(schema);
    let earliest = number;
    for (const one of next.filter(isObject)) {
      const known = order.get(one);
      if (known === undefined) earliest = Math.min(earliest, visit(one));
      else if (isOpen.has(one)) earliest = Math.min(earliest, known);
    }
    if (earliest < number) return earliest;
    const circle = open.splice(open.lastIndexOf(schema));
    for (const one of circle) isOpen.delete(one);
    if (circle.length > 1 || next.includes(schema)) for (const one of circle) circles.set(one, number);
    return earliest;
  }
}
