import { networkInterfaces } from 'node:os';
import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectMock, connectSandbox, type ImportFile, type RunningSandbox, startMock } from './index.ts';

let mock: RunningSandbox;
let token: string;
beforeAll(async () => {
  mock = await startMock();
  token = await mock.token();
});
afterAll(() => mock.close());
afterEach(() => mock.control.reset());

async function call(path: string, init: RequestInit = {}, { baseUrl } = mock, with_ = token) {
  const headers = { authorization: `Bearer ${with_}`, 'content-type': 'application/json', ...init.headers };
  const answer = await fetch(`${baseUrl}${path}`, { ...init, headers });
  const body = (await answer.json()) as Record<string, unknown> & { payload?: { deviceId: string }[] };
  return { status: answer.status, headers: answer.headers, body };
}

const post = (path: string, body: object) => call(path, { method: 'POST', body: JSON.stringify(body) });

describe('a sandbox', () => {
  test('remembers what was done, until it is reset', async () => {
    await call('/devices/LK2A00000001', { method: 'PUT', body: '{"batteryLevel":"7"}' });
    expect((await call('/devices/LK2A00000001')).body.batteryLevel).toBe(7);
    await mock.control.reset();
    expect((await call('/devices/LK2A00000001')).body.batteryLevel).toBe(87);
  });

  test('shares nothing with another of the same process, but for keys and names', async () => {
    await using other = await startMock({ scenario: 'empty' });
    expect((await call('/devices', {}, other, await other.token())).body.payload).toEqual([]);
    expect((await call('/devices')).body.payload).toHaveLength(12);
    expect((await call('/devices', {}, other)).body.code).toBe('token_invalid');
    expect(other.clients).toEqual(mock.clients);
  });

  test('begins at the time that it is given, and again at each reset', async () => {
    await using other = await startMock({ clock: '2026-06-01T12:00:00Z' });
    const isThen = async () => (await other.control.readClock()).now.startsWith('2026-06-01T12:0');
    expect(await isThen()).toBe(true);
    await other.control.changeClock({ by: 'P1D' });
    expect(await isThen()).toBe(false);
    await other.control.reset();
    expect(await isThen()).toBe(true);
    const [job] = [await call('/devices/LK2A00000001', {}, other, await other.token())];
    expect(String(job.body.lastSync)).toMatch(/^2026-06-01T/);
  });

  test('runs a job at its time, however far the clock is moved', async () => {
    await mock.control.changeClock({ ticking: false });
    const { now } = await mock.control.readClock();
    const job = await post('/devices/LK2A00000001/jobs/bridges/BR1A00000001', { jobType: 'UNLOCK' });
    const path = `/jobs/${job.body.jobId}`;
    expect((await call(path)).body).toMatchObject({ status: 'queued', completed: false });
    await mock.control.changeClock({ by: 'PT1S' });
    expect((await call(path)).body).toMatchObject({ status: 'delivered', completed: false });
    await mock.control.changeClock({ by: 'P1D' });
    expect((await call(path)).body).toMatchObject({ status: 'succeeded', completed: true });
    const { body } = await call('/devices/LK2A00000001/activity?limit=1');
    const [entry] = body.payload as unknown as { activityTimeAt: string }[];
    // Whole seconds.
    const elapsed = Date.parse(entry?.activityTimeAt ?? '') - Date.parse(now);
    expect(elapsed).toBeGreaterThan(2000);
    expect(elapsed).toBeLessThanOrEqual(3000);
  });

  test('lets a job expire at its time where its device never answers', async () => {
    await mock.control.changeClock({ ticking: false });
    const job = await post('/devices/KP1A00000001/jobs/bridges/BR1A00000001', { jobType: 'GET_BATTERY_LEVEL' });
    const path = `/jobs/${job.body.jobId}`;
    await mock.control.changeClock({ by: 'PT119.999S' });
    expect((await call(path)).body.completed).toBe(false);
    await mock.control.changeClock({ by: 'PT0.001S' });
    expect((await call(path)).body).toMatchObject({ status: 'expired', completed: true });
  });

  test('takes a clock that goes back', async () => {
    await mock.control.changeClock({ by: '-P30D' });
    const job = await post('/devices/LK2A00000001/jobs/bridges/BR1A00000001', { jobType: 'UNLOCK' });
    await mock.control.changeClock({ by: 'PT3S' });
    expect((await call(`/jobs/${job.body.jobId}`)).body.status).toBe('succeeded');
  });

  test.each(['trial-over', 'bridge-offline', 'quota', 'empty', 'big'] as const)(
    'begins anew as %s, and the tokens go on',
    async (name) => {
      const state = await mock.control.useScenario(name);
      expect(state.scenario).toBe(name);
      const [list, job] = [
        await call('/devices?limit=300'),
        await post('/devices/LK2A00000001/jobs/bridges/BR1A00000001', { jobType: 'UNLOCK' }),
      ];
      const seen = { list: list.body.code ?? list.body.payload?.length, job: job.body.code ?? 'jobId' };
      const want = {
        'trial-over': { list: 'trial_ended', job: 'trial_ended' },
        'bridge-offline': { list: 12, job: 'bridge_offline' },
        quota: { list: 12, job: 'jobId' },
        empty: { list: 0, job: 'device_not_found' },
        big: { list: 300, job: 'jobId' },
      }[name];
      expect(seen).toEqual(want);
      await mock.control.useScenario('demo');
    },
  );

  test('has ten thousand devices more in the scenario big, and gives each once in its pages', async () => {
    await mock.control.useScenario('big');
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await call(`/devices?limit=300${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      seen.push(...(body.payload ?? []).map(({ deviceId }) => deviceId));
      cursor = String(body.nextCursor);
    } while (cursor !== '');
    expect(seen).toHaveLength(10_012);
    expect(new Set(seen).size).toBe(seen.length);
    await mock.control.useScenario('demo');
  });

  test('uses up the quota of its scenario, and answers 429, until the hour is over', async () => {
    await mock.control.useScenario('quota');
    const answers = [];
    for (let count = 0; count < 21; count += 1) answers.push(await call('/devices?limit=1'));
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
    expect(answers.at(-1)?.body.code).toBe('account_quota');
    await mock.control.changeClock({ by: 'PT1H' });
    expect((await call('/devices?limit=1')).status).toBe(200);
    await mock.control.useScenario('demo');
  });

  describe('with files of one', () => {
    const hill = {
      deviceId: 'HILL1',
      deviceName: 'Gate',
      type: 'Lock',
      properties: ['66f0c2a4b1d3e5f708192a3b'],
    } satisfies NonNullable<ImportFile['devices']>[number];
    const file: ImportFile = {
      account: { id: 'account-hilltop', name: 'Hilltop' },
      properties: [{ id: '66f0c2a4b1d3e5f708192a3b', name: 'Hilltop 1', timezone: 'Europe/Berlin' }],
      devices: [hill],
    };

    const devicesOf = async (with_: string) => (await call('/devices', {}, mock, with_)).body;

    test('gives each new account a client of its own, which is removed with it, and its tokens too', async () => {
      const before = mock.clients;
      const state = await mock.control.useScenario(file);
      expect(state.scenario).toBeNull();
      const own = await mock.token('account-hilltop-own');
      expect((await devicesOf(own)).payload).toMatchObject([{ deviceId: 'HILL1' }]);
      expect((await call('/devices')).body.payload).toEqual([]);
      await mock.control.reset();
      expect((await devicesOf(own)).payload).toHaveLength(1);
      const { clients } = await mock.control.useScenario('demo');
      expect((await devicesOf(own)).code).toBe('token_revoked');
      expect(mock.clients).toEqual(before);
      expect(clients).toHaveLength(before.length);
      await expect(mock.token('account-hilltop-own')).rejects.toThrow(/no such client/);
    });

    test('has as many clients after ten scenarios as after one', () => keepsNumberOfClients(10));
    test('has as many clients after a hundred as after one', { tags: ['full'] }, () => keepsNumberOfClients(100));

    async function keepsNumberOfClients(scenarios: number): Promise<void> {
      const { length } = mock.clients;
      for (let count = 1; count <= scenarios; count += 1) {
        const { clients } = await mock.control.useScenario({ account: { id: `account-${count}`, name: 'Hilltop' } });
        expect(clients).toHaveLength(length + 1);
      }
      await mock.control.useScenario('demo');
    }

    const long = 'x'.repeat(64);
    test.each([
      { ids: ['demo'], clients: ['demo-own-2'] },
      { ids: ['meadow', 'lapsed'], clients: ['meadow-own-2', 'lapsed-own-2'] },
      { ids: ['demo-own'], clients: ['demo-own-own'] },
      { ids: ['hill', 'hill-own'], clients: ['hill-own-2', 'hill-own-own'] },
      { ids: ['hill', 'hill'], clients: ['hill-own'] },
      { ids: [long, `${long.slice(1)}y`], clients: [`${long.slice(6)}-own-2`, `${long.slice(6)}-own-3`] },
      { ids: ['account-harbour-stays'], clients: [] },
    ])('names the clients of $ids so that each acts for its own account alone', async ({ ids, clients }) => {
      const known = mock.clients;
      // As long as a name can be, with a space before it.
      const name = ` ${'H'.repeat(99)}`;
      const files = ids.map((id, index) => ({
        account: { id, name },
        devices: [{ ...hill, deviceId: `HILL${index}`, properties: [] }],
      }));
      await mock.control.useScenario(files);
      const listed = mock.clients.map(({ clientId }) => clientId);
      expect(listed).toEqual([...known.map(({ clientId }) => clientId), ...clients]);
      for (const [index, clientId] of clients.entries()) {
        const { payload = [] } = await devicesOf(await mock.token(clientId));
        const want = ids.flatMap((id, at) => (id === ids[index] ? [`HILL${at}`] : []));
        expect(payload.map(({ deviceId }) => deviceId)).toEqual(want);
      }
      await mock.control.useScenario('demo');
    });

    test('lets demo clients act on what it gives their account', async () => {
      await mock.control.useScenario({ ...file, account: { id: 'account-harbour-stays', name: 'Harbour Stays' } });
      expect((await call('/devices')).body.payload).toMatchObject([{ deviceId: 'HILL1' }]);
      await mock.control.useScenario('demo');
    });

    test('changes nothing if a file is wrong, and reports all its faults', async () => {
      await call('/devices/LK2A00000001', { method: 'PUT', body: '{"batteryLevel":"7"}' });
      const wrong = {
        ...file,
        devices: [{ ...hill, links: ['HILL9'], properties: ['66f0c2a4b1d3e5f708192a3c'] }],
      };
      await expect(mock.control.useScenario([file, wrong])).rejects.toThrow(/HILL9/);
      await expect(mock.control.useScenario([file, wrong])).rejects.toThrow(/66f0c2a4b1d3e5f708192a3c/);
      expect((await call('/devices/LK2A00000001')).body.batteryLevel).toBe(7);
      expect((await mock.control.readState()).scenario).toBe('demo');
    });
  });

  test('expires tokens on request, those of this very second too, and issues new ones', async () => {
    const other = await mock.token('demo-readonly');
    await mock.control.expireTokens();
    expect((await call('/devices', {}, mock, other)).body.code).toBe('token_expired');
    expect((await call('/devices')).body.code).toBe('token_expired');
    token = await mock.token();
    expect((await call('/devices')).status).toBe(200);
  });

  test('gives tokens that live for seconds', async () => {
    await mock.control.changeTokenLifetime(1);
    const short = await mock.token();
    await expect
      .poll(async () => (await call('/devices', {}, mock, short)).body.code, { timeout: 10_000 })
      .toBe('token_expired');
    await mock.control.changeTokenLifetime(null);
    expect((await call('/devices', {}, mock, await mock.token())).status).toBe(200);
  });

  test('is driven from elsewhere by its address alone', async () => {
    const control = connectSandbox(mock.origin);
    await control.addFault({ operationId: 'getDevices', times: 1, status: 503 });
    expect((await call('/devices')).status).toBe(503);
    expect((await control.listRequests({ operationId: 'getDevices', limit: 1 }))[0]).toMatchObject({
      verdict: 'fault',
      status: 503,
    });
    await expect(control.addFault({ operationId: 'getDevice5', status: 503 })).rejects.toMatchObject({
      message: expect.stringMatching(/getDevices/),
      status: 400,
      code: 'unknown_operation',
      details: [{ at: '/operationId' }],
    });
    for (const wrong of ['localhost:8090', `${mock.origin}/v1`, 'sandbox'])
      expect(() => connectSandbox(wrong)).toThrow(/is no origin: give one as/);
    expect(() => connectSandbox(mock as never)).toThrow(/^an object is no origin/);
    await expect(control.removeFault({ id: 'fault-1' } as never)).rejects.toThrow(
      /the id of a fault .*, not an object/,
    );
    expect((await connectSandbox(`${mock.origin}/`).readState()).scenario).toBe('demo');
  });

  test('is whole when it has been asked to begin anew many times at once', async () => {
    const names = ['demo', 'empty', 'demo', 'empty', 'demo', 'empty'] as const;
    const states = await Promise.all(names.map((name) => mock.control.useScenario(name)));
    expect(states.map(({ scenario }) => scenario)).toEqual(names);
    const { scenario } = await mock.control.readState();
    expect((await call('/devices')).body.payload).toHaveLength(scenario === 'empty' ? 0 : 12);
    await mock.control.useScenario('demo');
  });

  test('names its clients where one is asked for that it has not', async () => {
    await expect(mock.token('demo-owm')).rejects.toThrow(/no such client\. .*demo-own/);
    await expect(mock.token('demo-partner')).rejects.toThrow(/owners sign in/);
    const wrong = [{ client: 'demo-own' }, ['demo-own']] as unknown as string[];
    for (const id of wrong)
      await expect(mock.token(id)).rejects.toThrow(
        /the id of a client .*token\('demo-own', .*, not a(n object| list)$/,
      );
    await expect(mock.token('demo-own', ['openid'] as unknown as string)).rejects.toThrow(/as text, .* not a list$/);
    await expect(mock.token('demo-own', 'serviceapi/nothing')).rejects.toThrow(/400 invalid_scope: .{10}/);
  });
});

test.each(['noon', 'June 1', '+020000-01-01T00:00:00Z', 8.64e15 + 1, -1e15, new Date(Number.NaN)])(
  'the clock %s is refused before anything listens, with what would do',
  async (clock) => {
    const refused = startMock({ clock });
    await expect(refused).rejects.toThrow(RangeError);
    await expect(refused).rejects.toThrow(/is not a valid time: .* 2026-06-01T12:00:00Z, .* from 1971 to 9990/);
  },
);

describe.each(['1971-01-01T00:00:00Z', '9990-12-31T23:59:59.999Z'])('at the limit of the clock, %s', (clock) => {
  const hour = 3_600_000;
  const inHours = (hours: number): string => {
    const first = Math.ceil(Date.parse(clock) / hour) + 1;
    return new Date((first + hours) * hour).toISOString().replace('.000Z', 'Z');
  };
  const start = (days: number) => ({ accessName: 'Guest', startDate: inHours(days * 24) });
  const longest = {
    hourly: (days: number) => ({ ...start(days), endDate: inHours(days * 24 + 672) }),
    daily: (days: number) => ({ ...start(days), endDate: inHours((days + 367) * 24) }),
    onetime: start,
    passage: (days: number) => ({ ...start(days), durationHours: 24 }),
    permanent: start,
  };

  const lock = { type: 'Lock', capabilities: { algoPin: true, passagePin: true } } as const;
  const [east, west] = ['66f0c2a4b1d3e5f708192a3b', '66f0c2a4b1d3e5f708192a3c'];
  const far: ImportFile = {
    account: { id: 'account-harbour-stays', name: 'Harbour Stays' },
    properties: [
      { id: east, name: 'East', timezone: 'Pacific/Auckland' },
      { id: west, name: 'West', timezone: 'Pacific/Honolulu' },
    ],
    devices: [
      { ...lock, deviceId: 'EAST', deviceName: 'East', properties: [east] },
      { ...lock, deviceId: 'WEST', deviceName: 'West', properties: [west] },
    ],
  };

  let ending: RunningSandbox;
  let own: string;
  beforeAll(async () => {
    ending = await startMock();
    own = await ending.token();
  });
  afterAll(() => ending.close());
  beforeEach(async () => {
    await ending.control.useScenario('demo');
    await ending.control.changeClock({ now: clock });
  });
  const send = (path: string, body: object) => call(path, { method: 'POST', body: JSON.stringify(body) }, ending, own);

  test.each(Object.entries(longest))('%s codes are good, at once and as far ahead as can be', async (kind, make) => {
    await ending.control.useScenario(far);
    await ending.control.changeClock({ now: clock });
    const atOnce = { accessName: 'Guest', ...(kind === 'passage' && { durationHours: 24 }) };
    for (const device of ['EAST', 'WEST'])
      for (const body of [atOnce, make(0), make(364)]) {
        const { status, body: answer } = await send(`/devices/${device}/algopin/${kind}`, body);
        expect({ status, answer }).toMatchObject({ status: 200 });
      }
  });

  test('a job runs, and lists and activity are read', async () => {
    const job = await send('/devices/LK2A00000001/jobs/bridges/BR1A00000001', { jobType: 'UNLOCK' });
    expect(job.status).toBe(200);
    const paths = ['/devices', '/devices/LK2A00000001', '/devices/LK2A00000001/activity', `/jobs/${job.body.jobId}`];
    for (const path of paths) expect((await call(path, {}, ending, own)).status).toBe(200);
  });

  test('a sandbox begins there, and again at a reset', async () => {
    await using other = await startMock({ clock, scenario: 'big' });
    const with_ = await other.token();
    expect((await call('/devices?limit=300', {}, other, with_)).status).toBe(200);
    expect((await call('/devices/LK2A00000001/activity', {}, other, with_)).status).toBe(200);
    // The clock continues into the next year.
    expect((await other.control.reset()).clock.now).toMatch(/^(1971|9990|9991)-/);
  });
});

test.each([
  { scenario: 'bigg', says: 'the scenario bigg is not known, did you mean big?' },
  { scenario: 'nope', says: 'the scenario nope is not known, known here: demo, empty, big, trial-over' },
  { scenario: '', says: 'known here: demo' },
  { scenario: 'toString', says: 'the scenario toString is not known' },
])('the scenario $scenario is refused with those that there are', async ({ scenario, says }) => {
  // As JavaScript callers pass them.
  await expect(startMock({ scenario: scenario as 'demo' })).rejects.toThrow(says);
});

test('a scenario is taken in each form that the control takes, at the start and later', async () => {
  const file: ImportFile = { account: { id: 'account-hilltop', name: 'Hilltop' } };
  await using begun = await startMock({ scenario: { import: file } });
  const own = () => begun.clients.at(-1)?.clientId;
  expect(own()).toBe('account-hilltop-own');
  expect((await begun.control.useScenario({ name: 'empty' })).scenario).toBe('empty');
  for (const form of [file, [file], { import: file }, { import: [file] }]) {
    await begun.control.useScenario('demo');
    await begun.control.useScenario(form);
    expect(own()).toBe('account-hilltop-own');
  }
  await expect(begun.control.useScenario({ name: 5 } as never)).rejects.toThrow(/^name must be a string/);
  await expect(startMock({ scenario: { name: 5 } as never })).rejects.toThrow(
    'the scenario 5 is not known, known here',
  );
  await expect(startMock({ scenario: null as never })).rejects.toThrow(
    /scenario must be a name, an import file as parsed JSON/,
  );
});

test('a scenario that is wrong is refused, and nothing is left listening', async () => {
  const account = { id: 'no id', name: 'Hilltop' };
  await expect(startMock({ scenario: { account } })).rejects.toThrow(/#\/account\/id/);
});

test('the message about a taken port has its code, and another port', async () => {
  const port = Number(new URL(mock.origin).port);
  const message = `Port ${port} on 127.0.0.1 is taken. Stop what listens there, or choose another: port: ${port + 1}`;
  await expect(startMock({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', message });
  const contract = { document: museumContract, operations: museumOperations };
  await expect(startMock({ contract, port })).rejects.toMatchObject({ message });
});

// Only for machines with a network.
const host = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
test.skipIf(host === undefined)('on an address of the network it is driven where its control is open', async () => {
  await using closed = await startMock({ ...(host && { host }) });
  await using opened = await startMock({ ...(host && { host }), isControlOpen: true });
  await expect(closed.control.readState()).rejects.toThrow(/is another machine/);
  expect((await opened.control.reset()).scenario).toBe('demo');
});

test('another contract has a control and worlds, within its options', async () => {
  const contract = { document: museumContract, operations: museumOperations };
  await using museum = await startMock({ contract, worlds: 1 });
  const world = museum.world('a');
  expect(await world.control.readState()).toMatchObject({ world: 'a', worlds: ['a'] });
  expect(world.origin).toBe(`${museum.origin}/w/a`);
  await expect(museum.world('b').control.readState()).rejects.toMatchObject({ status: 507, code: 'too_many_worlds' });
  await world.control.changeClock({ now: '2030-01-01T00:00:00Z', ticking: false });
  expect((await connectMock(world.origin).readClock()).now).toBe('2030-01-01T00:00:00.000Z');
  expect((await museum.control.readClock()).ticking).toBe(true);
  await museum.control.removeWorld('a');
  expect((await museum.control.readState()).worlds).toEqual([]);
  expect(() => museum.world('a b')).toThrow(/^the name of a world has/);
  await using closed = await startMock({ contract, control: false });
  await expect(closed.control.readState()).rejects.toMatchObject({ status: 404 });
});

test('another contract is answered as it documents', async () => {
  const contract = { document: museumContract, operations: museumOperations };
  await using museum = await startMock({ contract });
  const answer = await fetch(`${museum.origin}/museum/v2/exhibits`, { headers: { authorization: 'Bearer any' } });
  expect(answer.status).toBe(200);
  expect('clients' in museum).toBe(false);
});
