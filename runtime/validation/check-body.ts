import { followMember, followRef, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import type { Operation } from '../operation.ts';
import type { ValueRule } from './by-value.ts';
import { checkByValue } from './check-by-value.ts';
import type { SchemaTools, Validate } from './compile-schema.ts';
import { describeFault } from './describe-fault.ts';
import type { ReadPlace } from './detail.ts';
import { parseBody, type ReceivedBody } from './parse-body.ts';

/** Bytes, and the key in the operation's `content` by which to read them. */
export interface TypedBody extends ReceivedBody {
  readonly declaredType: string;
}

/** Empty without a body. */
type ReadBodyValue = ReadPlace<{ readonly mediaType?: string; readonly body?: unknown }>;

export type BodyCheck = (body: TypedBody | undefined) => ReadBodyValue;

interface Content {
  readonly schema: unknown;
  readonly validate: Validate;
  readonly defaults: JsonObject;
}

/**
 * Parses and validates the body of one operation: its grammar, its schema, and the schemas that its values require. Missing members get their
 * defaults, except in a PATCH: there a missing member means no change (RFC 7396, 1).
 */
export function createBodyCheck(
  { document, compile }: SchemaTools,
  { method, requestBody }: Operation,
  rules: readonly ValueRule[],
): BodyCheck {
  if (requestBody === null) return () => ({ kind: 'values', values: {} });
  const contents = new Map(
    Object.entries(requestBody.content).map(([type, pointer]): [string, Content] => {
      const schema = readPointer(document, pointer);
      // A media type without a schema accepts anything.
      const validate = schema === undefined ? () => undefined : compile({ $ref: pointer });
      return [type, { schema, validate, defaults: method === 'patch' ? {} : readDefaults(schema) }];
    }),
  );
  for (const { cases } of rules)
    for (const { schemas } of cases) for (const $ref of Object.values(schemas)) compile({ $ref });
  const missing = `a body is required: send ${[...contents.keys()].join(' or ')}`;

  return (body) => {
    if (body === undefined || (body.bytes.length === 0 && requestBody.required))
      return requestBody.required ? faultAt('', missing) : { kind: 'values', values: {} };
    const content = contents.get(body.declaredType);
    if (content === undefined) throw new Error(`no schema for ${body.declaredType}`);
    const parsed = parseBody(document, body, content.schema);
    if (parsed.kind === 'opaque') return { kind: 'values', values: { mediaType: body.declaredType, body: body.bytes } };
    if (parsed.kind === 'fault') return faultAt(parsed.at, parsed.says);
    const errors = content.validate(parsed.value);
    const dependent = checkByValue(compile, rules, parsed.value);
    const described = errors && describeFault(errors, 'body');
    // The schema that the value requires gives a better message than the union of all alternatives.
    const isSame = described && dependent && firstStep(described.at) === firstStep(dependent.at);
    const fault = isSame ? dependent : (described ?? dependent);
    if (fault !== undefined) return faultAt(fault.at, fault.says, fault.nearest);
    const value = isObject(parsed.value) ? { ...content.defaults, ...parsed.value } : parsed.value;
    return { kind: 'values', values: { mediaType: body.declaredType, body: value } };
  };

  function readDefaults(schema: unknown): JsonObject {
    const properties = followMember(document, followRef(document, schema), 'properties');
    const all = Object.entries(properties).map(([name, property]) => [name, followRef(document, property).default]);
    return Object.fromEntries(all.filter(([, value]) => value !== undefined));
  }
}

function faultAt(at: string, says: string, nearest: readonly string[] = []): ReadBodyValue {
  return { kind: 'fault', fault: { in: 'body', at, says, nearest } };
}

function firstStep(pointer: string): string | undefined {
  return pointer.split('/')[1];
}
