import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conform as runConform } from './command-line.ts';
import { conformHere as conform, type Ended } from './fixtures/conform-here.ts';
import { apis } from './seeded/apis.ts';
import { libraryKey } from './seeded/library.ts';
import { type Handler, type Served, serve } from './seeded/serve.ts';
import { weatherClient, weatherToken } from './seeded/weather.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

let folder: string;
let served: Served | undefined;

const home = process.cwd();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-conform-'));
  process.chdir(folder);
});

afterEach(async () => {
  process.chdir(home);
  await served?.close();
  served = undefined;
  await rm(folder, { recursive: true });
});

/** The command as it is typed. */
function spawned(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  interrupted?: Promise<void>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { cwd: folder, env: { ...process.env, ...env } },
      (failure, out, error) => {
        resolve({ code: failure === null ? 0 : Number(failure.code), out, error });
      },
    );
    void interrupted?.then(() => child.kill(signal));
  });
}

/** The options of a short run against a server of the library: its baseline reaches all operations. */
async function library(handle: Handler): Promise<string[]> {
  return [...(await wholeRun(handle)), '--phase', 'baseline'];
}

async function wholeRun(handle: Handler): Promise<string[]> {
  served = await serve(handle);
  return [
    '--contract',
    apis.library.file,
    '--base-url',
    `${served.origin}/v2`,
    '--token',
    libraryKey,
    '--seed',
    '3',
    '--now',
    '2026-04-01T09:30:00Z',
  ];
}

describe('exit codes', () => {
  test('0 and no finding on a clean server', async () => {
    const { code, out } = await spawned(await wholeRun(apis.library.create()));
    expect(code).toBe(0);
    expect(out).toContain('No defect found.');
    expect(out).toContain('Covered: 7 of 7 operations accepted');
  });

  test('1 on defects, with the sentence, the request and a line to paste', async () => {
    const clean = apis.library.create();
    const { code, out } = await spawned(await library(async (request) => dropTotal(await clean(request))));
    expect(code).toBe(1);
    expect(out).toContain('header-schema   listBooks   response 200 header X-Total   required');
    expect(out).toContain('contract  #/paths/~1books/get/responses/200/headers/X-Total/required  line 18');
    expect(out).toContain(
      `curl -i -g --path-as-is -H 'accept: application/json, */*;q=0.1' -H 'X-Library-Key: '"$TOKEN" "$BASE"'/books'`,
    );
  });

  test('in GitHub Actions a defect is annotated on the standard error, and --json remains JSON', async () => {
    const clean = apis.library.create();
    const args = await library(async (request) => dropTotal(await clean(request)));
    const env = {
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: join(apis.library.file, '..'),
      GITHUB_STEP_SUMMARY: 'page',
    };
    const { code, out, error } = await spawned([...args, '--json'], env);
    expect([code, JSON.parse(out).verdict]).toEqual([1, 'defects']);
    expect(error).toMatch(/^::error file=library\.yaml,line=18,title=header-schema%3A listBooks::/m);
    expect(await readFile(join(folder, 'page'), 'utf8')).toMatch(/^## ❌ 1 defect found\./);
  });

  test('0 for its version', async () => {
    const { code, out } = await conform(['--version']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  const wrong: readonly { name: string; args: readonly string[]; message: string }[] = [
    {
      name: 'no options',
      args: [],
      message: '--contract FILE is needed.\n--base-url URL is needed.\n(--help shows every option)',
    },
    { name: 'an unknown option', args: ['--nope'], message: 'unknown option' },
    {
      name: 'an unknown check',
      args: ['--contract', 'x', '--base-url', 'http://a', '--check', 'nope'],
      message: '--check nope does not exist. There are: no-answer, server-error',
    },
    {
      name: 'a phase that does not exist',
      args: ['--contract', 'x', '--base-url', 'http://a', '--phase', 'storey'],
      message: '--phase storey does not exist. Did you mean story? There are: baseline, story, auth,',
    },
    {
      name: 'an invalid budget',
      args: ['--contract', 'x', '--base-url', 'http://a', '--budget', 'much'],
      message: '"much" is not a budget',
    },
    {
      name: 'an invalid address',
      args: ['--contract', 'x', '--base-url', 'ftp://a'],
      message: 'ftp://a is not an http address',
    },
    {
      name: 'an invalid folder',
      args: [
        '--contract',
        'x',
        '--base-url',
        'http://a',
        '--allow-files',
        'absent',
        '--allow-files',
        apis.library.file,
      ],
      message: `--allow-files absent is not a folder.\n--allow-files ${apis.library.file} is not a folder.`,
    },
    {
      name: 'a missing contract',
      args: ['--contract', 'absent.yaml', '--base-url', 'http://a'],
      message: 'The contract cannot be read',
    },
    {
      name: 'an unknown operation, with the nearest one',
      args: ['--contract', apis.library.file, '--base-url', 'http://a', '--operation', 'listBook'],
      message: 'No operation is called listBook. Did you mean listBooks?',
    },
    {
      name: 'a misspelt kind to fail on, with the nearest one',
      args: ['--contract', 'x', '--base-url', 'http://a', '--fail-on', 'unreach'],
      message: '--fail-on unreach does not exist. Did you mean unreached? ',
    },
    {
      name: 'a misspelt report, with the nearest one',
      args: ['--contract', 'x', '--base-url', 'http://a', '--report', 'jnuit'],
      message: '--report jnuit does not exist. Did you mean junit?',
    },
  ];
  test.each(wrong)('2 for $name', async ({ args, message }) => {
    const { code, error } = await conform(args);
    expect(code).toBe(2);
    expect(error).toContain(message);
  });

  test('2 for a broken contract, with every reason and its line', async () => {
    const file = join(folder, 'broken.yaml');
    await writeFile(file, 'openapi: 3.1.0\ninfo: {title: x, version: "1"}\npaths:\n  /a: {$ref: "#/nowhere"}\n');
    const { code, error } = await conform(['--contract', file, '--base-url', 'http://127.0.0.1:1']);
    expect(code).toBe(2);
    expect(error).toContain(`${file}:4 #/paths/~1a\n  $ref #/nowhere has no target.`);
    expect(error).toContain('The contract has no readable operation.');
  });

  test('2 when the server rejected the key every time', async () => {
    const clean = apis.library.create();
    const bare: Handler = async (request) => ({ ...(await clean(request)), headers: {} });
    const args = (await wholeRun(bare)).map((arg) => (arg === libraryKey ? 'wrong-key' : arg));
    const { code, out } = await conform(args);
    expect(code).toBe(2);
    expect(out).toMatch(/^Nothing tested of the operations that need credentials: the server answered only 401, /);
    expect(out).toContain('a 401 came without WWW-Authenticate');
  });

  test('2 when no server listens, which is reported first and alone, with its fix', async () => {
    const base = 'http://127.0.0.1:1';
    const options = ['--contract', apis.library.file, '--base-url', base, '--report', 'junit', '--out', 'there'];
    const { code, out } = await conform(options);
    expect(code).toBe(2);
    expect(out.split('\n').slice(0, 2)).toEqual([
      `Unreachable: no server listens at this address (${base}).`,
      '  Nothing was tested. Check that the deployment runs and that --base-url has its host and port.',
    ]);
    expect(out).not.toMatch(/Never accepted|Defects|Covered/);
    const junit = await readFile(join(folder, 'there', 'junit.xml'), 'utf8');
    expect(junit).toContain(`<error message="Unreachable: no server listens at this address (${base}).">`);
    expect(junit).not.toContain('the run stopped before its turn');
  });

  test('2 when no server listens at the API, although the authorization server answers', async () => {
    served = await serve(apis.weather.create());
    const args = ['--contract', apis.weather.file, '--base-url', 'http://127.0.0.1:1'];
    const client = ['--client-id', weatherClient.id, '--client-secret', weatherClient.secret];
    const { code, out } = await conform([...args, '--auth-url', `${served.origin}/oauth`, ...client]);
    expect(code).toBe(2);
    expect(out.split('\n')[0]).toBe('Unreachable: no server listens at this address (http://127.0.0.1:1).');
  });

  test('2 when no server listens at the API, with findings of the authorization server', async () => {
    const clean = apis.weather.create();
    served = await serve(async (request) => ({ ...(await clean(request)), status: 500 }));
    const args = ['--contract', apis.weather.file, '--base-url', 'http://127.0.0.1:1'];
    const client = ['--client-id', weatherClient.id, '--client-secret', weatherClient.secret];
    const { code, out } = await conform([...args, '--auth-url', `${served.origin}/oauth`, ...client]);
    expect(code).toBe(2);
    expect(out.indexOf('Unreachable')).toBe(0);
    expect(out).toContain('server-error   issueToken');
  });

  test('2 when no token can be fetched, which is reported first', async () => {
    served = await serve(apis.weather.create());
    const args = ['--contract', apis.weather.file, '--base-url', `${served.origin}/alps/api`];
    const client = ['--client-id', weatherClient.id, '--client-secret', weatherClient.secret];
    const { code, out } = await conform([...args, '--auth-url', 'http://127.0.0.1:1/oauth', ...client]);
    expect(code).toBe(2);
    expect(out.split('\n').slice(0, 2)).toEqual([
      'Nothing tested: the server answered only 401, so it rejected the credentials, or the quota is used up.',
      '  No token: POST http://127.0.0.1:1/oauth/token without a scope: no server listens at this address (and 1 more). Check --auth-url and the client, or pass --token.',
    ]);
    expect(out.match(/No token/g)).toHaveLength(1);
  });

  test('2 when the address is wrong, without a defect of the deployment, with the right address', async () => {
    const args = await wholeRun(apis.library.create());
    const wrong = args.map((arg) => arg.replace(/\/v2$/, '/v3'));
    const { code, out } = await conform([...wrong, '--report', 'junit', '--out', 'there']);
    expect(code).toBe(2);
    expect(out.split('\n').slice(0, 2)).toEqual([
      `Wrong address: every answer at ${served?.origin}/v3 was 404.`,
      `  Nothing was tested. Did you mean --base-url ${served?.origin}/v2? GET /books is answered there.`,
    ]);
    expect(out).not.toMatch(/Defect|status-undocumented|Never accepted/);
    expect(await readFile(join(folder, 'there', 'junit.xml'), 'utf8')).not.toContain('<failure');
  });

  test('2 when the address is wrong and no right one was found, with the address of the contract', async () => {
    served = await serve(() => ({ status: 404, body: {} }));
    const { code, out } = await conform(['--contract', apis.library.file, '--base-url', `${served.origin}/v3`]);
    expect(code).toBe(2);
    expect(out.split('\n').slice(0, 2)).toEqual([
      `Wrong address: every answer at ${served.origin}/v3 was 404.`,
      '  Nothing was tested. Set --base-url to the address below which the server has GET /books; the contract names https://library.example/v2.',
    ]);
  });

  test('2 when a front page answers everything, even if only to GET', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Welcome</title>' };
    const args = await wholeRun(({ method }) => ({ ...page, status: method === 'GET' ? 200 : 405 }));
    const { code, out } = await conform([...args, '--fail-on', 'unreached']);
    expect(code).toBe(2);
    expect(out.split('\n').slice(0, 2)).toEqual([
      `Wrong address: every answer at ${served?.origin}/v2 was 200 as text/html or 405 as text/html, which the contract does not document.`,
      '  Nothing was tested. Set --base-url to the address below which the server has GET /books; the contract names https://library.example/v2.',
    ]);
    expect(out).not.toMatch(/Defect|Never accepted|Covered/);
  });

  test('2 when everything is redirected, with the target address', async () => {
    const args = await wholeRun(({ path }) => ({
      status: 301,
      headers: { location: `https://library.example${path}?key=secret` },
    }));
    const { code, out } = await conform(args);
    expect(code).toBe(2);
    expect(out.split('\n').slice(0, 2)).toEqual([
      `Wrong address: every answer at ${served?.origin}/v2 was 301 to https://library.example/v2/books, which the contract does not document.`,
      '  Nothing was tested. Did you mean --base-url https://library.example/v2? It redirects there.',
    ]);
    expect(out).not.toMatch(/Defect|Never accepted|Covered|secret/);
  });

  test('2 when the address is wrong, although the authorization server is found', async () => {
    served = await serve(apis.weather.create());
    const args = ['--contract', apis.weather.file, '--base-url', served.origin, '--auth-url', `${served.origin}/oauth`];
    const client = ['--client-id', weatherClient.id, '--client-secret', weatherClient.secret];
    const { code, out } = await conform([...args, ...client]);
    expect(code).toBe(2);
    expect(out).toContain(`Wrong address: every answer at ${served.origin} was 404.`);
    expect(out).toContain(`Did you mean --base-url ${served.origin}/alps/api? GET /stations is answered there.`);
  });

  describe('operations that were never accepted', () => {
    const onlyReads = async (...more: string[]): Promise<Ended> =>
      conform([...(await library(apis.library.create())), '--read-only', '--rate', '100/s', ...more]);

    test('are named in the sentence about the run, and in the last lines', async () => {
      const { code, out } = await onlyReads();
      expect(code).toBe(0);
      expect(out).toMatch(
        /^No defect found, but 4 of 7 operations were never accepted: addBook, replaceBook, removeBook, enrolReader\. \d+ requests in .+\n\nNot tested:\n( {2}.+\n)+ {2}never accepted: addBook, .+\n$/m,
      );
    });

    test('are named along with defects', async () => {
      const clean = apis.library.create();
      const args = await library(async (request) => dropTotal(await clean(request)));
      const { out } = await conform([...args, '--read-only', '--rate', '100/s']);
      expect(out).toContain('\n1 defect found, and 4 of 7 operations were never accepted: ');
    });

    test('are counted in the singular if there is one', async () => {
      const args = await library(() => ({ status: 400, body: { reason: 'closed' } }));
      const { code, out } = await conform([...args, '--operation', 'readMotto']);
      expect(code).toBe(2);
      expect(out).toMatch(/^Nothing tested: 1 of 1 operation was never accepted: readMotto\. 1 request in /m);
      expect(out).toContain('Covered: 0 of 1 operation accepted');
    });

    test('make the exit code 1 under --fail-on unreached, and 0 if they are excluded', async () => {
      expect((await onlyReads('--fail-on', 'unreached')).code).toBe(1);
      await served?.close();
      const reads = ['--operation', 'listBooks', 'readBook', 'readMotto'];
      expect((await onlyReads('--fail-on', 'unreached', ...reads)).code).toBe(0);
    });

    test('are explained by --help', async () => {
      const { out } = await conform(['--help']);
      expect(out.replaceAll(/\s+/g, ' ')).toContain('`unreached` (an operation was never accepted)');
    });
  });

  test('an interrupted run exits with 130, with its reports written', async () => {
    const clean = apis.library.create();
    const { promise: second, resolve: isSecond } = Promise.withResolvers<void>();
    let requests = 0;
    const args = await library(async (request) => {
      requests += 1;
      if (requests < 2) return await clean(request);
      isSecond();
      return { ...(await clean(request)), delayMs: 2_000 };
    });
    const { code, out } = await spawned([...args, '--report', 'json', '--out', 'there'], {}, second);
    expect(code).toBe(130);
    expect(out).toContain('Interrupted: the plan was not finished.\n  Requests in flight may have taken effect. Start');
    expect(JSON.parse(await readFile(join(folder, 'there', 'report.json'), 'utf8')).verdict).toBe('interrupted');
  });

  test('2 when the runner itself fails during a run, with the reports so far and no defect of the deployment', async () => {
    const { promise: second, resolve: isSecond } = Promise.withResolvers<void>();
    let requests = 0;
    const args = await library(async () => {
      requests += 1;
      if (requests > 1) isSecond();
      return { status: 500, body: {}, delayMs: requests < 2 ? 0 : 2_000 };
    });
    const bomb = "process.on('SIGUSR2', () => { throw new TypeError('seeded') })";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bomb)}` };
    const reportOptions = ['--workers', '1', '--report', 'json,junit', '--out', 'there'];
    const { code, out, error } = await spawned([...args, ...reportOptions], env, second, 'SIGUSR2');
    expect(code).toBe(2);
    expect(out.split('\n')[0]).toBe('The runner failed: TypeError: seeded. Earlier findings are valid.');
    expect(error).toMatch(/^ {4}at /m);
    const report = JSON.parse(await readFile(join(folder, 'there', 'report.json'), 'utf8'));
    expect([report.verdict, report.requests > 0]).toEqual(['failed', true]);
    expect(await readFile(join(folder, 'there', 'junit.xml'), 'utf8')).toContain('<error message="The runner failed');
  });

  test('2 when the runner fails before a run begins, and does not exit the process of the caller', async () => {
    let said = '';
    const left: number[] = [];
    const streams = {
      out: {
        write: () => {
          throw new TypeError('seeded');
        },
      },
      error: {
        write: (text: string) => {
          said += text;
        },
      },
    };
    const watch = () => expect.fail('no run has begun');
    const leave = (code: number) => void left.push(code);
    const line = ['plan', '--contract', apis.library.file];
    const code = await runConform(line, 'lockstep-conform', streams, { watch, leave });
    expect([code, left]).toEqual([2, [2]]);
    expect(said).toMatch(/^The runner failed: TypeError: seeded\. Please report it\.\n {4}at /);
  });

  test('2 when the reports could not be written, before anything is sent', async () => {
    await writeFile(join(folder, 'there'), '');
    let requests = 0;
    const args = await library(() => {
      requests += 1;
      return { status: 500, body: {} };
    });
    const { code, out, error } = await conform([...args, '--report', 'json', '--out', 'there']);
    expect([code, out, requests]).toEqual([2, '', 0]);
    expect(error).toBe('--out there cannot be written: a file with this name exists.\n');
  });

  test('2 when the reports can no longer be written, after they were printed', async () => {
    const answer = apis.library.create();
    const args = await library(async (request) => {
      await mkdir(join(folder, 'there', 'report.json'), { recursive: true });
      return answer(request);
    });
    const { code, out, error } = await conform([...args, '--report', 'json', '--out', 'there']);
    expect([code, out]).toEqual([2, expect.stringContaining('No defect found.')]);
    expect(error).toContain('--out there cannot be written: EISDIR');
  });

  test.each(['output', 'help'])('0 when no process reads its %s', async (text) => {
    const args = text === 'help' ? ['--help'] : await library(apis.library.create());
    const line = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ');
    const code = await new Promise((resolve) => {
      execFile('sh', ['-c', `{ ${line}; echo $? >&3; } 3>&2 2>/dev/null | true`], { cwd: folder }, (_, __, code) =>
        resolve(code.trim()),
      );
    });
    expect(code).toBe('0');
  });
});

test('shows no secret on any stream and in no report, from options or from the environment', async () => {
  served = await serve(apis.weather.create());
  const args = [
    '--contract',
    apis.weather.file,
    '--base-url',
    `${served.origin}/alps/api`,
    '--auth-url',
    `${served.origin}/oauth`,
  ];
  const env = { LOCKSTEP_CLIENT_ID: weatherClient.id, LOCKSTEP_CLIENT_SECRET: weatherClient.secret };
  const { code, out, error } = await spawned(
    [...args, '--json', '--report', 'json,junit,console,markdown,sarif,html,vitest,har', '--out', 'reports'],
    env,
  );
  expect(code).toBe(0);
  const files = await readdir(join(folder, 'reports'));
  expect(files.sort()).toEqual([
    'findings.test.mjs',
    'junit.xml',
    'report.html',
    'report.json',
    'report.sarif',
    'report.txt',
    'summary.md',
    'traffic.har',
  ]);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, 'reports', file), 'utf8')));
  const basic = Buffer.from(`${weatherClient.id}:${weatherClient.secret}`).toString('base64');
  const shown = [weatherClient.secret, weatherToken, basic].filter((secret) =>
    [out, error, ...texts].some((text) => text.includes(secret)),
  );
  expect(shown).toEqual([]);
});

test('the curl line of a finding sends the same request when it is pasted', async () => {
  const clean = apis.library.create();
  const seen: unknown[] = [];
  const args = await library((request) => {
    const { host, connection, 'user-agent': agent, ...headers } = request.headers;
    if (request.method !== 'POST') return clean(request);
    seen.push({ ...request, query: [...request.query], headers });
    void [host, connection, agent];
    return { status: 500, body: {} };
  });
  const { out } = await conform([...args, '--json', '--operation', 'addBook']);
  const [finding] = JSON.parse(out).findings;
  const env = { ...process.env, BASE: `${served?.origin}/v2`, TOKEN: libraryKey };
  const pasted = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', finding.curl], { env }, (_, text) => resolve(text));
  });
  expect(pasted).toContain('HTTP/1.1 500');
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.slice(0, -1)).toContainEqual(seen.at(-1));
});

test('plan prints the rounds and sends nothing', async () => {
  const { code, out } = await conform(['--contract', apis.library.file, 'plan']);
  expect(code).toBe(0);
  expect(out).toMatch(/^Lending library: .+ 7 operations in 4 rounds, \d+ obligations\. Nothing is sent\.\n/);
  expect(out).toContain('Round 1\n  listBooks   GET /books');
  expect(out.indexOf('removeBook')).toBeGreaterThan(out.indexOf('replaceBook'));
});

test('no control, line or direction mark of a contract or an answer reaches the terminal or a report', async () => {
  const bad = '\u001b[2J\u009b31m\u0007\r\nNo defect found.\u2028\u202e\u0085';
  const schema = { type: 'object', properties: { [bad]: { enum: [bad] } } };
  const contract = {
    openapi: '3.1.0',
    info: { title: bad, version: bad },
    paths: {
      '/a': {
        get: {
          operationId: `read${bad}`,
          tags: [bad],
          parameters: [{ name: bad, in: 'query', required: true, schema: { type: bad, example: bad } }],
          responses: { 200: { description: bad, content: { 'application/json': { schema } } }, [bad]: {} },
        },
      },
      [`/b${bad}`]: { get: { responses: { 200: { $ref: `#/${bad}` } } } },
    },
  };
  const file = join(folder, 'bad.json');
  await writeFile(file, JSON.stringify(contract));
  await writeFile(join(folder, 'worse.json'), JSON.stringify({ openapi: bad }));
  served = await serve(() => ({ status: 200, body: { [bad]: 1, b: bad } }));
  const args = ['--contract', file, '--base-url', served.origin, '--timeout', '1000'];
  const runs = [
    await conform(['plan', ...args]),
    await conform(['plan', ...args, '--json']),
    await conform([...args, '--report', 'console,json,junit,markdown,sarif,html,vitest,har', '--out', 'there']),
    await conform([...args, '--json']),
    await conform([...args, '--operation', 'raed']),
    await conform([...args, '--credential', 'a=b']),
    await conform(['plan', '--contract', 'worse.json']),
  ];
  const files = [
    'report.txt',
    'report.json',
    'junit.xml',
    'summary.md',
    'report.sarif',
    'report.html',
    'findings.test.mjs',
    'traffic.har',
  ].map((name) => readFile(join(folder, 'there', name), 'utf8'));
  const texts = [...runs.flatMap(({ out, error }) => [out, error]), ...(await Promise.all(files))];
  for (const text of texts) {
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028-\u202e]/u);
    expect(text).not.toMatch(/^No defect found\.$/m);
  }
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 1, 1, 2, 2, 2]);
  expect(JSON.parse(runs[3]?.out ?? '').title).toBe(bad);
});

test('waits for a deployment that is still starting, and begins when it answers', async () => {
  const spare = await serve(apis.library.create());
  const { origin } = spare;
  await spare.close();
  const args = ['--contract', apis.library.file, '--base-url', `${origin}/v2`, '--token', libraryKey];
  const { promise: waiting, resolve } = Promise.withResolvers<string>();
  const wait = ['--wait-for-target', '60s', '--phase', 'baseline'];
  const run = conform([...args, ...wait], (text) => text.startsWith('Waiting') && resolve(text));
  await waiting;
  served = await serve(apis.library.create(), Number(new URL(origin).port));
  const { code, error } = await run;
  expect(code).toBe(0);
  expect(error).toMatch(
    /^Waiting for .+\/v2: no server listens at this address \(0\.\d s of 60 s\)\n.+\/v2 answers after \d+\.\d s\.$/m,
  );
  expect(served.requests[0]).toBe('GET /v2');
});

test('waits before it reads the contract from the deployment', async () => {
  const spare = await serve(() => ({ status: 200 }));
  const { origin } = spare;
  await spare.close();
  const contract = `${origin}/openapi.yaml?key=key-of-the-contract`;
  const args = ['--contract', contract, '--base-url', `${origin}/v2`, '--token', libraryKey, '--json'];
  const { promise: waiting, resolve } = Promise.withResolvers<string>();
  const wait = ['--wait-for-target', '60s', '--operation', 'listBooks'];
  const run = conform([...args, ...wait], (text) => text.startsWith('Waiting') && resolve(text));
  await waiting;
  const [answer, text] = [apis.library.create(), await readFile(apis.library.file, 'utf8')];
  served = await serve(
    (request) => (request.path === '/openapi.yaml' ? { status: 200, body: text } : answer(request)),
    Number(new URL(origin).port),
  );
  const { code, out, error } = await run;
  expect(error).toMatch(/answers after/);
  expect([code, JSON.parse(out).contractFile]).toEqual([0, `${origin}/openapi.yaml?…`]);
  expect(out + error).not.toContain('key-of-the-contract');
});

test('waits no longer than the given time, and reports the reason', async () => {
  const args = ['--contract', apis.library.file, '--base-url', 'http://127.0.0.1:1'];
  const { code, out, error } = await conform([...args, '--wait-for-target', '300ms']);
  expect([code, out]).toEqual([2, '']);
  expect(error).toContain(
    'Unreachable: http://127.0.0.1:1 did not answer within 0.3 s: no server listens at this address.\n',
  );
});

test('excludes deprecated operations', async () => {
  const text = await readFile(apis.library.file, 'utf8');
  const file = join(folder, 'library.yaml');
  await writeFile(file, text.replace('operationId: listBooks', 'operationId: listBooks\n      deprecated: true'));
  const all = await conform(['--contract', file, 'plan']);
  const some = await conform(['--contract', file, '--exclude-deprecated', 'plan']);
  expect([all.code, some.code]).toEqual([0, 0]);
  expect(all.out).toContain('listBooks');
  expect(some.out).not.toContain('listBooks   GET');
  expect(some.out).toContain('readBook');
});

test('logs in as the users of a file, and shows none of their secrets', async () => {
  const clean = apis.library.create();
  const seen: unknown[] = [];
  served = await serve(async (request) => {
    if (request.path === '/session') {
      const { pw } = JSON.parse(request.body);
      return pw === 'pass-of-ada' ? { status: 201, body: { data: { token: libraryKey } } } : { status: 401 };
    }
    if (request.path !== '/v2/session') seen.push(request.headers['x-library-key']);
    const answer = await clean(request);
    return request.path === '/v2/books' ? dropTotal(answer) : answer;
  });
  const user = (name: string) => `  - name: ${name}
    loginEndpointAuth:
      payloadUserPwd: {username: ${name}, password: pass-of-${name}, usernameField: user, passwordField: pw}`;
  const template = `authTemplate:
  loginEndpointAuth:
    {endpoint: /session, verb: POST, contentType: application/json, token: {extractFrom: body, extractSelector: /data/token, sendIn: header, sendName: X-Library-Key}}`;
  await writeFile(join(folder, 'auth.yaml'), `auth:\n${user('ada')}\n${user('bob')}\n${template}\n`);
  const args = [
    '--contract',
    apis.library.file,
    '--base-url',
    `${served.origin}/v2`,
    '--auth-file',
    'auth.yaml',
    ...['--phase', 'baseline', 'auth', '--json'],
  ];
  const { code, out, error } = await conform(args);
  expect(code).toBe(1);
  // Probes alone carry another key, or none.
  expect(seen.slice(0, 7)).toEqual(Array(7).fill(libraryKey));
  expect(JSON.parse(out).coverage.reached).toBe(7);
  expect(out + error).not.toMatch(new RegExp(`${libraryKey}|pass-of-ada|, without credentials`));
});

function dropTotal(answer: Awaited<ReturnType<Handler>>): Awaited<ReturnType<Handler>> {
  const { 'x-total': _, ...headers } = answer.headers ?? {};
  return { ...answer, headers };
}

test('reads a contract from an http address, or reports why it cannot', async () => {
  const contract = await readFile(apis.library.file, 'utf8');
  const host = createServer(({ url }, response) => {
    response.statusCode = url === '/library.yaml' ? 200 : 404;
    response.end(contract);
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  try {
    const read = await conform(['plan', '--contract', `${origin}/library.yaml`]);
    expect([read.code, read.error]).toEqual([0, '']);
    expect(read.out).toContain('listBooks   GET /books');
    const gone = await conform(['plan', '--contract', `${origin}/gone.yaml`]);
    expect([gone.code, gone.error]).toEqual([
      2,
      expect.stringContaining('The contract cannot be read: the answer is 404.'),
    ]);
  } finally {
    host.close();
  }
  // This process holds connections to the address open.
  const silent = await spawned(['plan', '--contract', `${origin}/library.yaml`]);
  expect([silent.code, silent.error]).toEqual([
    2,
    expect.stringMatching(/The contract cannot be read: connect ECONNREFUSED .+\.\n/),
  ]);
});
