import { type Command, Option } from 'commander';
import { checks } from '../checks/checks.ts';
import { builtPhases } from '../phases/phase.ts';
import { reports } from '../reports/reports.ts';

/** Options as commander hands them over: text, checked by `readOptions`. */
export interface RawOptions {
  readonly contract?: string;
  readonly baseUrl?: string;
  readonly authUrl?: string;
  readonly token?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly header?: readonly string[];
  readonly operation?: readonly string[];
  readonly exclude?: readonly string[];
  readonly check?: readonly string[];
  readonly phase?: readonly string[];
  readonly readOnly?: boolean;
  readonly writes?: string;
  readonly allowEffects?: string;
  readonly budget?: string;
  readonly seed?: string;
  readonly now?: string;
  readonly workers?: string;
  readonly rate?: string;
  readonly timeout?: string;
  readonly maxWait?: string;
  readonly slow?: string;
  readonly failOn?: string;
  readonly report?: string;
  readonly out?: string;
  readonly json?: boolean;
}

const table: readonly (readonly [flags: string, about: string, env?: string])[] = [
  ['--contract <file|url>', 'the OpenAPI 3 document, YAML or JSON', 'LOCKSTEP_CONTRACT'],
  ['--base-url <url>', 'where the API runs; replaces the servers of the contract', 'LOCKSTEP_BASE_URL'],
  [
    '--auth-url <url>',
    'where operations with servers of their own run, such as the authorization server',
    'LOCKSTEP_AUTH_URL',
  ],
  ['--token <token>', 'bearer token or API key', 'LOCKSTEP_TOKEN'],
  ['--client-id <id>', 'client for tokens by client credentials, and for HTTP Basic', 'LOCKSTEP_CLIENT_ID'],
  ['--client-secret <secret>', 'its secret', 'LOCKSTEP_CLIENT_SECRET'],
  ['--header <line...>', "a header for every request, 'Name: value'"],
  ['--operation <name...>', "only these: an operationId, 'GET /path', a path or a tag"],
  ['--exclude <name...>', 'all but these'],
  ['--check <name...>', `only these checks: ${checks.map(({ name }) => name).join(', ')}`],
  ['--phase <name...>', `only these phases; built: ${builtPhases.join(', ')}`],
  ['--read-only', 'GET, HEAD, OPTIONS and token calls alone, 5 a second unless --rate says otherwise'],
  [
    '--writes <mode>',
    'owned: change only what this run made; restore: also write back what was read; all (default: restore)',
  ],
  ['--allow-effects <kinds>', 'x-effect kinds that may be caused, as in physical,remote; none by default'],
  ['--budget <bounds>', 'stop at 300req, at 30s, or at the first of both: 300req,30s'],
  ['--seed <number>', 'what is drawn by chance follows from it (default: 1)'],
  ['--now <time>', 'the clock of the data that is sent (default: the system clock)'],
  ['--workers <number>', 'requests in flight; changes nothing in what is sent (default: 16)'],
  ['--rate <rate>', 'at most so many requests, as in 5/s'],
  ['--timeout <ms>', 'silence that counts as no answer (default: 10000)'],
  ['--max-wait <ms>', 'longest wait that a Retry-After may ask for (default: 30000)'],
  ['--slow <ms>', 'answers that take longer are defects; off by default'],
  [
    '--fail-on <kinds>',
    'exit 1 also for any of suspect, warning, unreached (an operation was never accepted); leave out with --exclude what must not be called',
  ],
  ['--report <names>', `any of ${Object.keys(reports).join(', ')}, written to --out`],
  ['--out <folder>', 'where reports go (default: lockstep-conform-report)'],
  ['--json', 'print the JSON report instead of text'],
];

export function addOptions(command: Command): Command {
  for (const [flags, about, env] of table) {
    const option = new Option(flags, about);
    command.addOption(env === undefined ? option : option.env(env));
  }
  return command;
}
