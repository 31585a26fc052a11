import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSandbox, startSandbox } from '../mock/sandbox/start-sandbox.ts';
import { demoHabits } from '../server/demo/demo-habits.ts';
import { runPartnerProgram } from './fixtures/partner-program.ts';
import { type DemoService, startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, a program that was written against the sandbox meets another behaviour of the service.

let service: DemoService;
let sandbox: StartedSandbox;
/** Complaints of either program. */
const logged: string[] = [];
let outputs: readonly (readonly string[])[];
let runProgram: (side: DemoService | StartedSandbox) => Promise<readonly string[]>;
/** The program waits for two jobs one after the other; a lock takes four seconds for each. */
const ofLocks = 60_000;

beforeAll(async () => {
  const logger = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  const listening = { port: 0, host: '127.0.0.1', logger };
  service = await startDemoService({ logger, habits: demoHabits });
  // The same keys on both sides, so that the digits of codes can be compared too.
  sandbox = await startSandbox({ keys: service.keys, ...listening });
  // One hour for all, and far enough ahead that none of them is too late for it.
  const arrival = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 7_200_000);
  runProgram = ({ origin, clients }) =>
    runPartnerProgram({ baseUrl: `${origin}/v1`, authUrl: `${origin}/auth`, clients, arrival });
  outputs = await Promise.all([runProgram(service), runProgram(sandbox)]);
}, ofLocks);
afterAll(async () => {
  await Promise.all([service.close(), sandbox.close()]);
});

test('a partner’s program sees the same at the service and in the sandbox', () => {
  expect(outputs[1]).toEqual(outputs[0]);
});

test('it sees the same again in a sandbox that was reset', { tags: ['full'], timeout: ofLocks }, async () => {
  await sandbox.sandbox.reset();
  expect(await runProgram(sandbox)).toEqual(outputs[0]);
});

test('neither had anything to complain of', () => {
  expect(logged).toEqual([]);
});

/** So that it can't see the same by getting nowhere. */
const landmarks = [
  /^\/devices in pages of 3 3 3 3$/,
  /^code (daily|hourly|onetime|passage|permanent) -> 200 .*"pin":"[1-9]\d{8}"/,
  /^the end of unlock: .*"status":"succeeded".*"lockState":"unlocked"/,
  /^the end of lock: .*"status":"failed".*"result":6/,
  /^push .* -> 200 .*"accepted":3,"rejected":\[\{"index":2,/,
  /^\/devices\/LK2A00000001\/activity in pages of (100 ){3}\d+$/,
  /^ {2}the unlock is in it: 1 time/,
  /^read it back -> 200 .*"batteryLevel":42/,
  /^status of the bridge, 4 -> 429 retry-after: … .*"code":"bridge_rate"/,
];

test.each(landmarks)('it got as far as %s', (landmark) => {
  for (const lines of outputs) expect(lines.filter((line) => landmark.test(line))).not.toEqual([]);
});

test('each of its mistakes was answered as one', () => {
  for (const lines of outputs) {
    const told = lines.filter((line) => line.startsWith('mistake: ')).map((line) => / -> (\d+)/.exec(line)?.[1]);
    expect(told.length).toBeGreaterThan(30);
    const statuses = [400, 401, 402, 403, 404, 405, 406, 409, 413, 415, 418, 422].map(String);
    expect([...new Set(told)].sort()).toEqual(statuses);
  }
});
