import { parsePointer } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';
import { findMissingResponses } from '../contract/default-responses.ts';

/**
 * Each operation declares what every operation answers: the responses under `x-default-responses`.
 *
 * They stand at the operation itself: for stock tools, which do not know the extension, a response that is not there is not declared.
 */
export const defaultResponsesDeclared: Oas3Rule = () => {
  let root: unknown;
  return {
    Root(node) {
      root = node;
    },
    Operation(operation, { report, location, parent }) {
      // What a webhook or a callback asks for is answered by somebody else.
      const [section, ...steps] = parsePointer(location.pointer);
      if (section === 'webhooks' || steps.includes('callbacks')) return;
      const missing = findMissingResponses(root, parent, operation);
      if (missing.length === 0) return;
      report({
        message: `${operation.operationId} does not declare ${missing.join(', ')}, as x-default-responses asks for.`,
        suggest: [
          'Run lockstep generate --profile house, which adds them, or write them as they stand under x-default-responses.',
        ],
        location: location.child('responses').key(),
      });
    },
  };
};
