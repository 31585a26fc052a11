import { isObject, parsePointer } from '@lockstep/json/json-pointer';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Location, Oas3Rule, UserContext } from 'redocly-core';
import { nearestName } from '../contract/nearest-name.ts';
import { type ContractExtension, contractExtensions, knownExtensions } from './reading/contract-extensions.ts';

/** A member starting with `x-` is a known extension, in a place where it has a meaning, with a value that matches its schema. */
export const extensionValid: Oas3Rule = () => ({
  any: reportMembers,
  // Members next to a `$ref` belong to no object that `any` visits.
  ref: reportMembers,
});

type Context = Pick<UserContext, 'report' | 'location' | 'type' | 'key'>;
type Problem = Parameters<Context['report']>[0];

function reportMembers(node: unknown, { report, location, type, key }: Context): void {
  // Maps of names, as `properties`, have no extensions: there `x-…` is a name like any other.
  if (!isObject(node) || type.extensionsPrefix === undefined) return;
  for (const [name, value] of Object.entries(node)) {
    if (!name.startsWith('x-')) continue;
    if (!knownExtensions.includes(name)) {
      report(describeUnknown(name, location));
      continue;
    }
    const extension = contractExtensions.get(name);
    if (extension === undefined) continue;
    const places = [type.name, `${type.name}.${key}`, 'anything'];
    if (!places.some((place) => extension.standsOn.includes(place))) {
      report(describeMisplaced(name, extension, type.name === 'Operation' ? `Operation.${key}` : type.name, location));
    }
    for (const problem of describeValue(name, value, extension, location)) report(problem);
  }
}

function describeUnknown(name: string, location: Location): Problem {
  const nearest = nearestName(name, knownExtensions);
  const fix =
    nearest === undefined
      ? 'Delete it, or describe the new extension by a schema in toolkit/extensions.'
      : `Did you mean ${nearest}?`;
  return { message: `${name} is not a contract extension.`, suggest: [fix], location: location.child(name).key() };
}

function describeMisplaced(name: string, { standsOn }: ContractExtension, place: string, location: Location): Problem {
  return {
    message: `${name} has no meaning on ${place}: it belongs on ${standsOn.join(', ')}.`,
    suggest: ['Move it there, or delete it.'],
    location: location.child(name).key(),
  };
}

function describeValue(name: string, value: unknown, { isValid }: ContractExtension, location: Location): Problem[] {
  if (isValid(value)) return [];
  return (isValid.errors ?? []).map((error) => ({
    message: `${[name, error.instancePath, error.message, allowedBy(error)].filter(Boolean).join(' ')}.`,
    suggest: [`Write a value that matches toolkit/extensions/${name}.schema.json.`],
    location: location.child([name, ...parsePointer(error.instancePath)]),
  }));
}

/** Ajv's message, "must be equal to constant", does not contain the constant. */
function allowedBy({ params }: ErrorObject): string {
  const allowed: unknown = params.allowedValue ?? params.allowedValues;
  return allowed === undefined ? '' : JSON.stringify(allowed);
}
