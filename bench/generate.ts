import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageFolder, versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const contract = join(root, 'openapi/service.yaml');
const rounds = 7;

/** No telemetry and no look for updates: neither belongs into the time. */
const quiet = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
const ours = [join(root, 'cli/main.ts'), 'generate', '--contract', contract, '--out'];

/**
 * The commands that take turns. Lockstep keeps its compiled code from one run to the next (`enableCompileCache`), the peers don't: so it is timed as a
 * maintainer meets it, and without that cache, as in the first run after an install.
 */
const commands = {
  ours: { name: 'lockstep generate', line: ours, output: '', env: quiet },
  first: {
    name: 'lockstep generate, nothing compiled yet',
    line: ours,
    output: '',
    env: { ...quiet, NODE_DISABLE_COMPILE_CACHE: '1' },
  },
  types: {
    name: 'openapi-typescript',
    line: [binOf('openapi-typescript', 'toolkit'), contract, '-o'],
    output: 'types.ts',
    env: quiet,
  },
  bundle: {
    name: 'redocly bundle',
    line: [binOf('@redocly/cli', 'docs'), 'bundle', contract, '-o'],
    output: 'contract.json',
    env: quiet,
  },
} as const;
type Key = keyof typeof commands;

/** The stock tools derive types and a bundle; ours derives the operation table and the handler interface too. */
export const generate: Question = {
  asks: "How long does `lockstep generate` take, compared with openapi-typescript's and `redocly bundle`'s own commands, one after another?",
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-generate-'));
    const times: Record<Key, number[]> = { ours: [], first: [], types: [], bundle: [] };
    // One round more than counted: the first reads everything into the page cache, and fills the compile cache of ours.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [key, { name, line, output, env }] of Object.entries(commands) as [Key, (typeof commands)[Key]][]) {
        progress(`round ${round} of ${rounds}: ${name}`);
        const started = performance.now();
        // In an empty folder: nobody's configuration is read, the peers run as they come.
        await run(process.execPath, [...line, join(folder, `${round}`, key, output)], { cwd: folder, env });
        if (round > 0) times[key].push(performance.now() - started);
      }
    }
    await rm(folder, { recursive: true });
    const peers = times.types.map((time, index) => time + (times.bundle[index] ?? 0));
    // Round by round: what else the machine does in one falls on both sides of it.
    const ratioOf = (key: Key) => median(times[key].map((time, index) => time / (peers[index] ?? Number.NaN)));
    return {
      rows: [
        ...Object.entries(commands).map(([key, { name }]) => ({ name, milliseconds: times[key as Key] })),
        { name: 'both peers, one after another', milliseconds: peers },
      ],
      ratios: [
        { name: 'as a maintainer meets it', ratio: ratioOf('ours'), target: 0.7 },
        { name: 'nothing compiled yet', ratio: ratioOf('first') },
      ],
      versions: {
        ...(await versionsOf(['openapi-typescript'], 'toolkit')),
        ...(await versionsOf(['@redocly/cli'], 'docs')),
      },
    };
  },
};

function binOf(name: string, workspace: string): string {
  return join(packageFolder(name, workspace), 'bin/cli.js');
}
