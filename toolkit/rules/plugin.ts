import type { Oas3Rule } from 'redocly-core';
import { arrayParameterForm } from './array-parameter-form.ts';
import { defaultResponsesDeclared } from './default-responses-declared.ts';
import { described } from './described.ts';
import { errorHasExample } from './error-has-example.ts';
import { exampleMemberDescribed } from './example-member-described.ts';
import { extensionValid } from './extension-valid.ts';
import { invalidStatusDeclared } from './invalid-status-declared.ts';
import { keywordOfVersion } from './keyword-of-version.ts';
import { keywordValue } from './keyword-value.ts';
import { linksResolve } from './links-resolve.ts';
import { nothingBesideReference } from './nothing-beside-reference.ts';
import { oauthUrlAbsolute } from './oauth-url-absolute.ts';
import { patternCompiles } from './pattern-compiles.ts';
import { patternIsLinear } from './pattern-is-linear.ts';
import { plainForGenerators } from './plain-for-generators.ts';
import { proseNamesTitles } from './prose-names-titles.ts';
import { refusalDeclared } from './refusal-declared.ts';
import { requiredIsDescribed } from './required-is-described.ts';
import { responseHasExample } from './response-has-example.ts';
import { securityOnEveryOperation } from './security-on-every-operation.ts';
import { securitySchemeExists } from './security-scheme-exists.ts';
import { stringSaysIfEmpty } from './string-says-if-empty.ts';
import { successDeclared } from './success-declared.ts';
import { timeAllowsReserved } from './time-allows-reserved.ts';

/** Our rules for contracts of this house, by their reported name after `lockstep/`; one file and two fixtures each. */
export const contractRules: Readonly<Record<string, Oas3Rule>> = {
  'array-parameter-form': arrayParameterForm,
  'default-responses-declared': defaultResponsesDeclared,
  'error-has-example': errorHasExample,
  'example-member-described': exampleMemberDescribed,
  'extension-valid': extensionValid,
  'invalid-status-declared': invalidStatusDeclared,
  'links-resolve': linksResolve,
  'oauth-url-absolute': oauthUrlAbsolute,
  'pattern-compiles': patternCompiles,
  'pattern-is-linear': patternIsLinear,
  'plain-for-generators': plainForGenerators,
  'prose-names-titles': proseNamesTitles,
  'refusal-declared': refusalDeclared,
  'required-is-described': requiredIsDescribed,
  'response-has-example': responseHasExample,
  'security-on-every-operation': securityOnEveryOperation,
  'string-says-if-empty': stringSaysIfEmpty,
  'success-declared': successDeclared,
  'time-allows-reserved': timeAllowsReserved,
};

/** Rules for our own contract, which others may switch on: `lockstep/all` leaves them off. */
export const houseRules: Readonly<Record<string, Oas3Rule>> = { described };

/** Rules that the profile `valid` adds to some of the above, for a contract from anywhere: `lockstep/all` leaves them off. */
export const validRules: Readonly<Record<string, Oas3Rule>> = {
  'keyword-of-version': keywordOfVersion,
  'keyword-value': keywordValue,
  'nothing-beside-reference': nothingBesideReference,
  'security-scheme-exists': securitySchemeExists,
};

type NodeTypes = Readonly<Record<string, { readonly properties: object }>>;

/** The Redocly plugin `lockstep`: the rules, a preset `lockstep/all` with all of `contractRules`, and the types of our extensions. */
export function createPlugin() {
  const all = Object.fromEntries(Object.keys(contractRules).map((name) => [`lockstep/${name}`, 'error']));
  return {
    id: 'lockstep',
    rules: { oas3: { ...contractRules, ...houseRules, ...validRules } },
    configs: { all: { rules: all } },
    typeExtension: { oas3: (types: NodeTypes) => addExactSchema(addResponsesOfRoot(types)) },
  };
}

/** Makes `x-unrouted` and `x-default-responses` maps of responses: their references resolve and count as used, and all rules visit them. */
function addResponsesOfRoot(types: NodeTypes): NodeTypes {
  const { Root } = types;
  const added = { 'x-default-responses': 'Responses', 'x-unrouted': 'Responses' };
  return { ...types, Root: { ...Root, properties: { ...Root?.properties, ...added } } };
}

/** Makes `x-exact` a schema: its references resolve and count as used, and its patterns are checked. */
function addExactSchema(types: NodeTypes): NodeTypes {
  const { Schema } = types;
  return { ...types, Schema: { ...Schema, properties: { ...Schema?.properties, 'x-exact': 'Schema' } } };
}

// Redocly takes a plugin from the default export alone.
export { createPlugin as default };
