import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Oas3Rule } from 'redocly-core';
import { parsePointer } from '../contract/json-pointer.ts';
import { contractExtensions, knownExtensions } from './reading/contract-extensions.ts';
import { isObject } from './reading/dereference.ts';
import { nearestName } from './reading/nearest-name.ts';

/** A member starting with `x-` is one we know, and its value fits the extension's schema. */
export const extensionValid: Oas3Rule = () => ({
  any(node: unknown, { report, location, type }) {
    // Maps of names, as `properties`, have no extensions: there `x-…` is a name like any other.
    if (!isObject(node) || type.extensionsPrefix === undefined) return;
    for (const [name, value] of Object.entries(node)) {
      if (!name.startsWith('x-')) continue;
      if (!knownExtensions.includes(name)) {
        const nearest = nearestName(name, knownExtensions);
        report({
          message: `${name} is not a contract extension.`,
          suggest: [
            nearest === undefined
              ? 'Take it out, or describe the new extension by a schema in toolkit/extensions.'
              : `Did you mean ${nearest}?`,
          ],
          location: location.child(name).key(),
        });
        continue;
      }
      const isValid = contractExtensions.get(name);
      if (isValid === undefined || isValid(value)) continue;
      for (const error of isValid.errors ?? []) {
        const path = [...parsePointer(error.instancePath)];
        report({
          message: `${[name, error.instancePath, error.message, allowedBy(error)].filter(Boolean).join(' ')}.`,
          suggest: [`Write it as toolkit/extensions/${name}.schema.json says.`],
          location: location.child([name, ...path]),
        });
      }
    }
  },
});

/** Ajv says "must be equal to constant" and keeps to itself which one. */
function allowedBy({ params }: ErrorObject): string {
  const allowed: unknown = params.allowedValue ?? params.allowedValues;
  return allowed === undefined ? '' : JSON.stringify(allowed);
}
