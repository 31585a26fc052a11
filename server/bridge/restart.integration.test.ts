import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DemoClients } from '../demo/seed-demo.ts';

// Kills a real process with jobs in flight and starts it again: no job is lost or done twice.

interface Running {
  readonly child: ChildProcess;
  readonly complaints: string[];
  readonly call: (path: string, init?: RequestInit) => Promise<{ status: number; body: Record<string, unknown> }>;
}

interface Sent {
  readonly path: string;
  readonly key: string;
  readonly body: object;
  /** Undefined as long as no answer has come. */
  jobId?: string;
}

const killedAfterMs = [100, 1050, 2990];
const front = '/devices/LK2A00000001/jobs/bridges/BR1A00000001';
const keypad = '/devices/KP1A00000002/jobs/bridges/BR1A00000001';

let folder: string;
let last: Running | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restart-'));
});
afterAll(async () => {
  last?.child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

async function start(): Promise<Running> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/serve-demo.ts'), folder]);
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { origin, clients } = JSON.parse(String(line)) as { origin: string; clients: DemoClients };
  const { clientId, secret } = clients[0] ?? { clientId: '', secret: '' };
  const response = await fetch(`${origin}/auth/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const call: Running['call'] = async (path, init = {}) => {
    const headers = { Authorization: `Bearer ${token}`, ...init.headers };
    const answer = await fetch(`${origin}/v1${path}`, { ...init, headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  last = { child, complaints, call };
  return last;
}

/** Sends a job until an answer comes; the idempotency key makes all attempts one job. */
async function send({ call }: Running, sent: Sent): Promise<void> {
  if (sent.jobId !== undefined) return;
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': sent.key };
  const { status, body } = await call(sent.path, { method: 'POST', headers, body: JSON.stringify(sent.body) });
  if (status !== 200) throw new Error(JSON.stringify(body));
  sent.jobId = String(body.jobId);
}

async function waitFor({ call }: Running, { jobId }: Sent): Promise<Record<string, unknown>> {
  for (;;) {
    const { status, body } = await call(`/jobs/${jobId}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    if (body.completed === true) return body;
    await sleep(200);
  }
}

test('jobs survive kill -9, each is done once, and the log is whole', { tags: ['full'] }, async () => {
  const begin = Date.now() - 1000; // entries have whole seconds
  const all: Sent[] = [];
  for (const [round, killedAfter] of killedAfterMs.entries()) {
    const service = await start();
    for (const sent of all) await send(service, sent);
    const jobs = Array.from({ length: 6 }, (_, at): Sent => {
      const name = `guest ${round}-${at}`;
      const pin = { accessName: name, pin: String(4000 + round * 10 + at), pinType: 2 };
      const body = at < 2 ? { jobType: 'UNLOCK' } : { jobType: 'CREATE_PIN', jobData: pin };
      return { path: at < 4 ? front : keypad, key: name.replace(' ', '-'), body };
    });
    all.push(...jobs);
    // Some of these may be under way when the process dies.
    const sending = Promise.allSettled(jobs.map((sent) => send(service, sent)));
    if (round > 0) await sending;
    await sleep(killedAfter);
    service.child.kill('SIGKILL');
    await once(service.child, 'exit');
    await sending;
    expect(service.complaints).toEqual([]);
  }

  const service = await start();
  for (const sent of all) await send(service, sent);
  for (const sent of all) {
    const job = await waitFor(service, sent);
    // A PIN that was stored twice would be 3.
    expect(job).toMatchObject({ status: 'succeeded', jobResponse: { jobStatus: 0, opResult: { result: 0 } } });
  }
  for (const path of [front, keypad]) {
    const fetching = { path, key: `log-${path.length}-${path.slice(9, 11)}`, body: { jobType: 'GET_ACTIVITY_LOGS' } };
    await send(service, fetching);
    await waitFor(service, fetching);
  }
  const entries: { activityType: string; accessName?: string }[] = [];
  for (const deviceId of ['LK2A00000001', 'KP1A00000002']) {
    const from = encodeURIComponent(new Date(begin).toISOString());
    const { body } = await service.call(`/devices/${deviceId}/activity?limit=300&startDate=${from}`);
    entries.push(...(body.payload as typeof entries));
  }
  const wanted = all.flatMap(({ body }) =>
    'jobData' in body ? [(body.jobData as { accessName: string }).accessName] : [],
  );
  const stored = entries.filter(({ activityType }) => activityType === 'PIN_CREATED');
  expect(stored.map(({ accessName }) => accessName).sort()).toEqual(wanted.sort());
  expect(entries.filter(({ activityType }) => activityType === 'UNLOCK')).toHaveLength(2 * killedAfterMs.length);

  service.child.kill('SIGTERM');
  expect(await once(service.child, 'exit')).toEqual([0, null]);
  expect(service.complaints).toEqual([]);
});
