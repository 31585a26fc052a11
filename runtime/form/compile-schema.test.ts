import { describe, expect, test } from 'vitest';
import { createSchemaCompiler } from './compile-schema.ts';

const validate = createSchemaCompiler({})({ multipleOf: 0.01 });

describe('a multiple of a fraction', () => {
  test.each([19.99, 0.07, 1.1, 0, -4.35, 100_000.01])(
    '%d is one of 0.01, whatever binary fractions make of it',
    (value) => {
      expect(validate(value)).toBeUndefined();
    },
  );

  test.each([19.995, 0.001, 1e-8])('%d is none of 0.01', (value) => {
    expect(validate(value)).toMatchObject([{ keyword: 'multipleOf' }]);
  });
});
