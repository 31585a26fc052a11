import { describe, expect, test } from 'vitest';
import { createCoercion } from './coerce-text.ts';

const document = { schemas: { Count: { type: 'integer' }, Loop: { allOf: [{ $ref: '#/schemas/Loop' }] } } };

const orNothing = { anyOf: [{ type: 'integer' }, { type: 'string', enum: [''] }] };

const cases = [
  { name: 'decimal digits as an integer', schema: { type: 'integer' }, given: '10', want: 10 },
  { name: 'a negative integer', schema: { type: 'integer' }, given: '-3', want: -3 },
  { name: 'an exponent as text, where an integer is wanted', schema: { type: 'integer' }, given: '1e1', want: '1e1' },
  { name: 'a leading space as text', schema: { type: 'integer' }, given: ' 5', want: ' 5' },
  { name: 'hexadecimal as text', schema: { type: 'integer' }, given: '0x10', want: '0x10' },
  { name: 'a fraction as text, where an integer is wanted', schema: { type: 'integer' }, given: '1.0', want: '1.0' },
  { name: 'nothing as text', schema: { type: 'integer' }, given: '', want: '' },
  { name: 'a number', schema: { type: 'number' }, given: '1.5e1', want: 15 },
  { name: 'Infinity as text', schema: { type: 'number' }, given: 'Infinity', want: 'Infinity' },
  { name: 'a boolean', schema: { type: 'boolean' }, given: 'false', want: false },
  { name: 'another word for a boolean as text', schema: { type: 'boolean' }, given: 'yes', want: 'yes' },
  { name: 'digits as text, where text is wanted', schema: { type: 'string' }, given: '10', want: '10' },
  {
    name: 'digits as text, where text is one choice',
    schema: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    given: '10',
    want: '10',
  },
  { name: 'digits as a number, where some texts are one choice', schema: orNothing, given: '10', want: 10 },
  { name: 'a listed text as text', schema: orNothing, given: '', want: '' },
  { name: 'listed digits as text', schema: { anyOf: [{ type: 'integer' }, { const: '10' }] }, given: '10', want: '10' },
  { name: 'by a reference', schema: { $ref: '#/schemas/Count' }, given: '10', want: 10 },
  { name: 'by an enum without type', schema: { enum: [1, 2] }, given: '2', want: 2 },
  { name: 'null by an enum without type', schema: { enum: [null] }, given: 'null', want: null },
  { name: 'null by a constant', schema: { const: null }, given: 'null', want: null },
  { name: 'null or a number', schema: { type: ['integer', 'null'] }, given: 'null', want: null },
  { name: 'null in other letters as text', schema: { enum: [null] }, given: 'NULL', want: 'NULL' },
  { name: 'a fraction by an enum', schema: { enum: [1.5] }, given: '1.5', want: 1.5 },
  { name: 'a boolean by an enum', schema: { enum: [true] }, given: 'true', want: true },
  { name: 'by an enum of lists, as text', schema: { enum: [[1]] }, given: '1', want: '1' },
  { name: 'by an enum of objects, as text', schema: { enum: [{}] }, given: 'null', want: 'null' },
  { name: 'by no schema, as text', schema: undefined, given: '2', want: '2' },
  { name: 'by a schema that refers to itself, as text', schema: { $ref: '#/schemas/Loop' }, given: '2', want: '2' },
];

describe('createCoercion', () => {
  for (const { name, schema, given, want } of cases) {
    test(`reads ${name}`, () => expect(createCoercion(document, schema)(given)).toBe(want));
  }
});
