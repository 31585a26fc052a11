import type { OpenApiDocument } from '../contract/openapi-document.ts';
import { resolveRef } from '../contract/resolve-ref.ts';
import { walkDocument } from '../contract/walk-document.ts';

/** Marks an alternative that adds no member to the schema around it. A symbol, since no contract can contain one. */
export const addsNothing = Symbol('adds no member');

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly properties?: object;
  required?: readonly string[];
  allOf?: readonly Part[];
  anyOf?: readonly Part[];
  oneOf?: readonly Part[];
  readonly [addsNothing]?: true;
}

type Part = Schema | boolean;

/** Keywords that name members, in addition to `properties`, which may be empty. */
const ofMembers = ['additionalProperties', 'patternProperties'];
const ofValues = ['allOf', 'anyOf', 'oneOf', 'enum', 'const', 'discriminator'];

/**
 * Removes from each composition the parts that have only `type: object`, perhaps with `required`.
 *
 * Such a part adds no member (JSON Schema 2020-12, 10.2.1.1), but openapi-typescript creates an object without members, or with any members. The
 * first allows no value of the whole, the second every misspelt member. The part's `required` moves up to the schema around it.
 *
 * @param copy changed in place
 */
export function dropBareObjects(copy: OpenApiDocument): void {
  const follow = (part: Part): Schema =>
    typeof part === 'boolean' ? {} : resolveRef<Schema>(copy, part as Schema, '#').value;
  const isBare = (part: Part): boolean => {
    const schema = follow(part);
    const mayBeObject = part !== false && (schema.type === undefined || schema.type === 'object');
    return mayBeObject && !namesMembers(schema) && !ofValues.some((keyword) => keyword in schema);
  };
  const isFull = (part: Part): boolean => !isBare(part);

  const settle = (schema: Schema, isPart: boolean): void => {
    const [allOf, anyOf, oneOf] = [partsOf(schema.allOf), partsOf(schema.anyOf), partsOf(schema.oneOf)];
    const isJoined = isPart || namesMembers(schema);
    if (isJoined || allOf.some(isFull)) {
      const required = allOf.filter(isBare).flatMap((part) => follow(part).required ?? []);
      if (required.length > 0) schema.required = [...new Set([...(schema.required ?? []), ...required])];
      replace(schema, 'allOf', allOf.filter(isFull));
    }
    const described = isJoined || allOf.length > 0;
    if (described) {
      replace(schema, 'anyOf', anyOf.filter(isFull));
      // An alternative that adds nothing stays next to one that adds a member.
      const choices = oneOf.map((part) => (isBare(part) ? { type: 'object', [addsNothing]: true as const } : part));
      replace(schema, 'oneOf', oneOf.some(isFull) ? choices : []);
    }
    for (const part of [...allOf, ...anyOf, ...oneOf]) {
      if (typeof part !== 'boolean' && part.$ref === undefined) settle(part, described);
    }
  };
  for (const { node } of walkDocument(copy)) settle(node, false);
}

/** A property may be called `allOf`. Its value is not a list. */
function partsOf(listed: unknown): readonly Part[] {
  return Array.isArray(listed) ? listed : [];
}

function namesMembers(schema: Schema): boolean {
  return Object.keys(schema.properties ?? {}).length > 0 || ofMembers.some((keyword) => keyword in schema);
}

function replace(schema: Schema, keyword: 'allOf' | 'anyOf' | 'oneOf', parts: readonly Part[]): void {
  if (parts.length > 0) schema[keyword] = parts;
  else delete schema[keyword];
}
