import { parsePointer } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';
import { findMissingResponses } from '../contract/default-responses.ts';

/**
 * Each operation declares the responses that all operations share: those under `x-default-responses`.
 *
 * The operation itself lists them, because stock tools do not know the extension.
 */
export const defaultResponsesDeclared: Oas3Rule = () => {
  let root: unknown;
  return {
    Root(node) {
      root = node;
    },
    Operation(operation, { report, location, parent }) {
      // Clients, not this service, answer webhooks and callbacks.
      const [section, ...steps] = parsePointer(location.pointer);
      if (section === 'webhooks' || steps.includes('callbacks')) return;
      const missing = findMissingResponses(root, parent, operation);
      if (missing.length === 0) return;
      report({
        message: `${operation.operationId} does not declare ${missing.join(', ')}, which x-default-responses requires.`,
        suggest: ['Run lockstep generate --profile house, which adds them, or copy them from x-default-responses.'],
        location: location.child('responses').key(),
      });
    },
  };
};
