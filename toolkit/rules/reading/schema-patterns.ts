import { isObject } from '@lockstep/json/json-pointer';
import type { Location } from 'redocly-core';
import { entriesOf } from './dereference.ts';

/** A regular expression of a schema, with its location. */
export interface SchemaPattern {
  readonly source: string;
  readonly location: ReturnType<Location['key']> | Location;
}

/** The `pattern` and the keys of `patternProperties` of this schema alone; Redocly visits those below it. */
export function* schemaPatterns(schema: unknown, location: Location): Generator<SchemaPattern> {
  if (!isObject(schema)) return;
  if (typeof schema.pattern === 'string') yield { source: schema.pattern, location: location.child('pattern') };
  for (const [source] of entriesOf(schema.patternProperties)) {
    yield { source, location: location.child(['patternProperties', source]).key() };
  }
}
