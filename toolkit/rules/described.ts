import { isObject, parsePointer } from '@lockstep/json/json-pointer';
import type { Location, Oas3Rule } from 'redocly-core';
import { dereference, entriesOf } from './reading/dereference.ts';

/** What stands under these asks whether a value is of a kind; what its members are is described where the whole is. */
const conditions = ['if', 'then', 'else', 'not'];

/**
 * Each operation, parameter and property of a schema says in words what it is: a property here or in what its `$ref` leads to.
 *
 * A house rule: whoever reads the reference of this service finds no name without a meaning. `recommended-strict` asks for none of the three.
 */
export const described: Oas3Rule = () => ({
  Operation(operation, { report, location }) {
    if (hasWords(operation)) return;
    report({
      message: `The operation ${operation.operationId ?? 'here'} has no description.`,
      suggest: ['Say what it does, what it leaves alone, and what a caller has to know before the first call.'],
      location: location.key(),
    });
  },
  Parameter(parameter, { report, location }) {
    if (hasWords(parameter)) return;
    report({
      message: `The parameter ${parameter.name} has no description.`,
      suggest: ['Say what it chooses, with unit and range, and what holds when it is left out.'],
      location,
    });
  },
  Schema(schema, { report, location, resolve }) {
    if (!isObject(schema) || isCondition(location)) return;
    for (const [name, property] of entriesOf(schema.properties)) {
      // `true` is a schema without a place for words.
      if (!isObject(property) || hasWords(property) || hasWords(dereference(property, resolve).value)) continue;
      report({
        message: `The property ${name} has no description.`,
        suggest: ['Say what it is, with unit and range, and what it means when it is absent.'],
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
