// Sample values of requests, from the examples of a contract.
import {
  type ContractDocument,
  followMember,
  followRef,
  isObject,
  type JsonObject,
  readPointer,
} from '@lockstep/json/json-pointer';
import { oncePerDocument } from '../once-per-document.ts';
import type { Parameter } from '../operation.ts';
import { dropUnusable } from '../validation/drop-unusable.ts';
import { createJudge, type JudgeValue } from '../validation/judge-value.ts';
import { readDirection } from '../validation/one-direction.ts';
import { createValueMaker, type MakeValue } from './make-value.ts';

/** Schemas may contain themselves as required members: deeper values are null. */
const deepest = 16;

/** The contract as requests see it, with its validator and value generator. */
interface Tools {
  readonly document: ContractDocument;
  readonly judge: JudgeValue;
  readonly makeValue: MakeValue;
}

/** A large contract takes a second to prepare, and each of its operations needs a sample. */
export const readRequests = oncePerDocument((contract): Tools => {
  const document = readDirection(dropUnusable(contract).document, 'request');
  const judge = createJudge(document);
  return { document, judge, makeValue: createValueMaker(document, judge, 'request') };
});

/** The value of a parameter in the sample request of its operation. */
export function sampleParameter(contract: ContractDocument, parameter: Parameter): unknown {
  const { document, judge, makeValue } = readRequests(contract);
  const node = readPointer(document, parameter.schema.replace(/\/schema$/, ''));
  const schema = readPointer(document, parameter.schema);
  // A parameter is sent as text: the example `'5'` is read as 5.
  const fits = (value: unknown): boolean =>
    [value, parse(value), String(value)].some((read) => judge(read, schema) === undefined);
  return firstThatFits(
    [firstExample(document, isObject(node) ? node : {}), sampleValue(document, schema)],
    fits,
    makeValue,
    schema,
  );
}

/** The first valid value, else a generated one. If the schema accepts no value, the first one. */
export function firstThatFits(
  values: readonly unknown[],
  fits: (value: unknown) => boolean,
  makeValue: MakeValue,
  schema: unknown,
): unknown {
  const given = values.filter((value) => value !== undefined);
  const fitting = given.find(fits);
  if (fitting !== undefined) return fitting;
  const made = makeValue(schema ?? true);
  return made.kind === 'value' ? made.value : given[0];
}

function parse(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}

/** `example`, or the first of `examples`: by name as in OpenAPI, or a list as in JSON Schema. */
export function firstExample(document: ContractDocument, node: JsonObject): unknown {
  if (Object.hasOwn(node, 'example')) return node.example;
  if (Array.isArray(node.examples)) return node.examples[0];
  const [name] = Object.keys(isObject(node.examples) ? node.examples : {});
  return name === undefined ? undefined : followMember(document, followMember(document, node, 'examples'), name).value;
}

/** A value from a schema's example, default or enum; for an object, its required members. */
export function sampleValue(document: ContractDocument, schema: unknown, depth = 0): unknown {
  if (depth > deepest) return null;
  const node = followRef(document, schema);
  const given =
    firstExample(document, node) ??
    node.const ??
    (Array.isArray(node.enum) ? node.enum[0] : undefined) ??
    node.default ??
    node.minimum;
  if (given !== undefined) return given;
  const [branch] = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (branch !== undefined) return sampleValue(document, branch, depth + 1);
  const properties = followMember(document, node, 'properties');
  const required = Array.isArray(node.required) ? node.required.map(String) : [];
  return node.type === 'object'
    ? Object.fromEntries(required.map((name) => [name, sampleValue(document, properties[name], depth + 1)]))
    : 'x';
}
