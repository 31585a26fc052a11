import { operations } from '@lockstep/contract/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listUnimplemented } from './fixtures/list-unimplemented.ts';
import { sampleRequest } from './fixtures/sample-request.ts';
import { type RunningApp, startApp } from './fixtures/start-app.ts';

const served = Object.values(operations).filter(({ basePath }) => basePath === '/v1');

let app: RunningApp;
let partly: RunningApp;
beforeAll(async () => {
  app = await startApp();
  partly = await startApp({ handlers: { updateDevice: () => ({ status: 200, body: { message: 'device updated' } }) } });
});
afterAll(() => Promise.all([app.close(), partly.close()]));

describe('an operation that nobody has written', () => {
  for (const operation of served) {
    it(`answers 501 to a good request: ${operation.operationId}`, async () => {
      const { target, method, headers, body } = sampleRequest(operation);
      const init = {
        method,
        headers: { ...headers, authorization: 'Bearer all' },
        ...(body !== undefined && { body }),
      };
      const answer = await fetch(app.origin + target, init);
      const { operationId } = operation;
      expect([answer.status, await answer.json()]).toEqual([
        501,
        {
          message: `${operationId} is not implemented yet`,
          code: 'not_implemented',
          requestId: answer.headers.get('x-request-id'),
        },
      ]);
    });

    it(`is refused without a token, and after the trial [44]: ${operation.operationId}`, async () => {
      const { target, method } = sampleRequest(operation);
      const anonymous = await fetch(app.origin + target, { method });
      const lapsed = await fetch(app.origin + target, { method, headers: { authorization: 'Bearer lapsed' } });
      expect([anonymous.status, lapsed.status]).toEqual([401, 402]);
    });
  }

  it('is counted', async () => {
    const all = served.map(({ operationId }) => operationId).toSorted();
    expect(await listUnimplemented(app.origin, 'Bearer all')).toEqual(all);
    expect(await listUnimplemented(partly.origin, 'Bearer all')).toEqual(all.filter((id) => id !== 'updateDevice'));
  });
});
