import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { quoteWord } from '@lockstep/shell/printable';
import type { Fix } from '@lockstep/shell/wrong-use';
import { readConfig } from '../config.ts';
import { describeDatabase, readDatabaseAddress } from '../store/database-address.ts';

/** How this process was started, which determines how an operator types a command. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The running Node. */
  readonly node: string;
}

const root = join(import.meta.dirname, '../..');
const main = join(root, 'server/main.ts');

/** A fix as one line to paste: `Create one: npm run -s lockstep-server -- keys create .lockstep/keys.json`. */
export function formatFix(fix: Fix, surroundings?: Surroundings): string {
  return `${fix.message}: ${formatCommand(fix, surroundings)}`;
}

/** The command of a fix for a POSIX shell, in the operator's working directory. */
export function formatCommand(
  { command, database }: Pick<Fix, 'command' | 'database'>,
  surroundings: Surroundings = { env: process.env, cwd: process.cwd(), node: process.execPath },
): string {
  const [program, ...words] = command;
  const quoted = words.map(quoteWord);
  if (program === 'npm') return ['npm', ...formatPrefix(surroundings), ...quoted].join(' ');
  if (program !== 'lockstep-server') return [program, ...quoted].join(' ');
  return [...formatEnvironment(surroundings, words, database), ...formatServer(surroundings), ...quoted].join(' ');
}

function formatServer({ env, cwd, node }: Surroundings): readonly string[] {
  if (isSame(env.npm_package_json, join(root, 'package.json'))) {
    return ['npm', ...formatPrefix({ cwd, env }), 'run', '-s', 'lockstep-server', '--'];
  }
  return [isFirstOnPath(env.PATH, node) ? 'node' : quoteWord(node), quoteWord(relative(cwd, main))];
}

/** npm runs the scripts of the working directory. */
function formatPrefix({ env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): readonly string[] {
  return relative(root, env.INIT_CWD ?? cwd).startsWith('..') ? ['--prefix', quoteWord(root)] : [];
}

/** The operator's shell may lack variables of the service manager: the command would use another database unnoticed. */
function formatEnvironment({ env }: Surroundings, [topic]: readonly string[], database?: string): readonly string[] {
  if (topic === 'keys') return []; // names its file itself
  const isDefault = database === describeDatabase(readConfig({}).database);
  const url = database === undefined ? readUrl(env.DATABASE_URL) : isDefault ? undefined : `sqlite:${database}`;
  const set = { DATABASE_URL: url, LOCKSTEP_KEYS: env.LOCKSTEP_KEYS };
  return Object.entries(set).flatMap(([name, value]) => (value ? [`${name}=${quoteWord(value)}`] : []));
}

/** A password is not printed: the operator's shell may have it in `PGPASSWORD` or `~/.pgpass`. */
function readUrl(text = ''): string | undefined {
  const address = readDatabaseAddress(text);
  return address.kind === 'postgres' ? describeDatabase(address) : text;
}

/** The Node of the machine is often another, older one than the one that runs here. */
function isFirstOnPath(path = '', node: string): boolean {
  const found = path.split(delimiter).find((folder) => existsSync(join(folder, 'node')));
  return found !== undefined && isSame(join(found, 'node'), node);
}

function isSame(one: string | undefined, other: string): boolean {
  return one !== undefined && existsSync(one) && realpathSync(one) === realpathSync(other);
}
