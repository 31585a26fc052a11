import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';

/**
 * Each operation has a `security` of its own, and `[]` marks an anonymous one.
 *
 * An empty alternative opens the operation to everybody and looks like a slip of the pen, and `redocly diff` calls the change
 * minor. A single empty alternative is another spelling of `[]`.
 */
export const securityOnEveryOperation: Oas3Rule = () => ({
  Operation(operation, { report, location }) {
    const security: unknown = operation.security;
    if (!Array.isArray(security)) {
      report({
        message: 'The operation has no security of its own.',
        suggest: ['Add security: its schemes and scopes, or [] for an operation that anybody may call.'],
        location: location.key(),
      });
      return;
    }
    for (const [index, alternative] of security.entries()) {
      if (!isObject(alternative) || Object.keys(alternative).length > 0) continue;
      const place = location.child(['security', index]);
      report(
        security.length === 1
          ? {
              message: 'The only alternative is empty: anybody may call the operation, which is written as [].',
              suggest: ['Write security: [], or name a scheme.'],
              location: place,
            }
          : {
              message: 'An empty alternative makes the other alternatives pointless: anybody may call the operation.',
              suggest: ['Remove the empty alternative, or write security: [] if anybody may call.'],
              location: place,
            },
      );
    }
  },
});
