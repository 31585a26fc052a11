import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';
import { dereference, entriesOf, type Resolve } from './reading/dereference.ts';
import { type SchemaPart, schemaParts } from './reading/schema-parts.ts';

/**
 * A query parameter whose values contain `:` or `,`, such as times and lists, has `allowReserved: true`.
 * Otherwise express-openapi-validator rejects the raw character as a reserved one.
 *
 * URIs are exempt: in them `&` and `#` are reserved too, and must arrive encoded.
 */
export const timeAllowsReserved: Oas3Rule = () => ({
  Parameter(parameter, { report, location, resolve }) {
    if (!isObject(parameter) || parameter.in !== 'query' || parameter.allowReserved === true) return;
    const parts = [...schemaParts(parameter.schema, resolve)];
    if (parts.some(({ schema }) => String(schema.format).startsWith('uri'))) return;
    const reason = findReason(parameter, parts, resolve);
    if (reason === undefined) return;
    report({
      message: `The query parameter ${parameter.name} accepts ${reason}, but does not allow reserved characters.`,
      suggest: ['Add allowReserved: true.'],
      location,
    });
  },
});

function findReason(parameter: object, parts: readonly SchemaPart[], resolve: Resolve): string | undefined {
  for (const { schema } of parts) {
    if (schema.format === 'date-time' || schema.format === 'time') return `a ${schema.format}`;
    // `(?:` is a group, every other colon of a pattern is literal.
    if (typeof schema.pattern === 'string' && schema.pattern.replaceAll('(?:', '(').includes(':')) {
      return `values of the pattern ${schema.pattern}`;
    }
  }
  const samples = [parameter, ...parts.map(({ schema }) => schema)].flatMap((place) => samplesOf(place, resolve));
  const sample = samples.find((value) => typeof value === 'string' && /[:,]/.test(value));
  return sample === undefined ? undefined : `values like ${sample}`;
}

function samplesOf(place: object, resolve: Resolve): unknown[] {
  const { example, examples, enum: values } = place as Readonly<Record<string, unknown>>;
  const named = entriesOf(examples).map(([, named]) => dereference(named, resolve).value);
  return [
    example,
    ...(Array.isArray(examples) ? examples : named.map((value) => (isObject(value) ? value.value : undefined))),
    ...(Array.isArray(values) ? values : []),
  ];
}
