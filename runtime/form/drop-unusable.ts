import { type ContractDocument, isObject, readPointer } from '@lockstep/json/json-pointer';
import { mapSchemas } from '@lockstep/json/map-schemas';
import { oncePerDocument } from '../once-per-document.ts';
import { cutCircles, type Unchecked, type UsableSchemas } from './cut-circles.ts';
import { readPattern } from './read-pattern.ts';

/** @returns what the value should be, where it is not */
type Expect = (value: unknown, document: ContractDocument) => string | undefined;

const jsonTypes = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

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

/** Keywords that a validator reads (JSON Schema 2020-12), with the form in which it can. What is not listed is not read. */
const forms: ReadonlyMap<string, Expect> = new Map<string, Expect>([
  [
    'type',
    unless(
      (value) =>
        [value].flat().every((type) => jsonTypes.has(String(type))) && value !== undefined && [value].flat().length > 0,
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
  // Of the validator's own.
  ['id', () => 'is of an earlier draft, and names nothing'],
  ['$schema', () => 'is not read: schemas are of JSON Schema 2020-12'],
  ['$id', () => 'is not read: references are resolved from the root of the contract'],
  ['$anchor', () => 'is not read: references are pointers'],
  ['$dynamicAnchor', () => 'is not read'],
  ['$dynamicRef', () => 'is not read'],
]);

/** Ajv reads it in every draft. In OpenAPI 3.1 it is a word without meaning: null is refused, and `lint` names it. */
const meaningless = 'nullable';

/**
 * Makes a copy of a contract without the keywords that no validator can use: a pattern that is none, `required: true`, a reference that
 * leads nowhere, or back to where it stands. All else of their schemas is checked as ever.
 */
export const dropUnusable = oncePerDocument((contract): UsableSchemas => {
  const unchecked: Unchecked[] = [];
  const document = mapSchemas(contract, (schema, { pointer }) => {
    const faults = Object.entries(schema).flatMap(([keyword, value]) => {
      const why = forms.get(keyword)?.(value, contract);
      return why === undefined ? [] : [{ keyword, why }];
    });
    if (faults.length === 0 && !(meaningless in schema)) return schema;
    unchecked.push(
      ...faults.map(({ keyword, why }) => ({ pointer: `${pointer}/${keyword}`, why: `${keyword} ${why}` })),
    );
    const dropped = new Set([meaningless, ...faults.map(({ keyword }) => keyword)]);
    const kept = Object.fromEntries(Object.entries(schema).filter(([name]) => !dropped.has(name)));
    // Any member may match the pattern then: neither this schema nor one around it may refuse a member as one too many.
    return dropped.has('patternProperties') ? { ...kept, additionalProperties: {} } : kept;
  });
  const uncircled = cutCircles(document);
  return { document: uncircled.document, unchecked: [...unchecked, ...uncircled.unchecked] };
});

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
