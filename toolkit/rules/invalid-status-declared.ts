import { isObject } from '@lockstep/json/json-pointer';
import type { Location, Oas3Rule } from 'redocly-core';
import { dereference, type Resolve } from './reading/dereference.ts';

/**
 * The status for an invalid parameter is declared per place, since tools guess: express-openapi-validator always answers
 * 400, Prism the first of 422, 400 and `default` that the operation has.
 *
 * An operation with a 422 names its parameter, and the operation declares every status that a parameter names.
 */
export const invalidStatusDeclared: Oas3Rule = () => ({
  Operation(operation, { report, location, resolve, parent }) {
    const declared = Object.keys(operation.responses ?? {});
    const named = new Set<string>();
    for (const { parameter, place } of parametersOf(operation, parent, location, resolve)) {
      const status = parameter['x-invalid-status'];
      if (status === undefined) continue;
      named.add(String(status));
      if ([String(status), `${String(status)[0]}XX`].some((key) => declared.includes(key))) continue;
      report({
        message: `The parameter ${parameter.name} has x-invalid-status: ${status}, but ${operation.operationId} does not declare ${status}.`,
        suggest: ['Declare the status as a response of the operation, or delete x-invalid-status.'],
        location: place,
      });
    }
    if (!declared.includes('422') || named.has('422')) return;
    report({
      message: `${operation.operationId} declares 422, but none of its parameters has x-invalid-status: 422.`,
      suggest: ['Add x-invalid-status: 422 to the parameter whose invalid value is answered 422.'],
      location: location.child(['responses', '422']).key(),
    });
  },
});

function* parametersOf(operation: object, item: unknown, location: Location, resolve: Resolve) {
  const own = (operation as { parameters?: unknown }).parameters;
  for (const [index, listed] of (Array.isArray(own) ? own : []).entries()) {
    const { value } = dereference(listed, resolve);
    if (isObject(value)) yield { parameter: value, place: location.child(['parameters', index]) };
  }
  // Shared by the operations of a path: the problem is reported at the operation that lacks the response.
  const shared = isObject(item) ? item.parameters : undefined;
  for (const listed of Array.isArray(shared) ? shared : []) {
    const { value } = dereference(listed, resolve);
    if (isObject(value)) yield { parameter: value, place: location.child('responses').key() };
  }
}
