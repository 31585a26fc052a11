import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// If this fails, the first answer of every mock waits most of a second for a package that it does not use.

/** A separate process, since the files of a test worker share their loaded modules. */
const program = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url.split('/').at(-1));
    return next(url, context);
  },
});
const { createAnswers } = await import(${JSON.stringify(join(import.meta.dirname, 'answer-as-documented.ts'))});
const schema = { type: 'object', required: ['line'], properties: { line: { type: 'string', minLength: 3 } } };
const responses = { 200: { description: 'A line', content: { 'application/json': { schema, example: { line: 'door' } } } } };
const answer = createAnswers({ openapi: '3.1.0', paths: { '/logs': { get: { operationId: 'logs', responses } } } });
const operation = { operationId: 'logs', method: 'get', basePath: '', path: '/logs', pointer: '#/paths/~1logs/get' };
const asked = { requestId: 'r', accept: undefined };
const { body } = await answer(operation, { dynamic: false }, asked);
console.log(JSON.stringify({ body, loaded: loaded.filter((name) => name === 'make-value.ts' || name === 'prism.ts') }));
`;

test('a documented answer loads no Prism', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  // The other name shows that the hook sees every loaded module.
  expect(JSON.parse(stdout)).toEqual({ body: { line: 'door' }, loaded: ['make-value.ts'] });
});
