import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import type { DifferentialValidation } from './differential-validation.ts';
import { startApp } from './fixtures/start-app.ts';

describe('differential validation', () => {
  // Without `allowReserved` express-openapi-validator rejects reserved characters; our own validation accepts them.
  const stricter = structuredClone(contract);
  stricter.components.parameters.DeviceSearch.allowReserved = false;

  const search = async (differentialValidation: DifferentialValidation) => {
    const app = await startApp({ contract: stricter, differentialValidation });
    const ask = () => fetch(`${app.origin}/v1/devices?search=a:b`, { headers: { authorization: 'Bearer all' } });
    const statuses = [(await ask()).status, (await ask()).status];
    await app.close();
    return { statuses, warnings: app.logged.filter(({ level }) => level === 40) };
  };

  test('leaves the answer to our own validation, and counts disagreements in the log', async () => {
    const difference = { operationId: 'getDevices', places: ['/query/search'] };
    expect(await search('logged')).toMatchObject({
      statuses: [200, 200],
      warnings: [
        { ...difference, disagreements: 1 },
        { ...difference, disagreements: 2 },
      ],
    });
  });

  test('fails the request in tests', async () => {
    expect((await search('fatal')).statuses).toEqual([500, 500]);
  });

  test('does not run when it is off', async () => {
    expect(await search('off')).toEqual({ statuses: [200, 200], warnings: [] });
  });

  test('leaves the values of the request unchanged', async () => {
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
