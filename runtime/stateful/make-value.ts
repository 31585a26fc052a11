import { type ContractDocument, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import type { BuildContext } from '@lockstep/values/build-scalar';
import { buildValue } from '@lockstep/values/build-value';
import { createCanonicalForm } from '@lockstep/values/canonical-form';
import { createRandom } from '@lockstep/values/random';
import { isSchema, type SchemaNode, schemasIn } from '@lockstep/values/shape';
import type { JudgeValue, ValueFault } from '../validation/judge-value.ts';
import type { Direction } from '../validation/one-direction.ts';

export type MadeValue =
  | { readonly kind: 'value'; readonly value: unknown }
  /** No candidate was valid, most often because the schema is unsatisfiable. */
  | { readonly kind: 'hopeless'; readonly why: string };

/** @param seed 0, the default, gives the plainest value; any other number gives a varied value, always the same for the same seed */
export type MakeValue = (schema: unknown, seed?: number) => MadeValue;

/** Parts that are validated for one value, which takes about 20 ms. */
const mostJudged = 1_200;

/** Alternatives that are tried one by one, if no value was found that the others reject. */
const mostAlternatives = 8;

/** Values in a schema that are searched for alternatives. */
const mostSearched = 2_000;

/** Values for formats that the judge validates, and that `values` lacks because requests don't need them. */
const formats = {
  'iso-date-time': '2026-01-15T10:00:00Z',
  'iso-time': '10:00:00Z',
  'json-pointer': '/a',
  'json-pointer-uri-fragment': '#/a',
  regex: '^[a-z]+$',
  'relative-json-pointer': '0',
  'uri-template': '/{id}',
};

/** One value of each type, if no other was found: their errors explain why. */
const plainest = ['string', 1, {}, [], true, null];

/**
 * Generates values that are valid against the schemas of a contract, as they apply in one direction. Documented values come first; all others
 * are plain and short. Work is bounded: a schema is reported as hopeless if no value is found in time.
 */
export function createValueMaker(document: ContractDocument, judge: JudgeValue, direction: Direction): MakeValue {
  const source = {
    leavesOut: direction === 'request' ? 'readOnly' : 'writeOnly',
    sharesReferences: true,
    resolve: (reference: string) => {
      const schema = readPointer(document, reference);
      return isSchema(schema) ? schema : undefined;
    },
  } as const;
  const form = createCanonicalForm({ ...source, reword: tagAlternatives });
  const looseForm = createCanonicalForm({ ...source, reword: (schema) => looseAlternatives(tagAlternatives(schema)) });
  return (schema, seed = 0) => {
    const node = form.join(isSchema(schema) ? schema : true);
    const faults: ValueFault[] = [];
    for (const value of candidates(node, schema, seed)) {
      const fault = judge(value, schema);
      if (fault === undefined) return { kind: 'value', value };
      faults.push(fault);
    }
    if (form.endless(node)?.isCircle === true)
      return { kind: 'hopeless', why: 'it asks for a value in itself without end' };
    const { at, why } = faults.find((fault) => fault.at !== '' || !fault.why.startsWith('type ')) ?? {
      at: '',
      why: 'no type is allowed',
    };
    return { kind: 'hopeless', why: at === '' ? why : `${at}: ${why}` };
  };

  function* candidates(node: SchemaNode, schema: unknown, seed: number): Generator<unknown> {
    if (seed === 0) yield* form.shapes(node).flatMap(({ examples }) => examples);
    // Validated as a whole, then part by part, then without optional parts.
    for (const [optional, isByParts] of [[true], [true, true], [false, true]]) {
      const value = buildValue(node, contextFor(seed, optional, isByParts));
      if (value !== undefined) yield value;
    }
    // To compare all keywords of alternatives with many members takes too long: the judge decides.
    for (let variant = 0; variant < mostAlternatives && hasChoice(document, schema); variant += 1) {
      const loose = looseForm.join(isSchema(schema) ? schema : true);
      const value = buildValue(loose, { ...contextFor(seed), form: looseForm, variant });
      if (value !== undefined) yield value;
    }
    yield* plainest;
  }

  function contextFor(seed: number, optional = true, isByParts = false): BuildContext {
    const random = createRandom(seed);
    const spent = { parts: 0, bytes: 0 };
    let left = mostJudged;
    const accepts: BuildContext['accepts'] = (value, schemas) => {
      left -= 1;
      // The builder stops.
      if (left < 0) spent.parts = Infinity;
      return left >= 0 && schemas.every((schema) => judge(value, schema) === undefined);
    };
    const vary = (context: BuildContext): BuildContext => ({
      ...context,
      variant: context.variant + random(1_000),
      serial: context.serial + random(16),
      seed: random(1_000_000),
      optional: optional && random(10) > 2,
      items: 1 + random(3),
    });
    return {
      ...{ form, spent, formats, seed, optional, variant: 0, serial: 0, deepest: 3, within: [] },
      // Generated times are two hours later, at ten o'clock.
      now: Date.UTC(2026, 0, 15, 8),
      tag: seed === 0 ? 'string' : `text${seed}`,
      word: '',
      examples: seed === 0,
      ...(seed !== 0 && { vary }),
      ...(isByParts && { accepts }),
    };
  }
}

const reworded = new WeakMap<JsonObject, JsonObject>();

/** Adds to each alternative the value of its discriminator (OpenAPI 3.1, 4.8.25). The unchanged alternatives follow. */
function tagAlternatives(schema: JsonObject): JsonObject {
  const { discriminator, ...rest } = schema;
  const { propertyName, mapping } = isObject(discriminator) ? discriminator : {};
  const keyword = ['oneOf', 'anyOf'].find((name) => Array.isArray(schema[name]));
  if (typeof propertyName !== 'string' || keyword === undefined) return schema;
  const known = reworded.get(schema);
  if (known !== undefined) return known;
  const targets = Object.entries(isObject(mapping) ? mapping : {});
  const { [keyword]: alternatives, ...others } = rest;
  const named = schemasIn(alternatives).flatMap((alternative) => {
    const $ref = isObject(alternative) ? alternative.$ref : undefined;
    if (typeof $ref !== 'string') return [];
    const name = $ref.split('/').at(-1) ?? '';
    const tag = targets.find(([, target]) => target === $ref || target === name)?.[0] ?? name;
    return [{ $ref, properties: { [propertyName]: { const: tag } } }];
  });
  const either = { anyOf: [...named, { [keyword]: alternatives }] };
  const made = { ...others, allOf: [...schemasIn(rest.allOf), either] };
  reworded.set(schema, made);
  return made;
}

/** Whether a schema with a small number of parts has a `oneOf` of several alternatives. */
function hasChoice(document: ContractDocument, schema: unknown): boolean {
  const seen = new Set<unknown>([schema]);
  for (const part of seen) {
    if (typeof part !== 'object' || part === null) continue;
    const { $ref, oneOf } = part as JsonObject;
    if (Array.isArray(oneOf) && oneOf.length > 1) return true;
    if (typeof $ref === 'string') seen.add(readPointer(document, $ref));
    if (seen.size < mostSearched) for (const inner of Object.values(part)) seen.add(inner);
  }
  return false;
}

const loosened = new WeakMap<JsonObject, JsonObject>();

/** `oneOf` without its exclusion. */
function looseAlternatives(schema: JsonObject): JsonObject {
  const { oneOf, ...rest } = schema;
  if (!Array.isArray(oneOf)) return schema;
  const known = loosened.get(schema) ?? { ...rest, allOf: [...schemasIn(rest.allOf), { anyOf: oneOf }] };
  loosened.set(schema, known);
  return known;
}
