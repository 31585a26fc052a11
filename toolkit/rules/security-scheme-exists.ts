import { isObject } from '@lockstep/json/json-pointer';
import type { Location, Oas3Rule } from 'redocly-core';
import { nearestName } from '../contract/nearest-name.ts';
import { entriesOf } from './reading/dereference.ts';

/**
 * Each scheme that a security requirement names is described under `components.securitySchemes`.
 *
 * Replaces Redocly's `security-defined`, which also requires security of every operation; a public one needs none.
 */
export const securitySchemeExists: Oas3Rule = () => {
  const named: { readonly name: string; readonly location: Location }[] = [];
  let schemes: readonly string[] = [];
  return {
    Root: {
      enter(root) {
        const components: unknown = root.components;
        schemes = entriesOf(isObject(components) ? components.securitySchemes : undefined).map(([name]) => name);
      },
      leave(_, { report }) {
        for (const { name, location } of named) {
          if (schemes.includes(name)) continue;
          const nearest = nearestName(name, schemes);
          const fix = `Describe it under components.securitySchemes${nearest === undefined ? '' : `, or write ${nearest}`}.`;
          report({ message: `There is no security scheme ${name}.`, suggest: [fix], location: location.key() });
        }
      },
    },
    SecurityRequirement(requirement, { location }) {
      for (const name of Object.keys(requirement)) named.push({ name, location: location.child(name) });
    },
  };
};
