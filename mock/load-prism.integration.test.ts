import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// If this fails, the first answer of every mock waits most of a second for what it does without.

/** A process of its own: the files of a test worker share what one of them has loaded. */
const program = `
import { registerHooks } from 'node:module';
let isLoaded = false;
registerHooks({
  load: (url, context, next) => {
    isLoaded ||= url.includes('/prism');
    return next(url, context);
  },
});
const { createAnswers } = await import(${JSON.stringify(join(import.meta.dirname, 'answer-as-documented.ts'))});
const schema = { type: 'object', required: ['line'], properties: { line: { type: 'string', minLength: 3 } } };
const responses = { 200: { description: 'A line', content: { 'application/json': { schema, example: { line: 'door' } } } } };
const answer = createAnswers({ openapi: '3.1.0', paths: { '/logs': { get: { operationId: 'logs', responses } } } });
const operation = { operationId: 'logs', method: 'get', basePath: '', path: '/logs', pointer: '#/paths/~1logs/get' };
const asked = { requestId: 'r', accept: undefined };
const seen = [];
for (const dynamic of [false, true]) {
  await answer(operation, { dynamic, seed: undefined }, asked);
  seen.push(isLoaded);
}
console.log(JSON.stringify(seen));
`;

test('Prism is loaded for an invented answer, not for a documented one', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(JSON.parse(stdout)).toEqual([false, true]);
});
