import { isObject, parsePointer } from '@lockstep/json/json-pointer';
import type { Location, Oas3Rule } from 'redocly-core';
import { dereference, entriesOf } from './reading/dereference.ts';

/** Schemas under these keywords are conditions. The schema around them describes the members. */
const conditions = ['if', 'then', 'else', 'not'];

/**
 * Each operation, parameter and property of a schema has a description: a property here or behind its `$ref`.
 *
 * A house rule: the reference of this service explains every name. `recommended-strict` requires none of the three.
 */
export const described: Oas3Rule = () => ({
  Operation(operation, { report, location }) {
    if (hasWords(operation)) return;
    report({
      message: `The operation ${operation.operationId ?? 'here'} has no description.`,
      suggest: [
        'Add a description: what it does, what it leaves unchanged, and what a caller must know before the first call.',
      ],
      location: location.key(),
    });
  },
  Parameter(parameter, { report, location }) {
    if (hasWords(parameter)) return;
    report({
      message: `The parameter ${parameter.name} has no description.`,
      suggest: ['Add a description: what it selects, its unit and range, and the effect of omitting it.'],
      location,
    });
  },
  Schema(schema, { report, location, resolve }) {
    if (!isObject(schema) || isCondition(location)) return;
    for (const [name, property] of entriesOf(schema.properties)) {
      // `true` is a schema that can have no description.
      if (!isObject(property) || hasWords(property) || hasWords(dereference(property, resolve).value)) continue;
      report({
        message: `The property ${name} has no description.`,
        suggest: ['Add a description: its meaning, its unit and range, and the meaning of its absence.'],
        location: location.child(['properties', name]).key(),
      });
    }
  },
});

function hasWords(node: unknown): boolean {
  return isObject(node) && typeof node.description === 'string' && node.description.trim() !== '';
}

/** A property may be called `if`. */
function isCondition({ pointer }: Location): boolean {
  const segments = parsePointer(pointer);
  return segments.some((segment, index) => conditions.includes(segment) && segments[index - 1] !== 'properties');
}
