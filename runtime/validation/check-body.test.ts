import { describe, expect, test } from 'vitest';
import type { Operation } from '../operation.ts';
import { createBodyCheck } from './check-body.ts';
import { createSchemaCompiler } from './compile-schema.ts';

const document = { body: { type: 'object', properties: { limit: { type: ['number', 'null'], default: null } } } };
const tools = { document, compile: createSchemaCompiler(document) };
const type = 'application/json';
const requestBody = { required: true, content: { [type]: '#/body' } };

/** The body that a handler gets. */
function read(method: string, body: unknown): unknown {
  const check = createBodyCheck(tools, { method, requestBody } as unknown as Operation, []);
  const found = check({ bytes: Buffer.from(JSON.stringify(body)), mediaType: type, declaredType: type });
  return found.kind === 'values' ? found.values.body : found;
}

describe('a missing member', () => {
  test.each([
    { name: 'gets its default in a new object', method: 'post', given: {}, want: { limit: null } },
    { name: 'gets its default in a replacement', method: 'put', given: { a: 1 }, want: { limit: null, a: 1 } },
    { name: 'is no change in a PATCH', method: 'patch', given: { a: 1 }, want: { a: 1 } },
  ])('$name', ({ method, given, want }) => expect(read(method, given)).toEqual(want));
});
