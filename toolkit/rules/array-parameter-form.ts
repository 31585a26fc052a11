import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';
import { schemaParts } from './reading/schema-parts.ts';

/**
 * Lists in the query repeat the name, `?type=Lock&type=Keypad`: the only style that all tools read alike.
 * Some servers, but no validators, read a name with brackets, `type[]`.
 */
export const arrayParameterForm: Oas3Rule = () => ({
  Parameter(parameter, { report, location, resolve }) {
    if (!isObject(parameter) || parameter.in !== 'query') return;
    if (String(parameter.name).endsWith('[]')) {
      report({
        message: `The query parameter ${parameter.name} has brackets in its name.`,
        suggest: ['Remove the brackets from the name: style: form with explode: true repeats the name.'],
        location: location.child('name'),
      });
    }
    const isList = [...schemaParts(parameter.schema, resolve)].some(({ schema }) => schema.type === 'array');
    if (!isList || (parameter.style === 'form' && parameter.explode === true)) return;
    report({
      message: `The query parameter ${parameter.name} is a list, but does not have style: form with explode: true.`,
      suggest: ['Write style: form and explode: true.'],
      location,
    });
  },
});
