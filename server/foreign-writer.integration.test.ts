import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedDemo, serveDemo } from './operations/fixtures/serve-demo.ts';
import { holdLock } from './store/sqlite/fixtures/hold-lock.ts';

// If these fail, a second process that writes, such as an import or a shell, makes the service unresponsive, and a monitor of
// /healthz restarts a healthy process.

const writers = 10;
const device = '/devices/LK2A00000001';

let demo: ServedDemo;
beforeAll(async () => {
  demo = await serveDemo(Date.parse('2026-11-20T17:25:00.000Z'));
});
afterAll(() => demo.close());

const readHealth = async () => (await fetch(`${demo.origin}/healthz`)).status;
const readDevice = async () => (await demo.call({ method: 'GET', path: `${device}?admin_key=0&lock_id=0` })).status;
/** Alternates between the kinds of writes: one statement, and a transaction. */
const write = (index: number) =>
  index % 2 === 0
    ? demo.call({ method: 'PUT', path: device, body: { batteryLevel: 40 + index } })
    : demo.call({ path: `${device}/jobs/bridges/BR1A00000001`, body: { jobType: 'GET_BATTERY_LEVEL' } });

// A busy machine may delay one round; a wait that blocks the event loop fails all of them.
test('ten writers that wait for another process finish together, and readers are answered meanwhile', {
  retry: 2,
}, async () => {
  expect([await readHealth(), await readDevice(), (await write(0)).status]).toEqual([200, 200, 200]);
  const release = await holdLock(join(demo.database.place, 'data.sqlite'));
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const answered: string[] = [];
  const note = async <Answer>(name: string, answer: Promise<Answer>) => {
    const got = await answer;
    answered.push(name);
    return got;
  };
  const writes = Array.from({ length: writers }, (_, index) => note('write', write(index)));
  // Sends requests one after the other, as long as a writer waits.
  for (let index = 0; index < 10; index += 1) {
    expect(await note('health', readHealth())).toBe(200);
    expect(await note('read', readDevice())).toBe(200);
  }
  const answers = await Promise.all(writes);
  delay.disable();
  await release();
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [503, 'unavailable']));
  expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(answers.map(() => '1'));
  // With a wait that blocked the event loop, one read ran between two writers, and the mean delay was some hundred ms.
  const meanwhile = answered.slice(answered.indexOf('write'), answered.lastIndexOf('write'));
  expect(meanwhile.filter((name) => name !== 'write').length).toBeLessThan(writers / 2);
  expect(delay.mean / 1e6).toBeLessThan(100);
  expect((await write(0)).status).toBe(200);
});
