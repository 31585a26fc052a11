// Tests that run at the same time, on one sandbox. Each has a world of its own.
import { type RunningSandbox, type SandboxWorld, startMock } from '@lockstep/mock';
import { afterAll, test as base, beforeAll, describe, expect } from 'vitest';
import { createLockClient } from './lock-client.ts';

let mock: RunningSandbox;
beforeAll(async () => {
  mock = await startMock({ clock: '2026-06-01T12:00:00Z' });
});
afterAll(() => mock.close());

/** A test with a world: data, clock, faults and tokens that no other test sees. */
const test = base.extend<{ world: SandboxWorld }>({
  world: async ({ task }, use) => {
    await use(mock.world(task.id));
    await mock.control.removeWorld(task.id);
  },
});

const createClient = async ({ baseUrl, token }: SandboxWorld) =>
  createLockClient({ baseUrl, token: await token(), wait: async () => undefined });

describe.concurrent('at the same time', () => {
  test('a list is empty', async ({ world }) => {
    await world.control.useScenario('empty');
    expect(await (await createClient(world)).listDevices()).toEqual([]);
  });

  test('a list has the devices of the demo', async ({ world }) => {
    expect(await (await createClient(world)).listDevices()).toHaveLength(12);
  });

  test('the API is busy', async ({ world }) => {
    await world.control.addFault({ operationId: 'getDevices', times: 4, status: 503 });
    await expect((await createClient(world)).listDevices()).rejects.toMatchObject({ status: 503 });
  });
});
