import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';

/**
 * An operation that can reject a request declares a 4XX.
 *
 * Replaces Redocly's `operation-4xx-response`, which also requires one of public operations without parameter and
 * body, such as a discovery document. They reject nothing.
 */
export const refusalDeclared: Oas3Rule = () => ({
  Operation(operation, { report, location, parent }) {
    const shared = isObject(parent) ? parent.parameters : undefined;
    // An empty alternative requires no credentials.
    const required = operation.security?.filter((alternative) => Object.keys(alternative).length > 0);
    const hasInput = [operation.parameters, shared, required].some((list) => Array.isArray(list) && list.length > 0);
    if (!hasInput && operation.requestBody === undefined) return;
    if (Object.keys(operation.responses ?? {}).some((status) => /^4(\d\d|XX)$/.test(status))) return;
    report({
      message: `${operation.operationId} has credentials or input, but declares no 4XX response.`,
      suggest: ['Declare a 4XX response for invalid requests, with examples.'],
      location: location.child('responses').key(),
    });
  },
});
