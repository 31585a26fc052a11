// `npm run docs` for a user: its output, its files and its exit codes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { exchange } from '@lockstep/runtime/docs/exchange';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { hashInputs } from './build-reference.ts';
import { docs } from './command-line.ts';
import { splitPage } from './reference/split-page.ts';

const contract = join(import.meta.dirname, '..', 'toolkit', 'fixtures', 'museum', 'contract.yaml');

let folder: string;
let out: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docs-main-'));
  out = join(folder, 'site');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command as a user does. */
function start(...commandLine: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...commandLine], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function spawned(...commandLine: readonly string[]) {
  const child = start(...commandLine);
  const [stdout, stderr, [status]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ]);
  return { status, stdout, stderr };
}

/** Runs the command within this process. Only Redocly starts another one, which takes most of the time of a build. */
async function run(...commandLine: readonly string[]) {
  let [stdout, stderr] = ['', ''];
  const status = await docs(commandLine, {
    out: { write: (text: string) => (stdout += text) },
    error: { write: (text: string) => (stderr += text) },
    stopping: new AbortController().signal,
  });
  return { status, stdout, stderr };
}

describe('npm run docs', () => {
  test('builds one folder, and reports if there was nothing to do', async () => {
    const line = ['--contract', contract, '--out', out, '--build-only'];
    // A build on a busy machine may take the two seconds after which progress is printed.
    const stderr = expect.stringMatching(/^(?:Building the reference from .*\n)?$/);
    expect(await run(...line)).toEqual({ status: 0, stdout: `Reference: ${out}\n`, stderr });
    expect(await run(...line)).toEqual({ status: 0, stdout: `Reference: ${out} (unchanged)\n`, stderr: '' });
    expect(JSON.parse((await run(...line, '--json')).stdout)).toEqual({ folder: out, built: false });
    expect((await readdir(out)).sort()).toEqual(['index.html', 'manifest.json', 'openapi.json', 'openapi.yaml']);
    expect(await readdir(folder)).toEqual(['site']);
  });

  // Only these hashes decide whether a folder is up to date.
  test('builds again for another contract, referenced file, page or picture', async () => {
    const [root, rooms, page, picture] = ['told.yaml', 'told-rooms.yaml', 'told.md', 'way.svg'].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    await writeFile(root, 'paths: {/rooms: {$ref: told-rooms.yaml}}\n');
    await writeFile(rooms, 'get: {}\n');
    await writeFile(page, '![The way in](way.svg)\n');
    await writeFile(picture, '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
    const hashes = [await hashInputs(root), await hashInputs(root, { pages: [page] })];
    for (const file of [root, rooms, page, picture]) {
      await writeFile(file, `${await readFile(file, 'utf8')}\n`);
      hashes.push(await hashInputs(root, { pages: [page] }));
      expect(await hashInputs(root, { pages: [page] })).toBe(hashes.at(-1));
    }
    expect(new Set(hashes).size).toBe(6);
  });

  test('builds again when the contract changed', { tags: ['full'] }, async () => {
    const copy = join(folder, 'changing.yaml');
    const line = ['--contract', copy, '--out', join(folder, 'changing'), '--build-only', '--json'];
    for (const title of ['One', 'Two']) {
      await writeFile(copy, `openapi: 3.1.0\ninfo: {title: ${title}, version: 1.0.0}\npaths: {}\n`);
      expect(JSON.parse((await run(...line)).stdout)).toMatchObject({ built: true });
    }
  });

  test('builds again when a file changed that the contract refers to', async () => {
    const [root, rooms] = [join(folder, 'spread.yaml'), join(folder, 'rooms.yaml')];
    await writeFile(
      root,
      'openapi: 3.1.0\ninfo: {title: Rooms, version: 1.0.0}\npaths: {/rooms: {$ref: rooms.yaml}}\n',
    );
    const line = ['--contract', root, '--out', join(folder, 'spread'), '--build-only', '--json'];
    for (const summary of ['One', 'Two']) {
      await writeFile(
        rooms,
        `get: {operationId: getRooms, summary: ${summary}, responses: {'204': {description: None}}}\n`,
      );
      expect(JSON.parse((await run(...line)).stdout)).toMatchObject({ built: true });
      expect(JSON.parse((await run(...line)).stdout)).toMatchObject({ built: false });
      const json = JSON.parse(await readFile(join(folder, 'spread', 'openapi.json'), 'utf8'));
      expect(json.paths['/rooms'].get.summary).toBe(summary);
    }
  });

  test('appends the named pages, keeps them out of the contract, and builds again if one changed', {
    tags: ['full'],
  }, async () => {
    const page = join(folder, 'house-rules.md');
    const line = ['--contract', contract, '--page', page, '--out', join(folder, 'paged'), '--build-only', '--json'];
    for (const words of ['No running.', 'No shouting.']) {
      await writeFile(page, `${words}\n\n## Fines\n`);
      expect(JSON.parse((await run(...line)).stdout)).toMatchObject({ built: true });
      const html = await readFile(join(folder, 'paged', 'index.html'), 'utf8');
      expect(html).toContain('id="section/house-rules"');
      expect(html).toContain('id="section/house-rules/fines"');
      expect(html).toContain(words);
      for (const name of ['openapi.json', 'openapi.yaml'])
        expect(await readFile(join(folder, 'paged', name), 'utf8')).not.toContain(words);
    }
    expect(JSON.parse((await run(...line)).stdout)).toMatchObject({ built: false });
  });

  const drawsAll = async (...widths: readonly string[]) => {
    const [page, picture] = [join(folder, 'plan.md'), join(folder, 'plan.svg')];
    const site = join(folder, `drawn-${widths.length}`);
    const line = ['--contract', contract, '--page', page, '--out', site, '--build-only', '--json'];
    await writeFile(page, '# Plan\n\n![The way in](plan.svg)\n');
    for (const width of widths) {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20"/>`;
      await writeFile(picture, svg);
      expect(JSON.parse((await run(...line)).stdout)).toMatchObject({ built: true });
      const html = await readFile(join(site, 'index.html'), 'utf8');
      expect(html).toContain(
        `<img alt="The way in" width="${width}" height="20" src="data:image/svg+xml;base64,${btoa(svg)}"`,
      );
    }
    await rm(picture);
    expect(await run(...line)).toEqual({
      status: 2,
      stdout: '',
      stderr: `The picture ${picture} of the page ${page} can't be read (ENOENT).\n`,
    });
  };
  test('puts the pictures of a page into it', () => drawsAll('40'));
  test('puts the pictures of a page into it, and builds again when one changed', { tags: ['full'] }, () =>
    drawsAll('40', '50'),
  );

  test('writes a contract that is JSON as YAML that people read, without what it was derived from', async () => {
    const derived = join(folder, 'derived.json');
    const hours = { description: 'When?\n\nAt night.\n', 'x-closed': 'no', 'x-since': '2026-11-20' };
    const document = {
      openapi: '3.1.0',
      'x-generated': { contract: 'sha256:ab' },
      info: { title: 'Doors', version: '1' },
    };
    await writeFile(derived, JSON.stringify({ ...document, paths: {}, tags: [{ name: 'Hours', ...hours }] }));
    await run('--contract', derived, '--out', join(folder, 'derived'), '--build-only');
    const read = (name: string) => readFile(join(folder, 'derived', name), 'utf8');
    expect(await read('openapi.yaml')).toBe(
      [
        ...['openapi: 3.1.0', 'info:', '  title: Doors', '  version: "1"', 'paths: {}', 'tags:', '  - name: Hours'],
        ...[
          '    description: |',
          '      When?',
          '',
          '      At night.',
          '    x-closed: "no"',
          '    x-since: "2026-11-20"',
          '',
        ],
      ].join('\n'),
    );
    expect(JSON.parse(await read('openapi.json'))).toEqual({
      ...{ openapi: '3.1.0', info: document.info, paths: {} },
      tags: [{ name: 'Hours', ...hours }],
    });
    expect(await read('index.html')).not.toContain('x-generated');
    expect(JSON.parse(await read('manifest.json')).contract).toBe('sha256:ab');
  });

  test('builds again where a file of the folder is not as it was built', async () => {
    const line = ['--contract', contract, '--out', out, '--build-only', '--json'];
    await writeFile(join(out, 'openapi.yaml'), 'openapi: 3.1.0\n');
    expect(JSON.parse((await run(...line)).stdout)).toMatchObject({ built: true });
    expect(JSON.parse((await run(...line)).stdout)).toMatchObject({ built: false });
  });

  test('takes words that look like HTML and styles for words', { tags: ['full'] }, async () => {
    const root = join(folder, 'words.yaml');
    const words = 'Send data=foo, src="bar" or url(https://a.example/b.png), or @import "c.css".';
    await writeFile(
      root,
      JSON.stringify({ openapi: '3.1.0', info: { title: words, version: '1.0.0', description: words }, paths: {} }),
    );
    expect(await run('--contract', root, '--out', join(folder, 'words'), '--build-only')).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('fetches'),
    });
  });

  const showsNoPicture = async (openapi: string) => {
    const picture = '![Plan](https://pictures.invalid/plan.png)';
    const given = {
      openapi,
      info: {
        title: 'Rooms',
        version: '1',
        description: `Look: ${picture}`,
        'x-logo': { url: 'https://pictures.invalid/logo.png' },
      },
      paths: {
        '/rooms': { get: { description: picture, responses: { 200: { description: 'All <img src=a.png>' } } } },
      },
      components: { examples: { Room: { value: { description: picture } } } },
    };
    const root = join(folder, `pictures-${openapi}.json`);
    await writeFile(root, JSON.stringify(given, null, 2));
    const site = join(folder, `pictures-${openapi}`);
    const { status, stderr } = await run('--contract', root, '--out', site, '--build-only');
    expect({ status, notes: stderr.split('\n').filter((line) => line.startsWith('note: ')) }).toEqual({
      status: 0,
      notes: [expect.stringContaining(`${root}:6:35 4 pictures from elsewhere are replaced by alternative text`)],
    });
    const { definition, frame } = splitPage(await readFile(join(site, 'index.html'), 'utf8'));
    expect(JSON.parse(definition).info).not.toHaveProperty('x-logo');
    expect(frame[0]).toMatch(/Look: (?:<!-- -->)?Plan</);
    expect(frame[0]).not.toContain('pictures.invalid');
    // The document for download is the author's own.
    expect(JSON.parse(await readFile(join(site, 'openapi.json'), 'utf8'))).toEqual(given);
    expect(parse(await readFile(join(site, 'openapi.yaml'), 'utf8'))).toEqual(JSON.parse(JSON.stringify(given)));
  };
  const pictures = 'builds a contract of %s that shows pictures from elsewhere, and reports them once';
  test.each(['3.0.3'])(pictures, showsNoPicture);
  test.each(['3.1.0'])(pictures, { tags: ['full'] }, showsNoPicture);

  test('asks nobody on the network for a part of the contract', async () => {
    const asked: unknown[] = [];
    const other = createServer((request, response) => {
      asked.push(request.url);
      response.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}/rooms.yaml`;
    const root = join(folder, 'network.yaml');
    await writeFile(
      root,
      `openapi: 3.1.0\ninfo: {title: Rooms, version: 1.0.0}\npaths: {/rooms: {$ref: '${address}'}}\n`,
    );
    const { status, stderr } = await run('--contract', root, '--out', join(folder, 'network'), '--build-only');
    other.close();
    expect({ status, asked }).toEqual({ status: 2, asked: [] });
    expect(stderr).toContain(`${root}:3:18 no-network`);
    expect(stderr).toContain(`The contract refers to ${address}`);
  });

  test('lists in its help the defaults and exit codes, without a path of this machine', async () => {
    const { status, stdout } = await run('--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(/--contract <file> .*\(default:\s+generated\/published\.gen\.json\)/s);
    expect(stdout).toMatch(/--out <folder> .*\(default:\s+docs\/dist\)/s);
    expect(stdout).toMatch(/^Exit codes: 0 .*, 2 /m);
    expect(stdout).not.toContain(join(import.meta.dirname, '..'));
  });

  test('serves until it is interrupted, and exits with 0', async () => {
    const child = start('--contract', contract, '--out', out, '--port', '0', '--json');
    const ended = once(child, 'exit');
    const [line] = child.stdout ? await once(child.stdout.setEncoding('utf8'), 'data') : [''];
    const { url } = JSON.parse(String(line)) as { url: string };
    expect((await exchange(Number(new URL(url).port), 'GET /docs')).status).toBe(200);
    expect((await exchange(Number(new URL(url).port), 'GET /')).headers.location).toBe('/docs');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  test('reports that a port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { status, stdout, stderr } = await run('--contract', contract, '--out', out, '--port', String(port));
    other.close();
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: `Port ${port} on 127.0.0.1 is taken. Stop what listens there, or choose another: --port ${port + 1}\n`,
    });
  });

  const refused = [
    { name: 'a port that is none', line: ['--port', '65536'], want: 'A port is a number from 0 to 65535.' },
    { name: 'an option that is unknown', line: ['--prot', '1'], want: "unknown option '--prot'" },
    {
      name: 'a contract that is not there',
      line: ['--contract', '/nowhere/a.yaml', '--build-only'],
      want: '/nowhere/a.yaml',
    },
    {
      name: 'a page that is not there',
      line: ['--contract', contract, '--page', '/nowhere/a.md', '--build-only'],
      want: "The page /nowhere/a.md can't be read (ENOENT).",
    },
    {
      name: 'a contract that is no OpenAPI',
      line: ['--contract', join(import.meta.dirname, 'package.json'), '--build-only'],
      want: 'redocly build-docs exited',
    },
  ];
  for (const { name, line, want } of refused) {
    const isRefused = (command: typeof run) => async () => {
      const { status, stdout, stderr } = await command(...line, '--out', join(folder, 'refused'));
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain(want);
      expect(await readdir(join(folder, 'refused')).catch(() => [])).toEqual([]);
    };
    test(`refuses ${name} with exit code 2`, isRefused(run));
    const options = name === 'an option that is unknown' ? {} : { tags: ['full'] };
    test(`refuses ${name} with exit code 2, as a process`, options, isRefused(spawned));
  }
});
