import { type Command, Option } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import { checks } from '../checks/checks.ts';
import type { ServerPlace } from '../contract/servers.ts';
import type { PhaseName } from '../execute/exchange.ts';
import { type Budget, readBudget, readRate } from '../execute/limits.ts';
import { builtPhases, phases } from '../phases/phase.ts';
import type { WriteMode } from '../plan/permissions.ts';
import { type ReportName, reports } from '../reports/reports.ts';

/** As commander hands an option over. */
type Given = string | boolean | readonly string[] | undefined;

/** Options as commander hands them over, by the names of the table. */
export type RawOptions = Readonly<Record<string, Given>>;

interface OptionRow {
  readonly flags: string;
  readonly about: string;
  readonly env?: string;
  /** Given several times, it has several values. */
  readonly isRepeatable?: true;
  /**
   * Left out: the value is the text itself.
   *
   * @throws RangeError with a sentence: what was given, what is wanted, what is nearest
   */
  readonly read?: (given: Given, flag: string) => unknown;
}

const checkNames = checks.map(({ name }) => name);

/** Every option of the runner, by the group of its help: its variable and its reader follow from one row. */
const groups = {
  'Target:': {
    contract: {
      flags: '--contract <file|url>',
      about: 'the OpenAPI 3 document, YAML or JSON',
      env: 'LOCKSTEP_CONTRACT',
    },
    allowFiles: {
      flags: '--allow-files <folder>',
      about: 'a folder outside that of the contract whose files it may refer to; may stand several times',
      isRepeatable: true,
      read: texts,
    },
    baseUrl: {
      flags: '--base-url <url>',
      about: 'where the API runs; replaces the servers of the contract',
      env: 'LOCKSTEP_BASE_URL',
      read: url,
    },
    authUrl: {
      flags: '--auth-url <url>',
      about: 'where operations of other servers run, such as the authorization server; --server says it of one server',
      env: 'LOCKSTEP_AUTH_URL',
      read: url,
    },
    server: {
      flags: '--server <url=url>',
      about:
        'where operations run that have a server of their own: the server as the contract writes it, and its address; may stand several times',
      isRepeatable: true,
      read: serverPlaces,
    },
    waitForTarget: {
      flags: '--wait-for-target <time>',
      about: 'begin when the base URL answers, whatever it answers, and give up after 30s, 2m',
      read: duration,
    },
    ca: { flags: '--ca <file>', about: 'certificates (PEM) of authorities to trust besides those of the system' },
  },
  'Credentials:': {
    token: {
      flags: '--token <token>',
      about:
        "bearer token or API key for whatever asks for one; 'items:read items:write=TOKEN' is a token for these scopes of the contract, and may stand several times",
      env: 'LOCKSTEP_TOKEN',
      isRepeatable: true,
      read: texts,
    },
    credential: {
      flags: '--credential <scheme=value>',
      about:
        "for one security scheme of the contract, by its name: an API key, a token, or 'name:password' for HTTP Basic; may stand several times",
      env: 'LOCKSTEP_CREDENTIAL',
      isRepeatable: true,
      read: texts,
    },
    user: {
      flags: '--user <name:password>',
      about: 'for HTTP Basic, and for tokens by password where the contract has no other way',
      env: 'LOCKSTEP_USER',
      read: user,
    },
    clientId: {
      flags: '--client-id <id>',
      about:
        'client for tokens by client credentials, a token for each set of scopes; for HTTP Basic where there is no --user',
      env: 'LOCKSTEP_CLIENT_ID',
    },
    clientSecret: { flags: '--client-secret <secret>', about: 'its secret', env: 'LOCKSTEP_CLIENT_SECRET' },
    refreshToken: {
      flags: '--refresh-token <token>',
      about: 'for tokens by refresh token, with the client or without one',
      env: 'LOCKSTEP_REFRESH_TOKEN',
    },
    tokenCommand: {
      flags: '--token-command <command>',
      about: "a command for sh that prints a token; {scope} stands for the scopes, quoted: 'get-token --scope {scope}'",
    },
    authFile: {
      flags: '--auth-file <file>',
      about:
        'users and how they log in, in the format of Web Fuzzing Commons; the first is the account of the run, the second the second account',
      env: 'LOCKSTEP_AUTH_FILE',
    },
    account: { flags: '--account <name>', about: 'another user of the file for the run' },
    header: {
      flags: '--header <line...>',
      about:
        "a header for every request, 'Name: value'; Authorization, Cookie and those that a security scheme names are credentials, left out where a request is sent without",
      read: headers,
    },
    cert: { flags: '--cert <file>', about: 'client certificate (PEM)' },
    key: { flags: '--key <file>', about: 'its private key (PEM)' },
    keyPassword: {
      flags: '--key-password <password>',
      about: 'what the key is encrypted with',
      env: 'LOCKSTEP_KEY_PASSWORD',
    },
  },
  'Second account:': {
    secondAccount: { flags: '--second-account <name>', about: 'the user of --auth-file that is the second account' },
    secondToken: {
      flags: '--second-token <token>',
      about: 'as --token, for an account that must not see what the first one owns',
      env: 'LOCKSTEP_SECOND_TOKEN',
      isRepeatable: true,
      read: texts,
    },
    secondCredential: {
      flags: '--second-credential <scheme=value>',
      about: 'as --credential',
      env: 'LOCKSTEP_SECOND_CREDENTIAL',
      isRepeatable: true,
      read: texts,
    },
    secondUser: { flags: '--second-user <name:password>', about: 'as --user', env: 'LOCKSTEP_SECOND_USER', read: user },
    secondClientId: { flags: '--second-client-id <id>', about: 'as --client-id', env: 'LOCKSTEP_SECOND_CLIENT_ID' },
    secondClientSecret: {
      flags: '--second-client-secret <secret>',
      about: 'as --client-secret',
      env: 'LOCKSTEP_SECOND_CLIENT_SECRET',
    },
  },
  'What is tested:': {
    operation: {
      flags: '--operation <name...>',
      about: "only these: an operationId, 'GET /path', a path or a tag",
      read: texts,
    },
    exclude: { flags: '--exclude <name...>', about: 'all but these', read: texts },
    excludeDeprecated: {
      flags: '--exclude-deprecated',
      about: 'all but what the contract calls deprecated',
      read: flag,
    },
    check: {
      flags: '--check <name...>',
      about: `only these checks: ${checkNames.join(', ')}`,
      read: (given, name) => someOf(checkNames, texts(given).flatMap(listed), name),
    },
    phase: {
      flags: '--phase <name...>',
      about: `only these phases; built: ${builtPhases.join(', ')}`,
      read: phaseNames,
    },
    slow: {
      flags: '--slow <ms>',
      about: 'answers that take longer are defects; off by default',
      read: (given, name) => (given === undefined ? undefined : whole(given, name, { otherwise: 0, least: 1 })),
    },
  },
  'What may be sent:': {
    readOnly: {
      flags: '--read-only',
      about: 'GET, HEAD, OPTIONS, token calls and log-ins alone, 5 a second unless --rate says otherwise',
      read: flag,
    },
    writes: {
      flags: '--writes <mode>',
      about:
        'owned: create (a POST to a path with items beneath it, or one that the contract answers with 201 or Location), change and delete only what this run created; restore: besides, change what was there by writing back what was read of it; all: change and delete whatever is found. Any other POST is an action (…/reset): one at a time, and sent only under all, under x-idempotency, or where its x-effect is allowed (default: restore)',
      read: (given, name) => someOf(['owned', 'restore', 'all'], [text(given) ?? 'restore'], name)[0] as WriteMode,
    },
    allowEffects: {
      flags: '--allow-effects <kinds>',
      about: 'x-effect kinds that may be caused, as in physical,remote; none by default',
      read: listed,
    },
  },
  'How it is sent:': {
    budget: {
      flags: '--budget <bounds>',
      about: 'stop at 300req, at 30s, or at the first of both: 300req,30s',
      read: (given): Budget =>
        given === undefined ? { requests: undefined, milliseconds: undefined } : readBudget(String(given)),
    },
    seed: {
      flags: '--seed <number>',
      about: 'what is drawn by chance follows from it (default: 1)',
      read: (given, name) => whole(given, name, { otherwise: 1 }),
    },
    now: {
      flags: '--now <time>',
      about: 'the clock of the data that is sent (default: the system clock)',
      read: instant,
    },
    workers: {
      flags: '--workers <number>',
      about:
        'most requests in flight; those that may disturb each other wait for each other, so that any number sends the same (default: 16)',
      read: (given, name) => whole(given, name, { otherwise: 16, least: 1 }),
    },
    rate: {
      flags: '--rate <rate>',
      about: 'at most so many requests, as in 5/s',
      read: (given) => (given === undefined ? undefined : readRate(String(given))),
    },
    timeout: {
      flags: '--timeout <ms>',
      about: 'silence that counts as no answer (default: 10000)',
      read: (given, name) => whole(given, name, { otherwise: 10_000, least: 1 }),
    },
    maxWait: {
      flags: '--max-wait <ms>',
      about: 'longest wait that a Retry-After may ask for (default: 30000)',
      read: (given, name) => whole(given, name, { otherwise: 30_000 }),
    },
  },
  'Results:': {
    failOn: {
      flags: '--fail-on <kinds>',
      about:
        'exit 1 also for any of suspect, warning, unreached (an operation was never accepted); leave out with --exclude what must not be called',
      read: (given, name) => someOf(['suspect', 'warning', 'unreached'], listed(given), name),
    },
    report: {
      flags: '--report <names>',
      about: `any of ${Object.keys(reports).join(', ')}, with commas between, written to --out`,
      read: (given, name) => someOf(Object.keys(reports), listed(given), name) as readonly ReportName[],
    },
    out: {
      flags: '--out <folder>',
      about: 'where reports go (default: lockstep-conform-report)',
      read: (given) => text(given) ?? 'lockstep-conform-report',
    },
    json: { flags: '--json', about: 'print the JSON report instead of text', read: flag },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, OptionRow>>>>;

export const optionTable = {
  ...groups['Target:'],
  ...groups['Credentials:'],
  ...groups['Second account:'],
  ...groups['What is tested:'],
  ...groups['What may be sent:'],
  ...groups['How it is sent:'],
  ...groups['Results:'],
};

type Table = typeof optionTable;

const rows = Object.entries<OptionRow>(optionTable);

/** Every option, read. */
export type OptionValues = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly read: (...given: never) => infer Value }
    ? Value
    : string | undefined;
};

export function addOptions(command: Command): Command {
  for (const [group, own] of Object.entries<Readonly<Record<string, OptionRow>>>(groups)) {
    for (const { flags, about, env, isRepeatable } of Object.values(own)) {
      const option = new Option(flags, about).helpGroup(group);
      if (env !== undefined) option.env(env);
      if (isRepeatable)
        option.argParser((one: string, before: readonly string[] | undefined) => [...(before ?? []), one]);
      command.addOption(option);
    }
  }
  return command;
}

/** Reads what commander handed over; every fault at once. `needsTarget` is false for what sends nothing. */
export function readOptions(
  raw: RawOptions,
  needsTarget: boolean,
): { readonly values: OptionValues; readonly faults: readonly string[] } {
  const faults: string[] = [];
  if (raw.contract === undefined) faults.push('--contract FILE is needed.');
  if (raw.baseUrl === undefined && needsTarget) faults.push('--base-url URL is needed.');
  const values = rows.map(([name, row]) => {
    const { read = text } = row;
    try {
      return [name, read(raw[name], flagOf(row))] as const;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(error.message);
      return [name, read(undefined, flagOf(row))] as const;
    }
  });
  // A variable of CI that is not set: without a word the run would be one of nobody.
  for (const [name, row] of rows) {
    if ([raw[name]].flat().includes(''))
      faults.push(`${flagOf(row)} is empty: is the variable set that it comes from?`);
  }
  for (const [option, other] of needed) {
    if (raw[option] !== undefined && raw[other] === undefined)
      faults.push(`${flagOf(optionTable[option])} needs ${flagOf(optionTable[other])} too.`);
  }
  return { values: Object.fromEntries(values) as OptionValues, faults };
}

/** Options that mean nothing without another one. */
const needed: readonly (readonly [option: keyof Table, other: keyof Table])[] = [
  ['clientSecret', 'clientId'],
  ['secondClientSecret', 'secondClientId'],
  ['secondClientId', 'secondClientSecret'],
  ['cert', 'key'],
  ['key', 'cert'],
  ['keyPassword', 'key'],
  ['account', 'authFile'],
  ['secondAccount', 'authFile'],
];

function flagOf({ flags }: OptionRow): string {
  return flags.split(' ')[0] ?? '';
}

/** ` Did you mean X?` where one of the names is near. */
export function suggest(given: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const nearest = closest(given, [...known]);
  return distance(given, nearest) <= given.length / 2 ? ` Did you mean ${nearest}?` : '';
}

function text(given: Given): string | undefined {
  return typeof given === 'string' ? given : undefined;
}

function texts(given: Given): readonly string[] {
  return typeof given === 'string' ? [given] : typeof given === 'object' ? given : [];
}

function flag(given: Given): boolean {
  return given === true;
}

function listed(given: Given): readonly string[] {
  return (text(given) ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function whole(
  given: Given,
  name: string,
  { otherwise, least = 0 }: { readonly otherwise: number; readonly least?: number },
): number {
  if (given === undefined) return otherwise;
  if (!/^\d{1,12}$/.test(String(given)) || Number(given) < least)
    throw new RangeError(`${name} ${given}: give a whole number from ${least} on.`);
  return Number(given);
}

function someOf(known: readonly string[], given: readonly string[], name: string): readonly string[] {
  const unknown = given.filter((one) => !known.includes(one));
  if (unknown.length === 0) return given;
  throw new RangeError(
    unknown
      .map((one) => `${name} ${one} does not exist.${suggest(one, known)} There are: ${known.join(', ')}.`)
      .join('\n'),
  );
}

function phaseNames(given: Given, name: string): readonly PhaseName[] {
  if (given === undefined) return builtPhases;
  const wanted = someOf(Object.keys(phases), texts(given).flatMap(listed), name) as readonly PhaseName[];
  const missing = wanted.filter((phase) => !phases[phase].built);
  if (missing.length === 0) return wanted;
  throw new RangeError(`${name} ${missing.join(', ')} is not built yet. Built: ${builtPhases.join(', ')}.`);
}

function url(given: Given, name: string): string | undefined {
  // Told as empty.
  if (typeof given !== 'string' || given === '') return undefined;
  const address = URL.parse(given);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    // `localhost:8080` is an address too, whose scheme is localhost.
    const isHost = /^[\w.-]+(:\d+)?(\/[^@]*)?$/.test(given) || /^\/\/[^@/]+/.test(given);
    const hint = isHost ? `Did you mean http://${given.replace(/^\/\//, '')}?` : 'Write http://HOST:PORT/PATH.';
    throw new RangeError(`${name} ${given} is no http address. ${hint}`);
  }
  // Every report shows the address.
  if (address.username !== '' || address.password !== '')
    throw new RangeError(`${name} ${address.protocol}//…@${address.host}: give user and password by --user.`);
  if (address.search !== '' || address.hash !== '')
    throw new RangeError(`${name} ${given}: leave out the query and the fragment.`);
  return given.replace(/\/+$/, '');
}

function serverPlaces(given: Given, name: string): readonly ServerPlace[] {
  return texts(given).map((pair) => {
    const [, written = '', address = ''] = /^(.+)=(https?:\/\/.*)$/i.exec(pair) ?? [];
    if (written === '')
      throw new RangeError(
        `${name} ${pair}: write SERVER=URL, as in ${name} https://files.example=http://localhost:8081.`,
      );
    return [written, url(address, name) ?? ''];
  });
}

function duration(given: Given, name: string): number | undefined {
  if (given === undefined) return undefined;
  const [, count, unit = ''] = /^(\d+)(ms|s|m)$/.exec(String(given).trim()) ?? [];
  const milliseconds = Number(count) * ({ ms: 1, s: 1_000, m: 60_000 }[unit] ?? Number.NaN);
  if (!(milliseconds > 0)) throw new RangeError(`${name} ${given} is no time: write 30s, 2m or 500ms.`);
  return milliseconds;
}

function instant(given: Given, name: string): number {
  if (given === undefined) return Date.now();
  const time = Date.parse(String(given));
  if (Number.isNaN(time)) throw new RangeError(`${name} ${given} is no time: write 2026-11-20T12:00:00Z.`);
  return time;
}

function headers(given: Given, name: string): readonly (readonly [name: string, value: string])[] {
  return texts(given).map((line) => {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(line);
    // The given text may be a secret, or half of one that stood without quotes.
    if (match === null) throw new RangeError(`${name}: write it in quotes, as in ${name} 'X-Tenant: acme'.`);
    return [match[1] ?? '', match[2] ?? ''];
  });
}

function user(given: Given, option: string): { readonly name: string; readonly password: string } | undefined {
  if (typeof given !== 'string' || given === '') return undefined;
  const at = given.indexOf(':');
  if (at < 1) throw new RangeError(`${option}: write 'name:password'.`);
  return { name: given.slice(0, at), password: given.slice(at + 1) };
}
