import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';

/**
 * An operation that can be called wrongly declares how it refuses: a 4XX.
 *
 * Stands for Redocly's `operation-4xx-response`, which asks it of documents that everybody may read and that take no
 * parameter and no body, as of a discovery document. There nothing can be wrong.
 */
export const refusalDeclared: Oas3Rule = () => ({
  Operation(operation, { report, location, parent }) {
    const shared = isObject(parent) ? parent.parameters : undefined;
    // An empty alternative asks for no credentials.
    const asks = operation.security?.filter((alternative) => Object.keys(alternative).length > 0);
    const takes = [operation.parameters, shared, asks].some((list) => Array.isArray(list) && list.length > 0);
    if (!takes && operation.requestBody === undefined) return;
    if (Object.keys(operation.responses ?? {}).some((status) => /^4(\d\d|XX)$/.test(status))) return;
    report({
      message: `${operation.operationId} takes credentials or input, but declares no 4XX response.`,
      suggest: ['Declare the responses that refuse a wrong call, each with its examples.'],
      location: location.child('responses').key(),
    });
  },
});
