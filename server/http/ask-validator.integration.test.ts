import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { startApp } from './fixtures/start-app.ts';

describe('the second opinion', () => {
  test('stops a request that our own check passes, in the same shape, and tells the log', async () => {
    // Where a parameter may not hold reserved characters the validator refuses them, our own check does not.
    const document = structuredClone(contract);
    document.components.parameters.DeviceSearch.allowReserved = false;
    const app = await startApp({ contract: document });
    const answer = await fetch(`${app.origin}/v1/devices?search=a:b`, { headers: { authorization: 'Bearer all' } });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      {
        code: 'invalid_request',
        requestId: answer.headers.get('x-request-id'),
        details: [{ in: 'query', at: 'search', nearest: [] }],
      },
    ]);
    await app.close();
    expect(app.logged.filter(({ level }) => level === 40)).toMatchObject([
      { operationId: 'getDevices', places: ['query search'] },
    ]);
  });

  test('never says more than the contract: what it is shown stays as it was', async () => {
    let seen: unknown;
    const app = await startApp({
      handlers: {
        updateDevice: ({ body, path }) => {
          seen = { body, path };
          return { status: 200, body: { message: 'device updated' } };
        },
      },
    });
    const headers = { authorization: 'Bearer all', 'content-type': 'application/json' };
    const init = { method: 'PUT', headers, body: '{"batteryLevel":"87"}' };
    expect((await fetch(`${app.origin}/v1/devices/5`, init)).status).toBe(200);
    await app.close();
    expect(seen).toEqual({ body: { batteryLevel: '87' }, path: { deviceId: '5' } });
  });
});
