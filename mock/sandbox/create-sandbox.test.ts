import { setImmediate } from 'node:timers/promises';
import type { Keys } from '@lockstep/server/keys';
import { createTestKeys } from '@lockstep/server/oauth/fixtures/keys';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CreatedSandbox, type CreateSandboxOptions, createSandbox } from './create-sandbox.ts';
import type { ScenarioChoice } from './sandbox.ts';
import { type InstanceOptions, openInstance, type ServiceInstance } from './service-instance.ts';

/** Instances that are open at the moment. */
const open = new Set<object>();

async function openCounted(options: InstanceOptions): Promise<ServiceInstance> {
  const instance = await openInstance(options);
  open.add(instance);
  const close = async () => {
    open.delete(instance);
    await instance.close();
  };
  return { ...instance, close };
}

const startAt = Date.parse('2026-06-01T12:00:00Z');

let keys: Keys;
beforeAll(async () => {
  keys = await createTestKeys();
});

const running: CreatedSandbox[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
  expect(open.size).toBe(0);
});

async function start(options: Partial<CreateSandboxOptions> = {}) {
  const origin = 'http://localhost:8090';
  const logger = pino({ level: 'silent' });
  const started = await createSandbox({ origin, keys, logger, startAt, ...options }, openCounted);
  running.push(started);
  return started.sandbox;
}

const unlinked = { deviceId: 'BR1', deviceName: 'Bridge', type: 'Bridge', links: ['LK9'] } as const;
/** Each of its files is valid alone, so that the scenario is rejected late. */
const refused = { import: { account: { id: 'account-hill', name: 'Hill' }, devices: [unlinked] } };

/** Runs until a change is complete. Returns the readings of each step. */
async function watch<Reading>(change: Promise<unknown>, read: () => Reading): Promise<Reading[]> {
  const readings: Reading[] = [];
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  change.then(end, end);
  while (!isOver) {
    for (let steps = 0; steps < 100; steps += 1) {
      readings.push(read());
      await null;
    }
    await setImmediate();
  }
  readings.push(read());
  return readings;
}

describe('a change of the scenario', () => {
  test.each([{ isTicking: false }, { isTicking: true }])(
    'leaves the clock alone where it is refused, at each step of it: %o',
    async ({ isTicking }) => {
      const sandbox = await start();
      const at = startAt + 86_400_000;
      sandbox.clock.set({ at, isTicking });
      const change = sandbox.useScenario(refused);
      const readings = await watch(change, () => [sandbox.clock.now() >= at, sandbox.clock.isTicking]);
      await expect(change).rejects.toThrow(/LK9/);
      expect(readings).not.toEqual([]);
      expect(new Set(readings.map(String))).toEqual(new Set([String([true, isTicking])]));
      expect(open.size).toBe(1);
    },
  );

  test('resets the clock in the step in which the scenario is another', async () => {
    const sandbox = await start();
    sandbox.clock.set({ at: startAt + 86_400_000, isTicking: false });
    const change = sandbox.useScenario({ name: 'empty' });
    const readings = await watch(change, () => `${sandbox.readState().scenario} ${sandbox.clock.isTicking}`);
    expect([...new Set(readings)]).toEqual(['demo false', 'empty true']);
  });

  test('leaves one instance open, however many there were', async () => {
    const sandbox = await start();
    await Promise.all([sandbox.reset(), sandbox.useScenario({ name: 'empty' }), sandbox.reset()]);
    expect(open.size).toBe(1);
  });
});

test('where its OAuth server does not start nothing stays open, and the next start with these keys is tried anew', async () => {
  let isBroken = true;
  const broken: Keys = {
    ...keys,
    get demoKey() {
      if (isBroken) throw new Error('no key');
      return keys.demoKey;
    },
  };
  await expect(start({ keys: broken })).rejects.toThrow('no key');
  expect(open.size).toBe(0);
  isBroken = false;
  expect((await start({ keys: broken })).readState().clients).not.toEqual([]);
});

test('a scenario of files lets others have their turn between its steps, where it is refused too', async () => {
  const sandbox = await start();
  const turns = async (choice: ScenarioChoice): Promise<number> => {
    let count = 0;
    let isOver = false;
    const change = sandbox.useScenario(choice).finally(() => {
      isOver = true;
    });
    change.catch(() => undefined);
    for (; !isOver; await setImmediate()) count += 1;
    return count;
  };
  // One before its format is validated, one before names are looked up, one before they are compared.
  expect(await turns(refused)).toBeGreaterThanOrEqual(3);
  expect(await turns({ import: [] })).toBeGreaterThanOrEqual(1);
});
