import { describe, expect, test } from 'vitest';
import { isObject } from '../contract/document.ts';
import { readContract, readContractFile } from '../contract/read-contract.ts';
import { builtPhases } from '../phases/phase.ts';
import { reports } from '../reports/reports.ts';
import { apis, runAgainst, testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { libraryKey } from '../seeded/library.ts';
import { clock, type Handler, serve, type TestAnswer, type TestRequest } from '../seeded/serve.ts';
import { weatherClient, weatherToken } from '../seeded/weather.ts';
import { runConformance } from './run-conformance.ts';

describe.each(['library', 'weather', 'depot'] as const)('%s:', (api) => {
  const sendsTheSame = async (other: number): Promise<void> => {
    const [one, ...others] = await Promise.all(
      [1, other].map(async (workers) => {
        const handle = apis[api].create();
        // Answers overtake each other differently in each run.
        const { log } = await runAgainst(
          api,
          async (request) => ({
            ...(await handle(request)),
            delayMs: ((request.path.length + request.method.length) * workers * 3) % 7,
          }),
          { workers, seed: 7, phases: builtPhases },
        );
        return log;
      }),
    );
    expect(one?.length).toBeGreaterThan(3);
    expect(others).toEqual([one]);
  };
  const same = 'the same requests in the same order for 1 and %d workers';
  test.each([16])(same, { tags: api === 'library' ? [] : ['full'] }, sendsTheSame);
  test.each([4])(same, { tags: ['full'] }, sendsTheSame);
});

/** The run without a budget, once for all rows. */
let unlimited: ReturnType<typeof runAgainst> | undefined;

test.each([1, 2, 3, 5, 20, 50, 200])(
  'sends no more than a budget of %d requests, and the same ones as without it',
  async (requests) => {
    const phases = builtPhases;
    const budget = { requests, milliseconds: undefined };
    unlimited ??= runAgainst('library', apis.library.create(), { phases });
    const whole = await unlimited;
    const cut = await runAgainst('library', apis.library.create(), { phases, budget });
    // The clean-up comes after the budget.
    expect(cut.result.requests).toBeLessThanOrEqual(requests);
    expect(cut.log).toEqual(whole.log.slice(0, requests));
    expect(cut.result.warnings.some(({ message }) => message.includes('budget'))).toBe(
      requests < whole.result.requests,
    );
  },
);

test('stops soon after its time is up', async () => {
  const handle = apis.library.create();
  const slowly = await runAgainst('library', async (request) => ({ ...(await handle(request)), delayMs: 150 }), {
    workers: 1,
    budget: { requests: undefined, milliseconds: 200 },
  });
  expect(slowly.result.requests).toBeLessThan(5);
  expect(slowly.result.warnings.map(({ message }) => message).join()).toContain('time is up');
});

test('a failure of the runner stops the run and keeps earlier findings', async () => {
  const contract = await readContractFile(apis.library.file);
  const served = await serve(() => ({ status: 500, body: {} }));
  let turns = 0;
  const onProgress = (): void => {
    turns += 1;
    if (turns === 2) throw new TypeError(`seeded ${libraryKey}`);
  };
  const result = await runConformance(contract, testOptions('library', served.origin), { onProgress });
  await served.close();
  expect([result.verdict, result.message]).toEqual([
    'failed',
    'The runner failed: TypeError: seeded ***. Earlier findings are valid.',
  ]);
  expect(result.findings.map(({ check }) => check)).toContain('server-error');
});

describe('no report and no log contains a secret', () => {
  const basic = Buffer.from(`${weatherClient.id}:${weatherClient.secret}`).toString('base64');
  const headers = [['X-Partner-Key', 'partner-key-31']] as const;

  interface Kind {
    readonly name: string;
    readonly api: 'library' | 'weather';
    readonly operation: string;
    /** Omitted if its answer would also reveal the secret. */
    readonly exclude?: readonly string[];
    /** Secrets in an exchange. Answers of the operation return them, so that findings could show them. */
    readonly carried: (request: TestRequest, answer: TestAnswer) => readonly string[];
  }

  const kinds: readonly Kind[] = [
    {
      name: 'the API key that the user gave',
      api: 'library',
      operation: 'listBooks',
      carried: ({ headers }) => (headers['x-library-key'] === libraryKey ? [libraryKey] : []),
    },
    {
      name: 'the client secret that the user gave',
      api: 'weather',
      operation: 'issueToken',
      carried: ({ headers }) => (headers.authorization === `Basic ${basic}` ? [weatherClient.secret, basic] : []),
    },
    {
      name: 'the access token that the server issued',
      api: 'weather',
      operation: 'listReadings',
      exclude: ['issueToken'],
      carried: ({ headers }) => (headers.authorization === `Bearer ${weatherToken}` ? [weatherToken] : []),
    },
    {
      name: 'a header that the user gave',
      api: 'library',
      operation: 'listBooks',
      carried: ({ headers }) => [headers['x-partner-key']].flatMap((key) => key ?? []),
    },
    {
      name: 'a sensitive value in an answer',
      api: 'library',
      operation: 'enrolReader',
      carried: (_, { body }) => (isObject(body) && 'pass' in body ? [String(body.pass)] : []),
    },
  ];

  test.each(kinds)('$name', async ({ api, operation, exclude = [], carried }) => {
    const handle = apis[api].create();
    const secrets = new Set<string>();
    const leak: Handler = async (request) => {
      const answer = await handle(request);
      const own = carried(request, answer);
      for (const secret of own) secrets.add(secret);
      if (own.length === 0 || !isObject(answer.body) || answer.status >= 300) return answer;
      // First in the body, where an excerpt does not cut it off, and wrong at a member of each operation.
      return { ...answer, body: { leak: own, ...answer.body, id: -1, unit: 0, items: 0, expires_in: 0 } };
    };
    const { result, log, contract } = await runAgainst(api, leak, { selection: { only: [], exclude }, headers });
    expect(secrets.size).toBeGreaterThan(0);
    const shown = result.findings.filter((finding) => finding.operation === operation);
    expect(shown.map(({ answered }) => answered).join()).toMatch(/"leak":\["\*\*\*"/);
    const context = { exitCode: 1, contract, failures: [], root: '' };
    const texts = [...Object.values(reports).map(({ format }) => format(result, context)), log.join('\n')];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(7);
      for (const spelling of [secret, encodeURIComponent(secret), btoa(secret)]) {
        expect(texts.filter((text) => text.includes(spelling))).toEqual([]);
      }
    }
  });
});

test('shows the password that the run generated, so that its request can be sent again', async () => {
  const handle = apis.library.create();
  const passwords = new Set<string>();
  const { result } = await runAgainst('library', async (request) => {
    if (!request.path.endsWith('/readers')) return handle(request);
    const { password } = JSON.parse(request.body);
    passwords.add(password);
    return { status: 500, body: { password } };
  });
  const [finding] = result.findings;
  const password = [...passwords].find((one) => finding?.sent.includes(one));
  expect(password).toBeDefined();
  expect([finding?.curl, finding?.sent, finding?.answered]).toEqual(
    Array.from({ length: 3 }, () => expect.stringContaining(`"password":"${password}"`)),
  );
});

test('reports only findings of the selected checks', async () => {
  const handle = apis.library.create();
  const broken: Handler = async (request) => {
    const answer = await handle(request);
    return request.path === '/v2/motto' ? { ...answer, status: 500 } : { ...answer, headers: {} };
  };
  const all = await runAgainst('library', broken);
  const one = await runAgainst('library', broken, { checks: ['server-error'] });
  expect(new Set(all.result.findings.map(({ check }) => check)).size).toBeGreaterThan(1);
  expect(one.result.findings.map(({ check, operation }) => [check, operation])).toEqual([
    ['server-error', 'readMotto'],
  ]);
  expect(new Set(one.result.obligations.map(({ check }) => check))).toEqual(new Set(['baseline', 'server-error']));
});

test('reports the time of a finding, relative to the run', async () => {
  const handle = apis.library.create();
  const { result } = await runAgainst('library', async (request) => ({ ...(await handle(request)), status: 500 }));
  for (const { detectedAtMs } of result.findings) {
    expect(detectedAtMs).toBeGreaterThanOrEqual(0);
    expect(detectedAtMs).toBeLessThanOrEqual(result.durationMs);
  }
  expect(result.findings.length).toBeGreaterThan(0);
});

test.each([
  ['abc-1234', []],
  ['kept-secret-77', ['sensitive-leak']],
])(
  'a secret %s in another answer, where the contract shows abc-1234 as an example, is reported as %j',
  async (secret, want) => {
    const answer = (properties: object) => ({
      200: { description: 'OK', content: { 'application/json': { schema: { type: 'object', properties } } } },
    });
    const token = { type: 'string', format: 'password', 'x-sensitive': true, example: 'abc-1234' };
    const shown = contractOf({
      '/keys': { get: { operationId: 'listKeys', responses: answer({ token }) } },
      '/notes': { get: { operationId: 'listNotes', responses: answer({ note: { type: 'string' } }) } },
    });
    const served = await serve(({ path }) => ({
      status: 200,
      body: path === '/keys' ? { token: secret } : { note: secret },
    }));
    const options = testOptions('library', served.origin, { baseUrl: served.origin, authUrl: undefined });
    const { findings } = await runConformance(shown, { ...options, checks: ['sensitive-leak'] });
    await served.close();
    expect(findings.map(({ check }) => check)).toEqual(want);
  },
);

test('never sends a request with an effect that was not allowed', async () => {
  const { served, result } = await runAgainst('weather', apis.weather.create(), {
    permissions: { effects: [], readOnly: false, writes: 'all' },
  });
  expect(served.requests.filter((request) => request.includes('reset'))).toEqual([]);
  expect(result.warnings.map(({ message }) => message).join()).toContain('--allow-effects remote');
});

test('sends only reads under --read-only', async () => {
  const { served } = await runAgainst('library', apis.library.create(), {
    permissions: { effects: [], readOnly: true, writes: 'all' },
  });
  expect(served.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  expect(served.requests.length).toBeGreaterThan(2);
});

test('changes and deletes only objects that it created', async () => {
  const { served } = await runAgainst('library', apis.library.create(), {
    permissions: { effects: [], readOnly: false, writes: 'owned' },
  });
  const writes = served.requests.filter((request) => /^(PUT|DELETE)/.test(request));
  expect(writes).toEqual(['PUT /v2/books/b3', 'DELETE /v2/books/b3']);
});

test('does not change a foreign book if it has no own book', async () => {
  const handle = apis.library.create();
  const read = async (): Promise<unknown> =>
    (
      await handle({
        method: 'GET',
        path: '/v2/books',
        query: new URLSearchParams(),
        headers: { 'x-library-key': libraryKey },
        body: '',
      })
    ).body;
  const before = await read();
  const { served } = await runAgainst('library', handle, { selection: { only: [], exclude: ['addBook'] } });
  expect(served.requests.filter((request) => /^(PUT|DELETE)/.test(request))).toEqual(['PUT /v2/books/b1']);
  expect(await read()).toEqual(before);
});

test('a key that the user gave as a header is a credential: no request with it counts as anonymous, and no report shows it', async () => {
  const { result, log, contract } = await runAgainst('library', createBroken(), {
    credentials: { token: undefined, clientId: undefined, clientSecret: undefined },
    headers: [['x-library-key', libraryKey]],
  });
  expect(result.coverage.reached).toBeGreaterThan(3);
  expect(result.findings.length).toBeGreaterThan(0);
  const context = { exitCode: 1, contract, failures: [], root: '' };
  const texts = [...Object.values(reports).map(({ format }) => format(result, context)), log.join('\n')];
  expect(texts.join()).not.toContain('without credentials');
  expect(texts.filter((text) => text.includes(libraryKey))).toEqual([]);
});

function createBroken(): Handler {
  const handle = apis.library.create();
  return async (request) =>
    request.path === '/v2/books' && request.method === 'GET' ? dropHeaders(await handle(request)) : handle(request);
}

function dropHeaders(answer: TestAnswer): TestAnswer {
  return { ...answer, headers: { 'content-type': 'application/json' } };
}

test('reports that nothing was tested if the server rejected the key every time', async () => {
  const { result } = await runAgainst('library', apis.library.create(), {
    credentials: { token: 'wrong-key', clientId: undefined, clientSecret: undefined },
  });
  expect([result.verdict, result.findings]).toEqual(['nothing-tested', []]);
});

test('names the missing answers of an accepted operation in words', async () => {
  const { result } = await runAgainst('library', apis.library.create());
  const open = result.obligations.flatMap(({ operation, check, reason }) =>
    reason === undefined ? [] : [`${operation} ${check}: ${reason}`],
  );
  expect(open.sort()).toEqual([
    'addBook internals-leaked: no 4xx or 5xx answer was seen',
    'enrolReader internals-leaked: no 4xx or 5xx answer was seen',
    'listBooks internals-leaked: no 4xx or 5xx answer was seen',
    'readBook internals-leaked: no 4xx or 5xx answer was seen',
    'readMotto body-schema: no response 200 application/json was seen',
    'readMotto internals-leaked: no 4xx or 5xx answer was seen',
    'readMotto write-only-exposed: no response 200 with JSON and a schema was seen',
    'removeBook internals-leaked: no 4xx or 5xx answer was seen',
    'replaceBook internals-leaked: no 4xx or 5xx answer was seen',
  ]);
});

test('looks for a better address without credentials, within the rest of the budget', async () => {
  const handle = apis.library.create();
  const keys: unknown[] = [];
  const budget = { requests: 6, milliseconds: undefined };
  const served = await serve((request) => {
    if (request.path === '/v2/books') keys.push(request.headers['x-library-key']);
    return request.path.startsWith('/v2/') ? handle(request) : { status: 404 };
  });
  const contract = await readContractFile(apis.library.file);
  const run = (requests: number) =>
    runConformance(contract, {
      ...testOptions('library', served.origin),
      baseUrl: `${served.origin}/x`,
      budget: { ...budget, requests },
    });
  const [spent, enough] = [await run(1), await run(100)];
  await served.close();
  expect([spent.verdict, spent.requests, enough.verdict]).toEqual(['wrong-address', 1, 'wrong-address']);
  expect(spent.fix).not.toContain('Did you mean');
  expect(enough.fix).toContain(`Did you mean --base-url ${served.origin}/v2?`);
  expect(keys).toEqual([undefined]);
});

describe('an API that is recognizable at only one operation has defects, not a wrong address', () => {
  const page: TestAnswer = { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Welcome</p>' };
  const rows: readonly { name: string; answer: (request: TestRequest, own: TestAnswer) => TestAnswer }[] = [
    { name: 'a page except at one operation', answer: ({ path }, own) => (path === '/v2/motto' ? own : page) },
    { name: 'a page at one operation', answer: ({ path }, own) => (path === '/v2/motto' ? page : own) },
    {
      name: 'a redirect everywhere except at one operation',
      answer: ({ path }, own) => (path === '/v2/motto' ? own : { status: 301, headers: { location: '/x' } }),
    },
    {
      name: 'JSON with the media type of text',
      answer: (_, own) => ({ ...own, headers: { ...own.headers, 'content-type': 'text/css' } }),
    },
    { name: 'pages with status 500', answer: () => ({ ...page, status: 500 }) },
  ];
  test.each(rows)('$name', async ({ answer }) => {
    const handle = apis.library.create();
    const { result } = await runAgainst('library', async (request) => answer(request, await handle(request)));
    expect(result.verdict).toBe('defects');
    expect(result.findings.length).toBeGreaterThan(0);
  });

  test('pages that reject the credentials', async () => {
    const { result } = await runAgainst('library', () => ({ ...page, status: 401 }));
    expect(result.verdict).not.toBe('wrong-address');
  });

  test('a page for a response without declared content', async () => {
    const contract = readContract(
      'ping.yaml',
      "openapi: 3.1.0\ninfo: {title: Ping, version: '1'}\npaths: {/ping: {get: {responses: {'200': {description: Up}}}}}",
    );
    const served = await serve(() => page);
    const result = await runConformance(contract, testOptions('library', served.origin));
    await served.close();
    expect([result.verdict, result.coverage.reached]).toEqual(['passed', 1]);
  });
});

test('a redirect to a login, or to nowhere, names no better address', async () => {
  for (const location of ['https://login.example/start?back=/v2', undefined]) {
    const headers = location === undefined ? {} : { location };
    const { result } = await runAgainst('library', () => ({ status: 302, headers }));
    expect(result.verdict).toBe('wrong-address');
    expect(result.message).toContain(
      location === undefined ? 'was 302, which' : 'was 302 to https://login.example/start,',
    );
    expect(result.fix).not.toContain('Did you mean');
  }
});

test('pages for paths with ids are a wrong address too, and count as no coverage', async () => {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const { result } = await runAgainst('library', () => ({ status: 200, headers: html, body: '<p>Welcome</p>' }), {
    selection: { only: ['readBook'], exclude: [] },
  });
  expect([result.verdict, result.coverage.reached, result.findings]).toEqual(['wrong-address', 0, []]);
  expect(result.fix).toContain('the address below which the server has the API');
});

test('an undocumented 2xx is a defect and an acceptance: its ids are used, its body is not judged', async () => {
  const handle = apis.library.create();
  const { result, log, served } = await runAgainst('library', async (request) => {
    const answer = await handle(request);
    if (request.method !== 'POST' || request.path !== '/v2/books') return answer;
    return { ...answer, status: 202, body: { ...(answer.body as object), title: 7 } };
  });
  expect(result.coverage.operations.filter(({ isReached }) => !isReached)).toEqual([]);
  expect(result.findings.map(({ check, operation }) => [check, operation])).toEqual([
    ['status-undocumented', 'addBook'],
  ]);
  const search = log.slice(0, log.length - result.shrinkRequests);
  expect(search.filter((line) => line.startsWith('addBook'))).toHaveLength(1);
  expect(served.requests).toContain('DELETE /v2/books/b3');
});

test('asks the user to check the address if all paths had ids: either may be wrong', async () => {
  const { result } = await runAgainst('library', () => ({ status: 404, body: { reason: 'none' } }), {
    selection: { only: ['readBook'], exclude: [] },
  });
  expect(result.verdict).toBe('nothing-tested');
  expect(result.message).toContain('was 404');
});

test('reports that nothing listens', async () => {
  const served = await serve(() => ({ status: 200 }));
  await served.close();
  const contract = await readContractFile(apis.library.file);
  const result = await runConformance(contract, testOptions('library', served.origin));
  expect(result.verdict).toBe('unreachable');
});

test('fetches a token once, and once more when it expires during the run', async () => {
  const handle = apis.weather.create();
  let calls = 0;
  const { served, result } = await runAgainst('weather', async (request) => {
    if (request.path.includes('readings')) calls += 1;
    const ended = { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } };
    return calls === 1 && request.path.includes('readings') ? ended : await handle(request);
  });
  expect(result.findings).toEqual([]);
  expect(result.coverage.reached).toBe(4);
  // Two for the run, one to test the operation itself.
  expect(served.requests.filter((request) => request === 'POST /oauth/token')).toHaveLength(3);
});

test('a key that expires during a run cuts it short, and no operation is blamed', async () => {
  const handle = apis.library.create();
  const used: string[] = [];
  const { result } = await runAgainst(
    'library',
    async (request) => {
      const key = request.headers['x-library-key'];
      if (key === undefined) return await handle(request);
      used.push(request.path);
      return await handle(used.length === 1 ? request : { ...request, headers: {} });
    },
    { permissions: { effects: [], readOnly: true, writes: 'restore' } },
  );
  expect([result.verdict, result.findings]).toEqual(['cut-short', []]);
  const warning = result.warnings.find(({ message }) => message.includes('no longer accepts the credentials'));
  expect(warning?.fix).toBe('Pass a token that lasts for the run, or a client that fetches new ones.');
});

test('waits for the time in Retry-After', async () => {
  const handle = apis.weather.create();
  let rejectedAt = 0;
  const waits: number[] = [];
  await runAgainst('weather', (request) => {
    if (!request.path.includes('readings')) return handle(request);
    if (rejectedAt > 0) waits.push(clock.now() - rejectedAt);
    if (rejectedAt > 0) return handle(request);
    rejectedAt = clock.now();
    return { status: 429, headers: { 'retry-after': '1' } };
  });
  expect(waits[0]).toBeGreaterThan(990);
});

test.each(['library', 'depot'] as const)('%s: each check is tried within 300 requests', async (api) => {
  const budget = { requests: 300, milliseconds: undefined };
  const { result } = await runAgainst(api, apis[api].create(), { phases: builtPhases, budget });
  const byCheck = Map.groupBy(result.obligations, ({ check }) => check);
  const untried = [...byCheck].filter(([, all]) => all.every(({ state }) => state === 'not reached'));
  expect(untried.map(([check]) => check)).toEqual([]);
});
