import { describe, expect, test } from 'vitest';
import type { Operation } from '../operation.ts';
import { createParameterCheck } from './check-parameters.ts';
import { createSchemaCompiler } from './compile-schema.ts';

const schemas = {
  Language: { enum: ['de', 'en'], default: 'en' },
  Any: { type: 'string' },
  NoDefault: { enum: ['de', 'en'] },
};
const document = { components: { schemas } };

/** The value of a required header, or the fault. */
function readHeaders(sent: Readonly<Record<string, string>>, name: string, schema: keyof typeof schemas) {
  const parameter = {
    ...{ name, in: 'header', required: true, style: 'simple', explode: false, allowEmptyValue: false },
    schema: `#/components/schemas/${schema}`,
  };
  const operation = { parameters: [parameter], extensions: {} } as unknown as Operation;
  const check = createParameterCheck({ document, compile: createSchemaCompiler(document) }, operation, 'header');
  return check(Object.entries(sent).map(([key, value]) => ({ name: key, value, broken: false })));
}

describe('a header with a preference of the client', () => {
  test('has its default where the client has no preference', () => {
    const read = readHeaders({ 'accept-language': '*' }, 'Accept-Language', 'Language');
    expect(read).toEqual({ kind: 'values', values: { 'accept-language': 'en' } });
  });

  test('is checked otherwise', () => {
    expect(readHeaders({ 'accept-language': 'fr' }, 'Accept-Language', 'Language')).toMatchObject({ kind: 'fault' });
    expect(readHeaders({ 'accept-language': '*' }, 'Accept-Language', 'NoDefault')).toMatchObject({ kind: 'fault' });
    expect(readHeaders({ 'x-language': '*' }, 'X-Language', 'Language')).toMatchObject({ kind: 'fault' });
    expect(readHeaders({ 'accept-language': '*' }, 'Accept-Language', 'Any')).toMatchObject({
      values: { 'accept-language': '*' },
    });
  });
});
