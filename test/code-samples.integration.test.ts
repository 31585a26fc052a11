import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Operation, operations } from '@lockstep/contract/operations';
import published from '@lockstep/contract/published.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { getToken } from '../mock/fixtures/get-token.ts';
import { type DemoService, startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, the first thing that somebody pastes from the reference does not work.

interface Sample {
  readonly label: string;
  readonly source: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const rows = Object.values<Operation>(operations).map((operation) => {
  const [, , path = '', method = ''] = operation.pointer.split('/');
  const items: Readonly<Record<string, Readonly<Record<string, unknown>>>> = published.paths;
  const node = items[path.replaceAll('~1', '/').replaceAll('~0', '~')]?.[method];
  const { 'x-codeSamples': samples = [] } = node as { 'x-codeSamples'?: readonly Sample[] };
  return { name: operation.operationId, operation, samples };
});
const withSuccess = rows.filter(({ operation }) => operation.statuses.includes(200));

const ajv = new Ajv2020({ strict: false, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(published, 'published');

let folder: string;
let service: DemoService;
let env: NodeJS.ProcessEnv;
/** Stands for the example of the contract: ids are the server's to choose. */
let jobId: string;

beforeAll(async () => {
  service = await startDemoService();
  const own = service.clients.find(({ clientId }) => clientId === 'demo-own');
  env = {
    ...process.env,
    TOKEN: await getToken(service, 'demo-own'),
    CLIENT_ID: own?.clientId,
    CLIENT_SECRET: own?.secret,
  };
  jobId = await createJob();
  // Inside the project, where a sample finds `openapi-fetch` as it would in a project of its reader.
  await mkdir(join(root, 'dist'), { recursive: true });
  folder = await mkdtemp(join(root, 'dist/samples-'));
  await symlink(join(root, 'generated/types.gen.ts'), join(folder, 'types.gen.ts'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function createJob(): Promise<string> {
  const answer = await fetch(`${service.origin}/v1/devices/LK2A00000001/jobs/bridges/BR1A00000001`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.TOKEN}`, 'content-type': 'application/json' },
    body: '{"jobType":"GET_DEVICE_STATUS"}',
  });
  return ((await answer.json()) as { jobId: string }).jobId;
}

/** Runs a program to its end. @throws Error with all that it printed where it fails */
async function run(file: string, args: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(file, args, { cwd: folder, env }, (error, stdout, stderr) =>
    error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}\n${stderr}`)),
  );
  return promise;
}

const known = new Map<string, Promise<boolean>>();

function isThere(program: string): Promise<boolean> {
  const asked =
    known.get(program) ??
    run(program, ['--version']).then(
      () => true,
      () => false,
    );
  known.set(program, asked);
  return asked;
}

async function save(name: string, { source }: Sample): Promise<string> {
  const file = join(folder, name);
  const example = published.paths['/jobs/{jobId}'].parameters[0]?.example ?? '';
  const text = source.replaceAll('http://localhost:8080', service.origin).replaceAll(example, jobId);
  await writeFile(file, `${text}\n`);
  return file;
}

/** Expects that the sample printed a declared answer and no error, or nothing if the answer has no content. */
function expectAnswer({ pointer }: Operation, printed: string): void {
  const media = `${pointer}/responses/200/content/application~1json`;
  if (!isPublished(media)) {
    expect(printed.trim()).toMatch(/^(?:200)?$/);
    return;
  }
  const fits = ajv.compile({ $ref: `published${media}/schema` });
  fits(JSON.parse(printed));
  expect([printed, fits.errors]).toEqual([printed, null]);
}

function isPublished(pointer: string): boolean {
  const steps = pointer.slice(2).split('/');
  const names = steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return (
    names.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], published) !==
    undefined
  );
}

type Language = (typeof languages)[number];
const languages = [
  { label: 'curl', program: 'curl', extension: 'sh', runner: 'bash' },
  { label: 'TypeScript', program: process.execPath, extension: 'ts', runner: process.execPath },
  { label: 'Python', program: 'python3', extension: 'py', runner: 'python3' },
];

/** A request without a body, a form with credentials, and JSON. */
const ofEachKind = ['getDevices', 'exchangeToken', 'createDailyAlgoPin'];

describe.each(withSuccess)('$name', ({ name, operation, samples }) => {
  const isKind = ofEachKind.includes(name);
  const inAll = languages.filter((language) => isKind || language.label === 'curl');
  const title = 'gets its answer by the sample for $label';
  const getsAnswer = async (language: Language, { skip }: TestContext) => {
    const { label, program, extension, runner } = language;
    if (!(await isThere(program))) return skip(`${program} is not installed.`);
    const file = await save(`${name}.${extension}`, find(samples, label));
    expectAnswer(operation, await run(runner, [file]));
  };
  test.for(inAll)(title, getsAnswer);
  test.for(languages.filter((language) => !inAll.includes(language)))(title, { tags: ['full'] }, getsAnswer);
});

test('an operation without a success of its own is shown for curl alone, and gets where it leads', async () => {
  const others = rows.filter((row) => !withSuccess.includes(row));
  expect(others.map(({ name }) => name)).toEqual(['login']);
  for (const { name, samples } of others) {
    expect(samples.map(({ label }) => label)).toEqual(['curl']);
    expect(await run('bash', [await save(`${name}.sh`, find(samples, 'curl'))])).toMatch(/^HTTP\/1\.1 303 /);
  }
});

test('the samples for TypeScript are right by their types', async () => {
  for (const { name, samples } of withSuccess) await save(`${name}.ts`, find(samples, 'TypeScript'));
  const config = { extends: '../../tsconfig.json', include: ['*.ts'], exclude: [] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  expect(await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder])).toBe('');
});

test('no sample shows a secret', () => {
  const all = rows.flatMap(({ samples }) => samples.map(({ source }) => source)).join('\n');
  expect(all).not.toMatch(/Bearer (?!\$)\w|Basic (?!\$)\w/);
});

function find(samples: readonly Sample[], label: string): Sample {
  const found = samples.find((sample) => sample.label === label);
  if (found === undefined) throw new Error(`there is no sample for ${label}`);
  return found;
}
