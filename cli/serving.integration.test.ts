import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Running } from '@lockstep/runtime/run-until-stopped';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { explain, type MockCommandOptions, mock } from './commands/mock.ts';
import { type ServeOptions, serve } from './commands/serve.ts';
import { keepPrinted } from './fixtures/keep-printed.ts';
import { lockstepHere } from './fixtures/lockstep-here.ts';

// If these fail, users can't start a server or a mock of their own contract.

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const museum = fileURLToPath(new URL('../toolkit/fixtures/museum/contract.yaml', import.meta.url));
const kiosk = fileURLToPath(new URL('fixtures/kiosk.yaml', import.meta.url));
const museumHandlers = fileURLToPath(new URL('fixtures/museum-handlers.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lockstep-cli-'));
const running = new Set<ChildProcess>();

/** Servers within this process. */
const listening: Running[] = [];
const commands = { serve, mock };

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(listening.splice(0).map((one) => one.close()));
});
const home = process.cwd();
// Paths of files are relative to that folder.
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly error: () => string;
  readonly exit: Promise<number | null>;
}

function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Run {
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: { ...process.env, ...environment } });
  running.add(child);
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    error += chunk;
  });
  const exit = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code;
  });
  return { child, out: () => out, error: () => error, exit };
}

async function untilPrinted({ child, out, error }: Run, text: string): Promise<void> {
  while (!out().includes(text)) {
    if (child.exitCode !== null) throw new Error(`ended: ${out()} ${error()}`);
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'close')]);
  }
}

type MockOptions = Pick<MockCommandOptions, 'stateless' | 'token'>;

/** The command within this process, on a port of its own, until the end of the test. */
async function listen(
  command: keyof typeof commands,
  more: Pick<ServeOptions, 'contract' | 'handlers' | 'json'> & MockOptions,
) {
  const { streams, out, error } = keepPrinted();
  const logger = pino({ level: 'warn' }, { write: (line: string) => void streams.error.write(line) });
  const options = { port: 0, host: '127.0.0.1', checkResponses: true, ...more };
  listening.push(await commands[command](options, { logger, streams, stopping: new AbortController().signal }));
  return { out, error };
}

/** Its line of JSON, its log, and its answers. */
async function start(command: keyof typeof commands, contract: string, handlers?: string, more: MockOptions = {}) {
  const { out, error } = await listen(command, {
    contract,
    json: true,
    ...(handlers !== undefined && { handlers }),
    ...more,
  });
  const said = JSON.parse(out());
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(said.origin + path, init);
    const text = await answer.text();
    const type = answer.headers.get('content-type') ?? '';
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: type.includes('json') ? JSON.parse(text) : undefined,
    };
  };
  return { error, said, ask };
}

const badge = (password: string) => ({ headers: { authorization: `Basic ${btoa(`ada:${password}`)}` } });

describe('serve without handlers', () => {
  test('answers 501 behind credentials and form, with a page and a sign of life', async () => {
    const { said, ask } = await start('serve', museum);
    expect(said).toMatchObject({ kind: 'Server', title: 'Museum store 2.4.0', operations: 10, implemented: 0 });
    expect(said.addresses).toEqual([{ url: `${said.origin}/store/v2`, operations: 10 }]);
    expect(await ask('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await ask('/store/v2/artefacts')).toMatchObject({
      status: 501,
      body: { detail: 'not implemented yet: listArtefacts' },
    });
    expect((await ask('/store/v2/artefacts?room=x')).status).toBe(400);
    expect((await ask('/store/v2/artefacts/on-loan')).status).toBe(401);
    expect((await ask('/store/v2/artefacts/on-loan', badge('anything'))).status).toBe(501);
    expect((await ask('/nowhere')).status).toBe(404);
  });

  test('shows every operation on a page that loads nothing and holds no markup of the contract', async () => {
    const { ask } = await start('serve', kiosk);
    const { status, headers, text } = await ask('/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('<h1>Server of Kiosk &lt;b&gt;&amp;amp; co&lt;/b&gt; 1</h1>');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toMatch(/<script|<b>|src=|@import/);
    for (const path of ['/shop/v3/papers', '/archive/papers/{name}', '/till'])
      expect(text).toContain(`<code>${path}</code>`);
    expect(text.match(/not yet: 501/g)).toHaveLength(3);
    expect((await ask('/', { method: 'HEAD' })).status).toBe(200);
    expect((await ask('/', { method: 'POST' })).status).toBe(404);
  });

  test('serves OpenAPI 3.0 below each of its base paths, and prints its decisions', async () => {
    const { said, ask } = await start('serve', kiosk);
    expect(said.addresses).toEqual(
      expect.arrayContaining(['', '/archive', '/shop/v3'].map((path) => ({ url: said.origin + path, operations: 1 }))),
    );
    expect(said.notices.map(({ message }: { message: string }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining('2 servers'), expect.stringContaining('getPapersName')]),
    );
    expect((await ask('/till', { method: 'POST' })).status).toBe(501);
    expect((await ask('/shop/v3/papers')).status).toBe(401);
    expect((await ask('/shop/v3/papers', { headers: { cookie: 'sid=x' } })).status).toBe(501);
    expect((await ask('/archive/papers/a')).status).toBe(401);
    expect(await ask('/archive/papers/Evening?key=x')).toMatchObject({
      status: 501,
      body: { message: expect.stringMatching(/^not implemented yet: /) },
    });
  });
});

describe('serve without handlers, of operations with the names that every object has', () => {
  test.each(['toString', 'constructor', 'hasOwnProperty'])('answers %s with 501', async (operationId) => {
    const file = join(folder, `${operationId}.json`);
    const paths = { '/a': { get: { operationId, responses: { 200: { description: 'Fine' } } } } };
    writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths }));
    const { ask } = await start('serve', file);
    expect((await ask('/a')).status).toBe(501);
  });
});

describe('serve with handlers', () => {
  test('answers by them, behind their checks, and holds the answers against the contract', async () => {
    const { said, ask, error } = await start('serve', museum, museumHandlers);
    expect(said.implemented).toBe(2);
    expect((await ask('/store/v2/artefacts/on-loan', badge('wrong'))).status).toBe(401);
    const loans = await ask('/store/v2/artefacts/on-loan', badge('open sesame'));
    expect([loans.status, loans.body[0].name]).toEqual([200, 'Vase of ada']);
    expect(await ask('/store/v2/artefacts/0192-b')).toMatchObject({ status: 200, body: { name: 'Bell' } });
    // The second answer of the handler has no name: it breaks the contract.
    expect((await ask('/store/v2/artefacts/0193-m')).status).toBe(500);
    expect(error()).toContain('the answer breaks the contract');
    expect((await ask('/store/v2/artefacts')).status).toBe(501);
    const page = await ask('/');
    expect([page.text.match(/>implemented</g)?.length, page.text.match(/not yet: 501/g)?.length]).toEqual([2, 8]);
  });

  const faults: readonly { name: string; code: string; message: (string | RegExp)[] }[] = [
    {
      name: 'an operation that the contract does not have',
      code: 'export const handlers = { readArtefct: () => ({ status: 200 }) };',
      message: ['handlers.readArtefct: the contract has no operation readArtefct. Did you mean readArtefact?'],
    },
    {
      name: 'a scheme without a check',
      code: 'export const handlers = { listArtefactsOnLoan: () => ({ status: 200 }) };',
      message: [
        'the contract protects it by the security scheme Badge, but security has no check for it. Write one:',
        "import { basic } from '@lockstep/runtime/security/scheme';",
        'export const security = { Badge: basic(({ username, password })',
      ],
    },
    {
      name: 'every fault at once',
      code: 'export const handlers = { readArtefact: 5, nothing: null };\nexport const security = { Bagde: {}, Seal: {} };',
      message: [
        'handlers.readArtefact is a number, not a function',
        'the contract has no operation nothing',
        'the contract has no security scheme Bagde. Did you mean Badge?',
        'security.Seal is a object: write Seal: apiKey(',
      ],
    },
    {
      name: 'no handlers',
      code: 'export const handler = {};',
      message: ['exports no handlers: write export const handlers = {'],
    },
    {
      name: 'handlers that are a list',
      code: 'export const handlers = [];',
      message: ['handlers is a list, not an object by operationId'],
    },
    {
      name: 'a syntax error, with its line',
      code: '\n\nexport const = 5;',
      message: [/h\.ts:3.*: the handlers cannot be loaded: SyntaxError/],
    },
    {
      name: 'a module that throws',
      code: "\nthrow new Error('no database');",
      message: [/h\.ts:2:7: the handlers cannot be loaded: Error: no database/],
    },
    {
      name: 'a module that throws what is no error',
      code: 'throw null;',
      message: [/h\.ts: the handlers cannot be loaded: null was thrown$/m],
    },
    {
      name: 'an import of nothing',
      code: "import './gone.ts';",
      message: ['the handlers cannot be loaded: Error: Cannot find module'],
    },
  ];
  test.each(faults)('refuses $name', async ({ code, message }) => {
    const file = join(mkdtempSync(join(folder, 'h-')), 'h.ts');
    writeFileSync(file, code);
    const {
      code: exitCode,
      out,
      error,
    } = await lockstepHere(['serve', '--contract', museum, '--port', '0', '--handlers', file]);
    expect([exitCode, out]).toEqual([2, '']);
    for (const text of message)
      expect(error).toMatch(typeof text === 'string' ? new RegExp(RegExp.escape(text)) : text);
    expect(error).not.toMatch(/^ +at /m);
  });

  test('refuses a file that is not there, and hears no signals from then on', async () => {
    const heard = process.listenerCount('SIGINT');
    const { code, error } = await lockstepHere(['serve', '--contract', museum, '--port', '0', '--handlers', 'gone.ts']);
    expect([code, error]).toEqual([2, 'gone.ts: the file does not exist. Name a module with --handlers.\n']);
    expect(process.listenerCount('SIGINT')).toBe(heard);
  });
});

describe('security schemes that no request shows', () => {
  const contract = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Bank', version: '1' },
    paths: {
      '/': { get: { operationId: 'front', responses: { 204: { description: 'Here' } } } },
      '/vault': {
        get: { operationId: 'vault', security: [{ card: [] }], responses: { 204: { description: 'Open' } } },
      },
      '/desk': {
        get: {
          operationId: 'desk',
          security: [{ card: [] }, { digest: [] }, { login: [] }],
          responses: { 204: { description: 'Open' } },
        },
      },
    },
    components: {
      securitySchemes: {
        card: { type: 'mutualTLS' },
        digest: { type: 'http', scheme: 'digest' },
        login: { type: 'openIdConnect', openIdConnectUrl: 'https://login.example/.well-known/openid-configuration' },
      },
    },
  });
  const file = join(folder, 'bank.json');
  writeFileSync(file, contract);

  test.each(['serve', 'mock'] as const)(
    '%s starts, reports it, and requires the credentials that a request can contain',
    async (command) => {
      const { said, ask } = await start(command, file);
      const message = said.notices.map((notice: { message: string }) => notice.message);
      expect(message).toContain(
        'no request contains the security scheme card (mutualTLS), so it is not required: vault would be open to anybody',
      );
      const good = command === 'mock' ? 204 : 501;
      expect((await ask('/vault')).status).toBe(good);
      expect((await ask('/desk')).status).toBe(401);
      expect((await ask('/desk', { headers: { authorization: 'Digest username="a"' } })).status).toBe(good);
      expect((await ask('/desk', { headers: { authorization: 'Bearer a' } })).status).toBe(good);
      // The contract has a path / of its own.
      expect(message).toContain('the start page is at /_start: the contract has / itself');
      expect((await ask('/')).status).toBe(good);
      expect((await ask('/_start')).text).toContain('<!doctype html>');
    },
  );

  test.each([5, '{ judge: () => ({}), takes: "bearer" }'])('serve takes no check for one: %s', async (value) => {
    const handlers = join(mkdtempSync(join(folder, 'h-')), 'card.ts');
    writeFileSync(handlers, `export const handlers = {};\nexport const security = { card: ${value} };`);
    const { code, error } = await lockstepHere(['serve', '--contract', file, '--port', '0', '--handlers', handlers]);
    expect([code, error]).toEqual([
      2,
      `${handlers}: security.card: no request contains the security scheme card, so nothing can check it. Delete it.\n`,
    ]);
  });

  test('serve lets nobody into what only such a scheme protects', async () => {
    const handlers = join(folder, 'bank.ts');
    writeFileSync(handlers, 'export const handlers = { vault: () => ({ status: 204 }) };');
    const { code, error } = await lockstepHere(['serve', '--contract', file, '--port', '0', '--handlers', handlers]);
    expect([code, error]).toEqual([
      2,
      expect.stringContaining('by the security scheme card, which no request contains'),
    ]);
  });
});

describe('mock', () => {
  test('answers the examples of a 3.0 contract, to pages of any origin, with a page that shows how to call', async () => {
    const { said, ask } = await start('mock', kiosk);
    expect(said).toMatchObject({ kind: 'Mock', operations: 3 });
    expect(said.notices).toContainEqual({
      message: expect.stringMatching(
        /^the example default of listPapers 404 breaks its schema and is replaced by a generated value/,
      ),
      ...{ file: kiosk, line: 15, column: expect.any(Number) },
      pointer: '#/paths/~1papers/get/responses/404/content/application~1json/example',
    });
    const headers = { cookie: 'sid=x', origin: 'https://page.example' };
    const papers = await ask('/shop/v3/papers', { headers });
    // The list has the items of all examples.
    const items = [
      { name: 'Morning', price: null },
      { name: 'Evening', price: 2 },
    ];
    expect([papers.status, papers.body]).toEqual([200, items]);
    expect(papers.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await ask('/shop/v3/papers', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization, x-odd',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, x-odd');
    expect((await ask('/shop/v3/papers', { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    const { text } = await ask('/');
    expect(text).toContain('Prefer: code=404');
    expect(text).toContain(`<a href="${said.origin}/archive/papers/`);
    expect(text).not.toContain('not yet');
    expect((await ask('/healthz')).status).toBe(200);
  });

  test('remembers what is deleted, unless it stores nothing or the documented answer is requested', async () => {
    const file = join(mkdtempSync(join(folder, 'n-')), 'notes.json');
    const note = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, text: { type: 'string' } },
    };
    const shown = {
      description: 'One',
      content: { 'application/json': { schema: note, example: { id: 7, text: 'x' } } },
    };
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }];
    const missing = { description: 'Unknown' };
    const paths = {
      '/notes': { post: { operationId: 'add', responses: { 201: shown } } },
      '/notes/{id}': {
        parameters,
        get: { operationId: 'read', responses: { 200: shown, 404: missing } },
        delete: { operationId: 'remove', responses: { 204: { description: 'Gone' }, 404: missing } },
      },
    };
    writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'Notes', version: '1' }, paths }));
    const removeThenRead = async ({ ask }: Awaited<ReturnType<typeof start>>) => [
      (await ask('/notes/7')).status,
      (await ask('/notes/7', { method: 'DELETE' })).status,
      (await ask('/notes/7')).status,
      (await ask('/notes/7', { headers: { prefer: 'code=200' } })).status,
    ];
    expect(await removeThenRead(await start('mock', file))).toEqual([200, 204, 404, 200]);
    const forgetting = await start('mock', file, undefined, { stateless: true });
    expect(await removeThenRead(forgetting)).toEqual([200, 204, 200, 200]);
    expect(forgetting.said.notes).toContainEqual(expect.stringContaining('The mock stores nothing'));
  });

  test('accepts only the credentials that are named', async () => {
    const { ask } = await start('mock', kiosk, undefined, { token: ['k1', 'k2'] });
    const statuses = ['k1', 'k2', 'k3'].map(async (key) => (await ask(`/archive/papers/Evening?key=${key}`)).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
  });

  test('lists the role of each operation, and the reason', async () => {
    const { json, text } = await explain({ contract: kiosk, port: 0, host: '127.0.0.1' });
    const resource = '/archive/papers';
    expect(json).toEqual({
      roles: [
        { operationId: 'openTill', role: 'none', why: 'no operation reads what it changes' },
        { operationId: 'getPapersName', role: 'read', resource, why: `GET of an item of ${resource}` },
        { operationId: 'listPapers', role: 'list', resource, why: `it answers a list of the items of ${resource}` },
      ],
    });
    expect(text.split('\n')[0]).toMatch(/^openTill +none +no operation reads what it changes$/);
  });

  test('prints lines that work as they are, in a shell', async () => {
    const { said } = await start('mock', kiosk);
    const [{ command }] = said.samples;
    const out = await new Promise((resolve) => execFile('sh', ['-c', command], (_, stdout) => resolve(stdout)));
    expect(out).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

describe.each(['serve', 'mock'] as const)('%s', (command) => {
  test('reads a contract from an address', async () => {
    const host = createServer((_, response) => response.end(readFileSync(museum))).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const { port } = host.address() as AddressInfo;
    const { said } = await start(command, `http://127.0.0.1:${port}/museum.yaml`);
    expect(said.operations).toBe(10);
    host.close();
  });

  test('prints nothing of a contract that steers a terminal', async () => {
    const file = join(mkdtempSync(join(folder, 'c-')), 'odd.json');
    const operation = { operationId: 'a\u001b[31m', responses: { 200: { description: 'Fine' } } };
    const info = { title: 'Red\u001b]0;owned\u0007 \u202elamp\nlit', version: '1' };
    writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info, paths: { '/a': { get: operation } } }));
    const { out, error } = await listen(command, { contract: file });
    expect(out()).toMatch(/^(Server|Mock) of Red\\u001b\]0;owned\\u0007 \\u202elamp lit 1 on http/);
    expect(out() + error()).not.toMatch(/[\p{C}--[\n\t]]/v);
  });

  test('gives the place in a contract of any size', async () => {
    const file = join(mkdtempSync(join(folder, 'c-')), 'long.json');
    const filler = { 'x-filler': 'word '.repeat(300_000) };
    const schema = { type: 'string', pattern: '(' };
    const parameters = [{ name: 'q', in: 'query', schema }];
    const paths = { '/a': { get: { operationId: 'a', parameters, responses: { 200: { description: 'Fine' } } } } };
    const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, ...filler, paths };
    writeFileSync(file, JSON.stringify(document, null, 1));
    const { said } = await start(command, file);
    expect(said.notices).toContainEqual(expect.objectContaining({ line: 18, column: 8 }));
  });

  // One function of the command line runs both commands. Every test run covers its handling of signals and of the log once each.
  const full = { tags: ['full'] };
  test('lists the levels of the log', command === 'serve' ? {} : full, async () => {
    const { exit, out, error } = run([command, '--contract', museum, '--port', '0'], { LOG_LEVEL: 'bogus' });
    expect([await exit, out(), error()]).toEqual([
      2,
      '',
      'LOG_LEVEL=bogus is not a level. Choose one of trace, debug, info, warn, error, fatal or silent.\n',
    ]);
  });

  test('starts with nothing to call, and reports it', async () => {
    const file = join(folder, 'empty.json');
    const webhooks = { told: { post: { operationId: 'told', responses: { 204: { description: 'Heard' } } } } };
    writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'Calls', version: '1' }, webhooks }));
    const { said, ask } = await start(command, file);
    expect(said).toMatchObject({ operations: 0, addresses: [] });
    expect(said.notices[0].message).toContain('the contract has no operation');
    expect([(await ask('/')).status, (await ask('/healthz')).status]).toEqual([200, 200]);
  });

  const signals = { serve: ['SIGINT', 'SIGTERM'], mock: ['SIGTERM', 'SIGINT'] } as const;
  const [seen, other] = signals[command];
  test(`stops in order on ${seen}, also while it starts`, () => stopsInOrder(seen));
  test(`stops in order on ${other}, also while it starts`, full, () => stopsInOrder(other));

  async function stopsInOrder(signal: NodeJS.Signals): Promise<void> {
    const started = run([command, '--contract', museum, '--port', '0']);
    await untilPrinted(started, 'Ctrl-C');
    started.child.kill(signal);
    expect(await started.exit).toBe(0);
    // The start lasts while it waits for the contract.
    const host = createServer((_, response) => {
      starting.child.kill(signal);
      starting.child.stderr?.once('data', () => response.end(readFileSync(museum)));
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const contract = `http://127.0.0.1:${(host.address() as AddressInfo).port}/museum.yaml`;
    const starting = run([command, '--contract', contract, '--port', '0'], { LOG_LEVEL: 'info' });
    expect([await starting.exit, starting.out()]).toEqual([0, '']);
    expect(starting.error()).toContain('"stopping"');
    host.close();
  }

  test('reports that a port is taken, and names another', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, out, error } = await lockstepHere([command, '--contract', museum, '--port', String(port)]);
    expect([code, out]).toEqual([2, '']);
    expect(error).toBe(
      `Port ${port} on 127.0.0.1 is taken. Stop what listens there, or choose another: --port ${port + 1}\n`,
    );
    other.close();
  });

  const place =
    /^(Server|Mock) of Museum store 2\.4\.0 on http:\/\/localhost:\d+\n {2}http:\S+\/store\/v2 {2}10 operations\n/;
  test('prints where it is, and how it is called', async () => {
    const { out, error } = await listen(command, { contract: museum });
    expect([out(), error()]).toEqual([expect.stringMatching(place), '']);
    expect(out()).toContain('\ncurl -i');
    expect(out()).toContain('Ctrl-C');
  });

  test('prints where it is, and how it is called, as a process', full, async () => {
    const started = run([command, '--contract', museum, '--port', '0']);
    await untilPrinted(started, 'Ctrl-C');
    expect(started.out()).toMatch(place);
    expect(started.out()).toContain('\ncurl -i');
    started.child.kill('SIGINT');
    expect([await started.exit, started.error()]).toEqual([0, '']);
  });
});
