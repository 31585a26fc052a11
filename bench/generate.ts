import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, type Question } from './question.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const contract = join(root, 'openapi/service.yaml');
const rounds = 7;

/** The stock tools derive types and a bundle; ours derives the operation table and the handler interface too. */
export const generate: Question = {
  asks: "How long does `lockstep generate` take beside openapi-typescript's and `redocly bundle`'s own commands, one after another?",
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-generate-'));
    const commands = {
      'lockstep generate': [join(root, 'toolkit/main.ts'), 'generate', '--contract', contract, '--out'],
      'openapi-typescript': [binOf('openapi-typescript', 'toolkit'), contract, '-o'],
      'redocly bundle': [binOf('@redocly/cli', 'docs'), 'bundle', contract, '-o'],
    };
    const outputs = { 'lockstep generate': '', 'openapi-typescript': 'types.ts', 'redocly bundle': 'contract.json' };
    const times = { 'lockstep generate': [], 'openapi-typescript': [], 'redocly bundle': [] } as Record<
      keyof typeof commands,
      number[]
    >;
    // One round more than counted: the first reads everything into the page cache.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, command] of Object.entries(commands) as [keyof typeof commands, string[]][]) {
        progress(`round ${round} of ${rounds}: ${name}`);
        const output = join(folder, `${round}`, name.replace(' ', '-'), outputs[name]);
        const started = performance.now();
        // In an empty folder: nobody's configuration is read, the peers run as they come.
        await run(process.execPath, [...command, output], { cwd: folder, env: quiet });
        if (round > 0) times[name].push(performance.now() - started);
      }
    }
    await rm(folder, { recursive: true });
    const peers = times['openapi-typescript'].map((time, index) => time + (times['redocly bundle'][index] ?? 0));
    return {
      rows: [
        ...Object.entries(times).map(([name, milliseconds]) => ({ name, milliseconds })),
        { name: 'both peers, one after another', milliseconds: peers },
      ],
      // Round by round: what else the machine does in one falls on both sides of it.
      ratio: median(times['lockstep generate'].map((time, index) => time / (peers[index] ?? Number.NaN))),
      target: 0.7,
      versions: {
        'openapi-typescript': await versionOf('openapi-typescript', 'toolkit'),
        '@redocly/cli': await versionOf('@redocly/cli', 'docs'),
      },
    };
  },
};

/** No telemetry and no look for updates: neither belongs into the time. */
const quiet = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

function packageFolder(name: string, workspace: string): string {
  const require = createRequire(join(root, workspace, 'package.json'));
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return dirname(require.resolve(`${folder}/${name}/package.json`));
    } catch {}
  }
  throw new Error(`${name} is not installed`);
}

function binOf(name: string, workspace: string): string {
  return join(packageFolder(name, workspace), 'bin/cli.js');
}

async function versionOf(name: string, workspace: string): Promise<string> {
  return JSON.parse(await readFile(join(packageFolder(name, workspace), 'package.json'), 'utf8')).version;
}
