import { isObject } from '@lockstep/json/json-pointer';
import { schemasIn } from '@lockstep/json/schema-keywords';
import type { Oas3Rule } from 'redocly-core';
import { dereference } from './reading/dereference.ts';
import { schemaParts } from './reading/schema-parts.ts';

/**
 * A required property is described under `properties`, here or in a schema that applies to the same value.
 *
 * Replaces Redocly's `no-required-schema-properties-undefined`, which looks into `allOf` and the like, but reports
 * every `then: { required: […] }` and `not: { required: […] }`.
 */
export const requiredIsDescribed: Oas3Rule = () => {
  const enclosing: unknown[] = [];
  return {
    Schema: {
      enter(node, { report, location, resolve }) {
        const schema: unknown = node;
        enclosing.push(schema);
        if (!isObject(schema) || !Array.isArray(schema.required)) return;
        const joins = (holder: unknown, part: unknown) =>
          isObject(holder) && schemasIn(holder, 'value').some((one) => dereference(one, resolve).value === part);
        let top = enclosing.length - 1;
        for (; top > 0 && joins(enclosing[top - 1], enclosing[top]); top -= 1) {
          const holder = enclosing[top - 1];
          // `not: { required: [message] }` requires that the member is absent.
          if (isObject(holder) && dereference(holder.not, resolve).value === enclosing[top]) return;
        }
        const described = new Set(
          [...schemaParts(enclosing[top], resolve)].flatMap(({ schema: part }) => Object.keys(part.properties ?? {})),
        );
        for (const [index, name] of schema.required.entries()) {
          if (described.has(name)) continue;
          report({
            message: `The required property ${name} is not described.`,
            suggest: ['Describe it under properties, or remove it from required.'],
            location: location.child(['required', index]),
          });
        }
      },
      leave() {
        enclosing.pop();
      },
    },
  };
};
