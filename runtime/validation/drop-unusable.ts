import { type ContractDocument, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import { schemasIn } from '@lockstep/json/schema-keywords';
import { oncePerDocument } from '../once-per-document.ts';
import { cutCircles, type Unchecked, type UsableSchemas } from './cut-circles.ts';
import { readPattern } from './read-pattern.ts';

/** @returns the expected value, if the value is unusable */
type Expect = (value: unknown, document: ContractDocument) => string | undefined;

const jsonTypes: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isSchema = (value: unknown): boolean => isObject(value) || typeof value === 'boolean';
const unless =
  (isGood: (value: unknown) => boolean, wants: string): Expect =>
  (value) =>
    isGood(value) ? undefined : `must be ${wants}`;

const aNumber = unless((value) => Number.isFinite(value), 'a number');
const aCount = unless((value) => Number.isInteger(value) && Number(value) >= 0, 'a whole number from 0 on');
const aSchema = unless(isSchema, 'a schema');
const schemas = unless(
  (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  'a list of schemas',
);
const schemasByName = unless((value) => isObject(value) && Object.values(value).every(isSchema), 'schemas by name');
const names = unless(
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  'a list of names',
);
const aBoolean = unless((value) => typeof value === 'boolean', 'true or false');

/** Keywords that a validator reads (JSON Schema 2020-12), with their required format. It ignores all others. */
const forms: ReadonlyMap<string, Expect> = new Map<string, Expect>([
  [
    'type',
    unless(
      (value) =>
        jsonTypes.has(value) ||
        ([value].flat().every((type) => jsonTypes.has(String(type))) &&
          value !== undefined &&
          [value].flat().length > 0),
      'a type of JSON',
    ),
  ],
  ['enum', unless((value) => Array.isArray(value) && value.length > 0, 'a list of values')],
  ['format', unless((value) => typeof value === 'string', 'a name')],
  ['required', names],
  ['properties', schemasByName],
  ['dependentSchemas', schemasByName],
  [
    'dependentRequired',
    unless(
      (value) => isObject(value) && Object.values(value).every((one) => names(one, {}) === undefined),
      'names by name',
    ),
  ],
  [
    'patternProperties',
    (value) =>
      schemasByName(value, {}) ??
      (isObject(value)
        ? Object.keys(value)
            .map(explainPattern)
            .find((why) => why !== undefined)
        : undefined),
  ],
  ['pattern', (value) => (typeof value === 'string' ? explainPattern(value) : 'must be text')],
  ['$ref', (value, document) => explainReference(document, value)],
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, schemas] as const),
  ...[
    'not',
    'if',
    'then',
    'else',
    'items',
    'contains',
    'additionalProperties',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
  ].map((name) => [name, aSchema] as const),
  ...['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'].map((name) => [name, aNumber] as const),
  ['multipleOf', unless((value) => Number.isFinite(value) && Number(value) > 0, 'a number above 0')],
  ...[
    'maxLength',
    'minLength',
    'maxItems',
    'minItems',
    'maxContains',
    'minContains',
    'maxProperties',
    'minProperties',
  ].map((name) => [name, aCount] as const),
  ['uniqueItems', aBoolean],
  // Keywords that the validator itself interprets.
  ['id', () => 'is of an earlier draft, and names nothing'],
  ['$schema', () => 'is ignored: every schema is read as JSON Schema 2020-12'],
  ['$id', () => 'is not read: references are resolved from the root of the contract'],
  ['$anchor', () => 'is not read: references are pointers'],
  ['$dynamicAnchor', () => 'is not read'],
  ['$dynamicRef', () => 'is not read'],
]);

/** Without these, a schema accepts the same values. */
const naming = new Set(['id', '$schema', '$id', '$anchor', '$dynamicAnchor']);

/** Ajv reads it in every draft. In OpenAPI 3.1 it has no meaning: null is rejected, and `lint` reports it. */
const meaningless = 'nullable';

/**
 * Copies a contract without the keywords that no validator can use: an invalid pattern, `required: true`, a dangling or circular
 * reference. The rest of their schemas is checked as usual.
 */
export const dropUnusable = oncePerDocument((contract): UsableSchemas => {
  const unchecked: Unchecked[] = [];
  const faulty = new Map<JsonObject, string[]>();
  let isPlain = true;
  mapSchemas(contract, (schema, place) => {
    for (const keyword of Object.keys(schema)) {
      const why = forms.get(keyword)?.(schema[keyword], contract);
      isPlain &&= why === undefined && keyword !== meaningless;
      if (why === undefined) continue;
      faulty.set(schema, [...(faulty.get(schema) ?? []), keyword]);
      unchecked.push({ pointer: `${place.pointer}/${keyword}`, why: `${keyword} ${why}` });
    }
    return schema;
  });
  if (isPlain) return cutCircles(contract);
  const lax = findHolders(
    contract,
    [...faulty].filter(([, names]) => !names.every((name) => naming.has(name))).map(([schema]) => schema),
  );
  const document = mapSchemas(contract, (schema) => {
    const dropped = new Set(faulty.get(schema));
    if (lax.has(schema.not)) dropped.add('not');
    if (lax.has(schema.if)) dropped.add('if').add('then').add('else');
    if (lax.has(schema.contains)) dropped.add('maxContains');
    const isSome = !dropped.has('oneOf') && Array.isArray(schema.oneOf) && schema.oneOf.some((form) => lax.has(form));
    if (isSome) dropped.add('oneOf');
    if (dropped.size === 0 && !(meaningless in schema)) return schema;
    const kept = Object.fromEntries(
      Object.entries(schema).filter(([name]) => !dropped.has(name) && name !== meaningless),
    );
    return {
      ...kept,
      ...(isSome && { allOf: [...(Array.isArray(kept.allOf) ? kept.allOf : []), { anyOf: schema.oneOf }] }),
      // Any member might match the removed pattern: no schema around it may reject additional members.
      ...(dropped.has('patternProperties') && { additionalProperties: {} }),
    };
  });
  const uncircled = cutCircles(document);
  return { document: uncircled.document, unchecked: [...unchecked, ...uncircled.unchecked] };
});

/**
 * A schema without a removed keyword accepts more values, and so may a schema that contains it. Keywords that reject a value because a schema accepts
 * it would then reject valid values: `not`, `if`, `maxContains`, and `oneOf` if a second schema accepts the value too.
 *
 * @returns all faulty schemas, and all that contain one at any depth
 */
function findHolders(document: ContractDocument, faulty: readonly JsonObject[]): ReadonlySet<unknown> {
  const found = new Set<unknown>(faulty);
  if (found.size === 0) return found;
  const holders = new Map<unknown, JsonObject[]>();
  mapSchemas(document, (schema) => {
    const { $ref } = schema;
    const target = typeof $ref === 'string' ? [readPointer(document, $ref)] : [];
    for (const part of [...schemasIn(schema, 'value'), ...schemasIn(schema, 'part'), ...target]) {
      const known = holders.get(part);
      if (known === undefined) holders.set(part, [schema]);
      else known.push(schema);
    }
    return schema;
  });
  // The iteration of a Set includes members that are added meanwhile.
  for (const schema of found) for (const holder of holders.get(schema) ?? []) found.add(holder);
  return found;
}

function explainPattern(pattern: string): string | undefined {
  try {
    readPattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? `is not usable: ${error.message}` : 'is not usable';
  }
}

function explainReference(document: ContractDocument, reference: unknown): string | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return 'must be a reference into the contract';
  return isSchema(readPointer(document, reference)) ? undefined : `leads nowhere: ${reference}`;
}
