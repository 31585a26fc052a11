import { type ContractDocument, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import { schemaKeywords, schemasIn } from '@lockstep/json/schema-keywords';
import { oncePerDocument } from '../once-per-document.ts';

/** What of a contract is not checked. */
export interface Unchecked {
  /** Place of the keyword in the contract. */
  readonly pointer: string;
  readonly why: string;
}

export interface UsableSchemas {
  /** The contract without what can't be checked; for a compiler. */
  readonly document: ContractDocument;
  readonly unchecked: readonly Unchecked[];
}

/** Schemas that lead back to themselves without a step into the value, each with the number of its circle. */
type Circles = ReadonlyMap<unknown, number>;

/** They say something of what all schemas beside them have left over: without one of those they would refuse what is right. */
const ofTheRest = new Set(['unevaluatedProperties', 'unevaluatedItems']);

/**
 * Makes a copy of a contract in which no schema holds itself without a step into the value. JSON Schema leaves open what such a one means
 * (2020-12, Core, 9.4.1), and a validator follows it until its stack is full.
 *
 * Most are `Pet: { oneOf: [Cat, Dog] }` with `Cat: { allOf: [Pet, …] }`: of the `Pet` in a `Cat`, what it says itself is meant, without its
 * forms. All that leads back otherwise is left out.
 */
export const cutCircles = oncePerDocument((contract): UsableSchemas => {
  const inAll = cut(contract, (schema, circles, isForm) => {
    const { $ref } = schema;
    if (isForm || typeof $ref !== 'string') return undefined;
    const target = readPointer(contract, $ref);
    if (!isSame(circles, schema, target)) return undefined;
    const { $ref: _, ...beside } = schema;
    const own = ownPart(contract, circles, target, new Set([schema]));
    const why = `$ref leads back to the schema that it stands in: of ${$ref} only what stands there itself is checked`;
    return { schema: isEmpty(beside) ? own : joinAll(beside, own), faults: [{ name: '$ref', why }] };
  });
  const inForms = cut(inAll.document, (schema, circles) => {
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

/** @param change is asked for each schema of a circle, and whether it is one of several forms, or a condition */
function cut(
  document: ContractDocument,
  change: (schema: JsonObject, circles: Circles, isForm: boolean) => Change | undefined,
): UsableSchemas {
  const circles = findCircles(document);
  if (circles.size === 0) return { document, unchecked: [] };
  const forms = new Set(
    [...circles.keys()].filter(isObject).flatMap((schema) => schemasIn({ ...schema, allOf: undefined }, 'value')),
  );
  const unchecked: UsableSchemas['unchecked'][number][] = [];
  const mapped = mapSchemas(document, (schema, { pointer }) => {
    const changed = circles.has(schema) ? change(schema, circles, forms.has(schema)) : undefined;
    unchecked.push(...(changed?.faults ?? []).map(({ name, why }) => ({ pointer: `${pointer}/${name}`, why })));
    return changed?.schema ?? schema;
  });
  return { document: mapped, unchecked };
}

/** A schema without what leads back into its circle. */
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

/** Whether a keyword of forms or of conditions holds a schema of the same circle. */
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
  mapSchemas(document, (schema) => {
    if (!order.has(schema)) visit(schema);
    return schema;
  });
  return circles;

  /** @returns the earliest schema that this one leads back to, by its number */
  function visit(schema: JsonObject): number {
    const number = order.size;
    order.set(schema, number);
    open.push(schema);
    let earliest = number;
    const { $ref } = schema;
    const next = [...schemasIn(schema, 'value'), ...(typeof $ref === 'string' ? [readPointer(document, $ref)] : [])];
    for (const one of next.filter(isObject)) {
      const known = order.get(one);
      if (known === undefined) earliest = Math.min(earliest, visit(one));
      else if (open.includes(one)) earliest = Math.min(earliest, known);
    }
    if (earliest < number) return earliest;
    const circle = open.splice(open.indexOf(schema));
    if (circle.length > 1 || next.includes(schema)) for (const one of circle) circles.set(one, number);
    return earliest;
  }
}
