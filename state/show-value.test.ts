import type { Schema } from '@lockstep/values/shape';
import { expect, test } from 'vitest';
import { createSchemaReader } from './read-schemas.ts';
import { createShowValue } from './show-value.ts';

/** Attempts to show an object with so many levels, whose schema has two alternatives at each, if none is valid. */
function countAttempts(levels: number): number {
  let attempts = 0;
  const unused = (): never => {
    throw new Error('not used');
  };
  const reader = createSchemaReader({
    document: {},
    operations: [],
    judge: () => {
      attempts += 1;
      return { at: '', why: 'never valid' };
    },
    makeValue: unused,
    responsesOf: unused,
    sampleParameter: unused,
  });
  let value = {};
  let schema: Schema = { type: 'object' };
  for (let level = 0; level < levels; level += 1) {
    value = { inner: value };
    schema = { anyOf: ['a', 'b'].map((name) => ({ type: 'object', properties: { inner: schema, [name]: {} } })) };
  }
  expect(createShowValue(reader)(value, reader.nodeOf(schema), () => undefined)).toBeUndefined();
  return attempts;
}

test('each alternative of a level below the top is tried once', () => {
  expect(countAttempts(6) / countAttempts(5)).toBeLessThan(2.5);
});
