import type { Oas3Rule } from 'redocly-core';

/**
 * Every operation declares how it succeeds: a 2XX, or a 3XX where the success is to send a browser on.
 * Stands for Redocly's `operation-2xx-response`, which does not know the second.
 */
export const successDeclared: Oas3Rule = () => ({
  Operation(operation, { report, location }) {
    if (Object.keys(operation.responses ?? {}).some((status) => /^[23](\d\d|XX)$/.test(status))) return;
    report({
      message: `${operation.operationId} declares no response for success.`,
      suggest: ['Declare a 2XX response, or a 3XX where the caller is sent on.'],
      location: location.child('responses').key(),
    });
  },
});
