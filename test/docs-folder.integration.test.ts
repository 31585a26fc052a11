import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseDocument, visit } from 'yaml';
import { docs as runDocs } from '../docs/command-line.ts';
import { type Deployment, findFreePort, prepareDeployment, root } from './prepare-deployment.ts';
import { untilPrinted } from './until-printed.ts';

// If these fail, an operator can't publish the reference with the API, or publishes addresses that are nobody's.

const publicOrigin = 'https://api.public.example';
const museum = join(root, 'toolkit/fixtures/museum/contract.yaml');

let deployment: Deployment;
let docs: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  deployment = await prepareDeployment();
  docs = join(deployment.folder, 'docs');
  await build('--out', docs);
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await deployment[Symbol.asyncDispose]();
});

async function build(...args: readonly string[]): Promise<void> {
  let said = '';
  const stream = { write: (text: string) => (said += text) };
  const stopping = new AbortController().signal;
  const exitCode = await runDocs(['--build-only', ...args], { out: stream, error: stream, stopping });
  if (exitCode !== 0) throw new Error(said);
}

function serve(env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [join(root, 'server/main.ts'), 'serve'], {
    env: { ...deployment.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  return child;
}

/** Where it listens, which the log doesn't say when clients use another origin. */
async function startOn(port: string, env: NodeJS.ProcessEnv): Promise<string> {
  await untilPrinted(serve({ ...env, PORT: port }), '"ready"');
  return `http://127.0.0.1:${port}`;
}

describe('serve with DOCS_DIR and PUBLIC_ORIGIN', () => {
  const answers: Record<string, { status: number; body: string; headers: Headers }> = {};

  beforeAll(async () => {
    const base = await startOn(String(await findFreePort()), { DOCS_DIR: docs, PUBLIC_ORIGIN: publicOrigin });
    for (const path of [
      '/',
      '/docs',
      '/docs/openapi.yaml',
      '/docs/openapi.json',
      '/docs/types.gen.ts',
      '/docs/nowhere',
    ]) {
      const response = await fetch(base + path);
      answers[path] = { status: response.status, body: await response.text(), headers: response.headers };
    }
  });

  test.each(['/docs', '/docs/openapi.yaml', '/docs/openapi.json'])('%s names that origin, and no other', (path) => {
    expect(answers[path]?.status).toBe(200);
    expect(answers[path]?.body).toContain(`${publicOrigin}/v1`);
    expect(answers[path]?.body).toContain(encodeURIComponent(`${publicOrigin}/auth`));
    expect(answers[path]?.body).not.toMatch(/localhost(?::\{port\}|:8080|%3A8080)/);
  });

  test('the contract has it in servers, token endpoints and examples, in both forms', () => {
    const json = JSON.parse(answers['/docs/openapi.json']?.body ?? '');
    expect(json).toEqual(parse(answers['/docs/openapi.yaml']?.body ?? '', { merge: true }));
    expect(json.servers).toEqual([{ url: `${publicOrigin}/v1`, description: expect.any(String) }]);
    const schemes: { flows: Record<string, { tokenUrl: string }> }[] = Object.values(json.components.securitySchemes);
    const tokenUrls = schemes.flatMap(({ flows = {} }) => Object.values(flows).map(({ tokenUrl }) => tokenUrl));
    expect(new Set(tokenUrls)).toEqual(new Set([`${publicOrigin}/auth/oauth2/token`]));
  });

  test('the types that its samples import are next to it', () => {
    expect(answers['/docs/types.gen.ts']?.status).toBe(200);
    expect(answers['/docs/types.gen.ts']?.body).toContain('export interface paths {');
    expect(answers['/docs/openapi.json']?.body).toContain(
      "'./types.gen.ts'; // next to the reference, at /docs/types.gen.ts; or by lockstep generate",
    );
  });

  test('the contract is the published one, with its choices and samples, and reads well', () => {
    const yaml = answers['/docs/openapi.yaml']?.body ?? '';
    const file = readFileSync(join(root, 'generated/published.gen.json'), 'utf8');
    const published = JSON.parse(file.replaceAll('http://localhost:8080', publicOrigin));
    const { info, components, paths } = parse(yaml);
    expect({ info, schemas: components.schemas }).toEqual({
      info: published.info,
      schemas: published.components.schemas,
    });
    expect(Object.keys(paths)).toEqual(Object.keys(published.paths));
    expect(yaml).toContain(`source: |-\n            curl ${publicOrigin}/v1/devices \\\n`);
    expect(yaml).toContain(`createClient<paths>({\n              baseUrl: '${publicOrigin}/v1',`);
    expect(yaml).not.toContain('x-generated');
    const flow: string[] = [];
    visit(parseDocument(yaml), {
      Collection: (_, node) => void (node.flow && node.items.length > 0 && flow.push(String(node))),
    });
    expect(flow).toEqual([]);
  });

  test('/ lists it, and files next to the folder are not found', () => {
    expect(JSON.parse(answers['/']?.body ?? '')).toMatchObject({ docs: '/docs' });
    expect(answers['/docs/nowhere']?.status).toBe(404);
  });

  test('the header and the page allow the same scripts', () => {
    const policy = answers['/docs']?.headers.get('content-security-policy') ?? '';
    const inPage = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(answers['/docs']?.body ?? '');
    expect(policy).toBe(`${inPage?.[1]}; frame-ancestors 'none'`);
  });
});

test('serve without DOCS_DIR has nothing under /docs', async () => {
  const child = serve({});
  const origin = /"origin":"([^"]+)"/.exec(await untilPrinted(child, '"ready"'))?.[1];
  expect((await fetch(`${origin}/docs`)).status).toBe(404);
  expect(await (await fetch(`${origin}/`)).json()).not.toHaveProperty('docs');
});

describe('serve is not let start', () => {
  const refused = [
    {
      name: 'a folder that is not there',
      prepare: async () => undefined,
      says: "manifest.json can't be read (ENOENT)",
    },
    {
      name: 'a folder without a page',
      prepare: async (folder: string) => {
        await cp(docs, folder, { recursive: true });
        await rm(join(folder, 'index.html'));
      },
      says: "index.html can't be read (ENOENT)",
    },
    {
      name: 'the docs of another version',
      prepare: async (folder: string) => {
        await mkdir(folder);
        await writeFile(join(folder, 'manifest.json'), '{"format": 0}');
      },
      says: 'was built by another version',
    },
    {
      name: 'the docs of another contract',
      prepare: (folder: string) => build('--contract', museum, '--out', folder),
      says: 'was built from another contract than the one that is served',
    },
    {
      name: 'docs that name another contract',
      prepare: async (folder: string) => {
        await cp(docs, folder, { recursive: true });
        const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
        await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, contract: 'sha256:ab' }));
      },
      says: 'was built from another contract than the one that is served',
    },
  ];
  const isRefused = async ({ name, prepare, says }: (typeof refused)[number]) => {
    const folder = join(deployment.folder, name.replaceAll(' ', '-'));
    await prepare(folder);
    const child = serve({ DOCS_DIR: folder });
    const [stdout, stderr, [exitCode]] = await Promise.all([
      child.stdout ? text(child.stdout) : '',
      child.stderr ? text(child.stderr) : '',
      once(child, 'exit'),
    ]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect(stderr).toContain(`\nBuild it: npm run docs -- --build-only --out ${folder}\n`);
  };
  // A process for each: what `readDocs` refuses is a table of its own.
  test.each(refused.slice(-1))('with $name, and names the command', isRefused);
  test.each(refused.slice(0, -1))('with $name, and names the command', { tags: ['full'] }, isRefused);
});
