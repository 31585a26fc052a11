import type { Oas3Rule } from 'redocly-core';

/**
 * Every operation declares a success: a 2XX, or a 3XX if it redirects a browser.
 * Replaces Redocly's `operation-2xx-response`, which does not accept a 3XX.
 */
export const successDeclared: Oas3Rule = () => ({
  Operation(operation, { report, location }) {
    if (Object.keys(operation.responses ?? {}).some((status) => /^[23](\d\d|XX)$/.test(status))) return;
    report({
      message: `${operation.operationId} declares no response for success, 2XX or 3XX.`,
      suggest: ['Declare a 2XX response, or a 3XX if the operation redirects.'],
      location: location.child('responses').key(),
    });
  },
});
