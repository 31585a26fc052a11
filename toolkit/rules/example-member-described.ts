import { isObject } from '@lockstep/json/json-pointer';
import type { Location, Oas3Rule, UserContext } from 'redocly-core';
import { dereference, entriesOf, type Resolve } from './reading/dereference.ts';
import { type SchemaPart, schemaParts } from './reading/schema-parts.ts';

/**
 * An example has only members that the schema describes.
 *
 * Responses are open, so a member with a misspelt name breaks no schema. Redocly can report such members, but treats
 * each `then`, `else` and `not` as a whole schema and so reports described ones too.
 */
export const exampleMemberDescribed: Oas3Rule = () => ({
  RequestBody(body, context) {
    reportContent(body.content, context);
  },
  Response(response, context) {
    reportContent(response.content, context);
  },
});

type Context = Pick<UserContext, 'report' | 'resolve' | 'location'>;

function reportContent(content: unknown, { report, resolve, location }: Context): void {
  for (const [mediaType, media] of entriesOf(content)) {
    if (!isObject(media)) continue;
    for (const [name, listed] of entriesOf(media.examples)) {
      const place = location.child(['content', mediaType, 'examples', name]);
      const isShared = isObject(listed) && typeof listed.$ref === 'string';
      const { value: example } = dereference(listed, resolve);
      if (!isObject(example)) continue;
      for (const path of undescribedMembers(example.value, [{ schema: media.schema, from: undefined }], resolve)) {
        report({
          message: `The example ${name} shows /${path.join('/')}, which the schema does not describe.`,
          suggest: ['Correct the name, or describe the member in the schema.'],
          location: isShared ? sharedLocation(listed, path, resolve) : place.child(['value', ...path]).key(),
        });
      }
    }
  }
}

function sharedLocation(reference: object, path: readonly string[], resolve: Resolve): Partial<Location> {
  return (
    resolve<object>(reference)
      .location?.child(['value', ...path])
      .key() ?? {}
  );
}

interface Holder {
  readonly schema: unknown;
  readonly from: string | undefined;
}

function* undescribedMembers(value: unknown, holders: readonly Holder[], resolve: Resolve): Generator<string[]> {
  if (typeof value !== 'object' || value === null) return;
  const seen = new Set<unknown>();
  const parts = holders.flatMap(({ schema, from }) => [...schemaParts(schema, resolve, from, seen)]);
  for (const [name, member] of Object.entries(value)) {
    const children = parts.flatMap((part) => childrenOf(part, name, Array.isArray(value)));
    // If the schema describes no member of this value, none is misspelt.
    if (children.length === 0 && !parts.some(({ schema }) => isObject(schema.properties))) continue;
    if (children.length === 0) yield [name];
    for (const path of undescribedMembers(member, children, resolve)) yield [name, ...path];
  }
}

function childrenOf({ schema, from }: SchemaPart, name: string, isItem: boolean): readonly Holder[] {
  const { properties, additionalProperties, items, prefixItems } = schema;
  const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
  const first = Array.isArray(prefixItems) && Number(name) < prefixItems.length ? [prefixItems[Number(name)]] : [items];
  const listed = isItem ? first : own.length > 0 ? own : [additionalProperties];
  return listed.filter((child) => child !== undefined && child !== false).map((child) => ({ schema: child, from }));
}
