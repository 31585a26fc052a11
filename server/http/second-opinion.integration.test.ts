import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { startApp } from './fixtures/start-app.ts';
import type { SecondOpinion } from './second-opinion.ts';

describe('the second opinion', () => {
  // Where a parameter may not hold reserved characters the validator refuses them, our own check does not.
  const stricter = structuredClone(contract);
  stricter.components.parameters.DeviceSearch.allowReserved = false;

  const search = async (secondOpinion: SecondOpinion) => {
    const app = await startApp({ contract: stricter, secondOpinion });
    const ask = () => fetch(`${app.origin}/v1/devices?search=a:b`, { headers: { authorization: 'Bearer all' } });
    const statuses = [(await ask()).status, (await ask()).status];
    await app.close();
    return { statuses, warnings: app.logged.filter(({ level }) => level === 40) };
  };

  test('leaves the answer to our own check, and counts in the log where it differs', async () => {
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

  test('is not asked where it is off', async () => {
    expect(await search('off')).toEqual({ statuses: [200, 200], warnings: [] });
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
