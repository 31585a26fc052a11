import { type ContractDocument, isObject, readPointer } from '@lockstep/json/json-pointer';
import { type Reading, readingOf } from '@lockstep/json/schema-keywords';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { oncePerDocument } from '../once-per-document.ts';
import { countReferences, judgeWithReferences } from './follow-references.ts';
import { isDateTime } from './is-date-time.ts';
import { readPattern, renewSteps } from './read-pattern.ts';
import { judgeUniqueItemsOnce } from './unique-items.ts';

/** The first fault of a value, or `undefined` if it is valid. A fault of an `anyOf` has several errors. */
export type Validate = (value: unknown) => readonly ErrorObject[] | undefined;

interface CompiledSchema {
  /** Validates within the bound of the outermost value. */
  readonly findFault: Validate;
  readonly validate: Validate;
}

const contractId = 'contract.json';

/** A longer chain of references is circular. */
const longestChain = 32;

/** Decimals to which a quotient must be whole: 19.99 / 0.01 is 1998.9999999999998. */
const multipleOfPrecision = 9;

/** Ajv would set the flag `u` for all patterns or for none. `code` is used only for validators that are written to files. */
const regExp = Object.assign(readPattern, { code: 'new RegExp' });

/**
 * Compiles schemas of one contract with references into it, each once.
 *
 * `allErrors` stays off, since on untrusted input its work is unbounded. Formats are validated fully: 30 February is no
 * date, and 24:59 no time. A schema that does not compile throws at the start.
 */
export const createSchemaCompiler = oncePerDocument((document): ((schema: unknown) => Validate) => {
  // It walks through the whole document, which takes a third of a second for 845 operations: a start does not wait for it.
  let ajv: Ajv2020 | undefined;
  const compiled = new Map<string, CompiledSchema>();
  return (schema) => compile(schema).validate;

  function compile(schema: unknown): CompiledSchema {
    const text = JSON.stringify(withoutNamedExamples(nameOf(document, schema)), pointIntoContract) ?? 'true';
    const known = compiled.get(text);
    if (known !== undefined) return known;
    ajv ??= createAjv(document);
    const check = ajv.compile(JSON.parse(text));
    const findFault: Validate = (value) => (check(value) === true ? undefined : narrow(check.errors ?? []));
    const validate: Validate = (value) => {
      renewSteps();
      return judgeWithReferences(value, findFault);
    };
    const found = { findFault, validate };
    compiled.set(text, found);
    return found;
  }

  /** If a discriminator selects one of several schemas, reports only the faults for that one. It is compiled at its first use. */
  function narrow(errors: readonly ErrorObject[]): readonly ErrorObject[] {
    const whole = errors.at(-1);
    const $ref = whole && findMeantAlternative(document, whole);
    const own = $ref === undefined ? undefined : compile({ $ref }).findFault(whole?.data);
    return own?.map((error) => ({ ...error, instancePath: `${whole?.instancePath}${error.instancePath}` })) ?? errors;
  }
});

function createAjv(document: ContractDocument): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    verbose: true,
    logger: false,
    multipleOfPrecision,
    code: { regExp },
  });
  ajvFormats.default(ajv, { mode: 'full' });
  ajv.addFormat('date-time', { type: 'string', validate: isDateTime });
  judgeUniqueItemsOnce(ajv);
  countReferences(ajv);
  ajv.addSchema(withoutNamedExamples(document) as object, contractId);
  return ajv;
}

/**
 * Ajv searches all objects for names of schemas: the `$id` of an example would be one, and two such examples ambiguous. Only examples with a
 * name are left out, as a message shows others, and a `$ref` may lead to a schema in an extension that is called `value` or `default`.
 */
function withoutNamedExamples(node: unknown, reading: Reading = 'keywords'): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutNamedExamples(item));
  if (!isObject(node)) return node;
  const kept = Object.entries(node).flatMap(([name, value]) => {
    const within = readingOf(reading, name);
    if (within !== 'data') return [[name, withoutNamedExamples(value, within)] as const];
    return isObject(value) && name !== 'const' && naming.test(JSON.stringify(value)) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept);
}

/** Keywords that name a schema, in JSON. */
const naming = /"\$(?:id|anchor|dynamicAnchor)":/;

/** The schema that a `discriminator` maps the value to (OpenAPI 3.1, 4.8.25). */
function findMeantAlternative(
  document: ContractDocument,
  { keyword, parentSchema, data }: ErrorObject,
): string | undefined {
  if (keyword !== 'oneOf' && keyword !== 'anyOf') return undefined;
  const { discriminator } = isObject(parentSchema) ? parentSchema : {};
  const { propertyName, mapping } = isObject(discriminator) ? discriminator : {};
  const tag = isObject(data) ? data[String(propertyName)] : undefined;
  const target = isObject(mapping) && typeof tag === 'string' && Object.hasOwn(mapping, tag) ? mapping[tag] : undefined;
  const isPointer = typeof target === 'string' && target.startsWith('#/');
  return isPointer && isObject(readPointer(document, target)) ? target : undefined;
}

/** Follows references that lead to references only, so that parameters with the same schema share one check. */
function nameOf(document: ContractDocument, schema: unknown, hops = 0): unknown {
  const $ref = isObject(schema) && Object.keys(schema).length === 1 ? schema.$ref : undefined;
  const target = typeof $ref === 'string' && $ref.startsWith('#/') ? readPointer(document, $ref) : undefined;
  const isAlias = isObject(target) && Object.keys(target).length === 1 && typeof target.$ref === 'string';
  return isAlias && hops < longestChain ? nameOf(document, target, hops + 1) : schema;
}

/** References of a schema outside the contract still point into it. */
function pointIntoContract(key: string, value: unknown): unknown {
  return key === '$ref' && typeof value === 'string' && value.startsWith('#')
    ? `${contractId}${encodeURI(value.toWellFormed())}`
    : value;
}

/** The contract with its schema compiler. */
export interface SchemaTools {
  readonly document: ContractDocument;
  /** @throws Error for a schema that does not compile */
  readonly compile: (schema: unknown) => Validate;
}
