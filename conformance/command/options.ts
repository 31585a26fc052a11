import { type Command, Option } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import { checks } from '../checks/checks.ts';
import type { ServerPlace } from '../contract/servers.ts';
import type { PhaseName } from '../execute/exchange.ts';
import { type Budget, readBudget, readRate } from '../execute/limits.ts';
import { failureFile } from '../failures/failure-file.ts';
import { builtPhases } from '../phases/phase.ts';
import type { WriteMode } from '../plan/permissions.ts';
import { type ReportName, reportNames } from '../reports/reports.ts';

/** Value of an option as commander passes it. */
export type Given = string | boolean | readonly string[] | undefined;

/** Options as commander passes them, by the names of the table. */
export type RawOptions = Readonly<Record<string, Given>>;

export interface OptionRow {
  readonly flags: string;
  readonly about: string;
  readonly env?: string;
  /** Whether the option may be given several times. */
  readonly isRepeatable?: true;
  /** Whether its text has several values, separated by commas. */
  readonly isList?: true;
  /** A config file is committed and printed, so it must not contain this option. */
  readonly isSecret?: true;
  /** Names that the option accepts. */
  readonly names?: readonly string[];
  /**
   * Without it, the value is the text itself.
   *
   * @param label the flag, or the line of the config file
   * @throws RangeError with a message that names the given, the expected and the nearest value
   */
  readonly read?: (given: Given, label: string, names: readonly string[]) => unknown;
}

/** The config file that is read if no other is named. */
export const defaultConfig = 'lockstep-conform.yaml';

const checkNames = checks.map(({ name }) => name);

/** Every option of the runner, by the group of its help. */
const groups = {
  'Config file:': {
    config: {
      flags: '--config <file>',
      about: `options by their names here, as in base-url, in YAML (default: ${defaultConfig}, if it exists); the command line and the environment replace them`,
    },
    updateKnown: {
      flags: '--update-known',
      about:
        'accept the findings of this run for 90 days: write them to `known` of the config file, remove those that are gone, and exit with 0',
      read: flag,
    },
  },
  'Target:': {
    contract: {
      flags: '--contract <file|url>',
      about: 'the OpenAPI 3 document, YAML or JSON',
      env: 'LOCKSTEP_CONTRACT',
    },
    allowFiles: {
      flags: '--allow-files <folder>',
      about: 'a further folder whose files the contract may reference; repeatable',
      isRepeatable: true,
      read: texts,
    },
    baseUrl: {
      flags: '--base-url <url>',
      about: 'address of the API; replaces the servers of the contract',
      env: 'LOCKSTEP_BASE_URL',
      read: url,
    },
    authUrl: {
      flags: '--auth-url <url>',
      about: 'address of all other servers, such as the authorization server; --server sets the address of one server',
      env: 'LOCKSTEP_AUTH_URL',
      read: url,
    },
    server: {
      flags: '--server <url=url>',
      about: 'address of one server of the contract: the URL in the contract, then the address to use; repeatable',
      isRepeatable: true,
      read: serverPlaces,
    },
    waitForTarget: {
      flags: '--wait-for-target <time>',
      about: 'wait until the base URL answers with any status, but no longer than this time, such as 30s or 2m',
      read: duration,
    },
    proxy: {
      flags: '--proxy <url>',
      about:
        'send every request through this HTTP proxy, http://HOST:PORT or http://NAME:PASSWORD@HOST:PORT; https:// if the proxy itself uses TLS',
      env: 'LOCKSTEP_PROXY',
      isSecret: true,
      read: proxyAddress,
    },
    ca: { flags: '--ca <file>', about: 'further certificates (PEM) of authorities to trust' },
  },
  'Credentials:': {
    token: {
      flags: '--token <token>',
      about:
        "bearer token or API key for all operations; 'items:read items:write=TOKEN' is a token for these scopes of the contract; repeatable",
      env: 'LOCKSTEP_TOKEN',
      isSecret: true,
      isRepeatable: true,
      read: texts,
    },
    credential: {
      flags: '--credential <scheme=value>',
      about:
        "credential for one security scheme of the contract, by its name: an API key, a token, or 'name:password' for HTTP Basic; repeatable",
      env: 'LOCKSTEP_CREDENTIAL',
      isSecret: true,
      isRepeatable: true,
      read: texts,
    },
    user: {
      flags: '--user <name:password>',
      about: 'name and password for HTTP Basic, and for the password grant if the contract has no other flow',
      env: 'LOCKSTEP_USER',
      isSecret: true,
      read: user,
    },
    clientId: {
      flags: '--client-id <id>',
      about:
        'client for the client credentials grant, which issues a token for each set of scopes; also for HTTP Basic if --user is omitted',
      env: 'LOCKSTEP_CLIENT_ID',
    },
    clientSecret: {
      flags: '--client-secret <secret>',
      about: 'secret of the client',
      env: 'LOCKSTEP_CLIENT_SECRET',
      isSecret: true,
    },
    refreshToken: {
      flags: '--refresh-token <token>',
      about: 'token for the refresh token grant, with or without a client',
      env: 'LOCKSTEP_REFRESH_TOKEN',
      isSecret: true,
    },
    tokenCommand: {
      flags: '--token-command <command>',
      about: "shell command that prints a token; {scope} becomes the quoted scopes: 'get-token --scope {scope}'",
    },
    expiredToken: {
      flags: '--expired-token <token>',
      about: 'a token of the account that has expired: no operation may accept it',
      isSecret: true,
      env: 'LOCKSTEP_EXPIRED_TOKEN',
    },
    authFile: {
      flags: '--auth-file <file>',
      about:
        'users and their log-ins, in the format of Web Fuzzing Commons; the first user is the account of the run, the first other user is the second account',
      env: 'LOCKSTEP_AUTH_FILE',
    },
    account: { flags: '--account <name>', about: 'the user of --auth-file that is the account of the run' },
    header: {
      flags: '--header <line...>',
      about:
        "a header for every request, 'Name: value'; Authorization, Cookie and headers of security schemes count as credentials, so requests without credentials omit them",
      read: headers,
    },
    cert: { flags: '--cert <file>', about: 'client certificate (PEM)' },
    key: { flags: '--key <file>', about: 'private key of the client certificate (PEM)' },
    keyPassword: {
      flags: '--key-password <password>',
      about: 'password of the private key',
      env: 'LOCKSTEP_KEY_PASSWORD',
      isSecret: true,
    },
  },
  'Second account:': {
    secondAccount: { flags: '--second-account <name>', about: 'the user of --auth-file that is the second account' },
    secondToken: {
      flags: '--second-token <token>',
      about:
        'bearer token or API key of the second account, which must not see objects of the first one; for scopes as in --token; repeatable',
      env: 'LOCKSTEP_SECOND_TOKEN',
      isSecret: true,
      isRepeatable: true,
      read: texts,
    },
    secondCredential: {
      flags: '--second-credential <scheme=value>',
      about: 'credential of the second account for one security scheme of the contract; repeatable',
      env: 'LOCKSTEP_SECOND_CREDENTIAL',
      isSecret: true,
      isRepeatable: true,
      read: texts,
    },
    secondUser: {
      flags: '--second-user <name:password>',
      about: 'name and password of the second account, used like --user',
      env: 'LOCKSTEP_SECOND_USER',
      isSecret: true,
      read: user,
    },
    secondClientId: {
      flags: '--second-client-id <id>',
      about: 'client of the second account',
      env: 'LOCKSTEP_SECOND_CLIENT_ID',
    },
    secondClientSecret: {
      flags: '--second-client-secret <secret>',
      about: 'secret of the client of the second account',
      env: 'LOCKSTEP_SECOND_CLIENT_SECRET',
      isSecret: true,
    },
  },
  'Selection:': {
    operation: {
      flags: '--operation <name...>',
      about: "test only these operations: an operationId, 'GET /path', a path or a tag",
      read: texts,
    },
    exclude: { flags: '--exclude <name...>', about: 'test all operations except these', read: texts },
    excludeDeprecated: {
      flags: '--exclude-deprecated',
      about: 'test no operation that the contract marks as deprecated',
      read: flag,
    },
    check: {
      flags: '--check <name...>',
      about: `run only these checks: ${checkNames.join(', ')}`,
      names: checkNames,
      read: (given, name, names) => someOf(names, texts(given).flatMap(listed), name),
    },
    phase: {
      flags: '--phase <name...>',
      about: `run only these phases: ${builtPhases.join(', ')}`,
      names: builtPhases,
      read: phaseNames,
    },
    slow: {
      flags: '--slow <ms>',
      about: 'report each answer that takes longer as a defect; no limit by default',
      read: (given, name) => (given === undefined ? undefined : whole(given, name, { otherwise: 0, least: 1 })),
    },
  },
  'Permissions:': {
    readOnly: {
      flags: '--read-only',
      about: 'send only GET, HEAD, OPTIONS, token calls and log-ins, 5 a second unless --rate is given',
      read: flag,
    },
    writes: {
      flags: '--writes <mode>',
      about:
        'owned: create (a POST to a path with items beneath it, or one with a declared 201 or Location), change and delete only objects that this run created; restore: also change other objects, by writing back the values just read; all: change and delete any object. Any other POST is an action (…/reset), sent alone, and only with all, x-idempotency or an allowed x-effect (default: restore)',
      names: ['owned', 'restore', 'all'],
      read: (given, name, names) => someOf(names, [text(given) ?? 'restore'], name)[0] as WriteMode,
    },
    allowEffects: {
      flags: '--allow-effects <kinds>',
      about: 'kinds of x-effect that requests may have, as in physical,remote; none by default',
      isList: true,
      read: listed,
    },
  },
  'Requests:': {
    budget: {
      flags: '--budget <bounds>',
      about:
        'stop at 300req, at 30s, or at the first of both: 300req,30s; afterwards, findings are shrunk (at most 50 requests or 2 s each, 20 s in all) and objects deleted',
      read: (given): Budget =>
        given === undefined ? { requests: undefined, milliseconds: undefined } : readBudget(String(given)),
    },
    seed: {
      flags: '--seed <number>',
      about: 'seed of all random choices (default: 1)',
      read: (given, name) => whole(given, name, { otherwise: 1 }),
    },
    now: {
      flags: '--now <time>',
      about: 'current time for dates in requests (default: the system clock)',
      read: instant,
    },
    workers: {
      flags: '--workers <number>',
      about:
        'most requests in flight; any number sends the same requests, because requests that may affect each other are sent one by one (default: 16)',
      read: (given, name) => whole(given, name, { otherwise: 16, least: 1 }),
    },
    rate: {
      flags: '--rate <rate>',
      about: 'most requests in a period, as in 5/s or 300/m',
      read: (given) => (given === undefined ? undefined : readRate(String(given))),
    },
    timeout: {
      flags: '--timeout <ms>',
      about: 'longest wait for the header of an answer, then for its content (default: 10000)',
      read: (given, name) => whole(given, name, { otherwise: 10_000, least: 1 }),
    },
    maxWait: {
      flags: '--max-wait <ms>',
      about: 'longest wait for a Retry-After, or for a deployment that stopped (default: 30000)',
      read: (given, name) => whole(given, name, { otherwise: 30_000 }),
    },
  },
  'Results:': {
    failOn: {
      flags: '--fail-on <kinds>',
      about:
        'also exit 1 for any of `suspect` (an inconclusive finding), `warning`, `unreached` (an operation was never accepted); use --exclude for operations that must not be called',
      isList: true,
      names: ['suspect', 'warning', 'unreached'],
      read: (given, name, names) => someOf(names, listed(given), name),
    },
    report: {
      flags: '--report <names>',
      about: `any of ${reportNames.join(', ')}, separated by commas, written to --out; har (HTTP Archive 1.2) has all exchanges in the order of the plan, without credentials, token calls and content over 1 MiB`,
      isList: true,
      names: reportNames,
      read: (given, name, names) => someOf(names, listed(given), name) as readonly ReportName[],
    },
    out: {
      flags: '--out <folder>',
      about: 'folder for reports (default: lockstep-conform-report)',
      read: (given) => text(given) ?? 'lockstep-conform-report',
    },
    events: {
      flags: '--events <file>',
      about:
        'write what happens as NDJSON, one object a line, as soon as it happens: start, progress, request, finding, end; - is the standard output, and the report then goes to the standard error',
    },
    ledger: {
      flags: '--ledger <file>',
      about:
        'file that records each write before it is sent, for the command clean; deleted at the end, unless clean may undo more (default: a new file in --out)',
    },
    failures: {
      flags: '--failures <file>',
      about: `file with the requests of the failures, for the command replay; written if there are findings (default: ${failureFile} in --out)`,
    },
    json: { flags: '--json', about: 'print the JSON report instead of text', read: flag },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, OptionRow>>>>;

export const optionTable = {
  ...groups['Config file:'],
  ...groups['Target:'],
  ...groups['Credentials:'],
  ...groups['Second account:'],
  ...groups['Selection:'],
  ...groups['Permissions:'],
  ...groups['Requests:'],
  ...groups['Results:'],
};

type Table = typeof optionTable;

/** Options about the config file, which it does not contain. */
export const ofConfigFile = Object.keys(groups['Config file:']);

export const rows = Object.entries<OptionRow>(optionTable);

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

/**
 * Reads the options, and collects all faults.
 *
 * @param needsTarget false for a command that sends nothing
 * @param labelOf the source of an option for messages, if it is not the command line
 */
export function readOptions(
  raw: RawOptions,
  needsTarget: boolean,
  labelOf: (name: string) => string | undefined = () => undefined,
): { readonly values: OptionValues; readonly faults: readonly string[] } {
  const faults: string[] = [];
  if (raw.contract === undefined) faults.push('--contract FILE is needed.');
  if (raw.baseUrl === undefined && needsTarget) faults.push('--base-url URL is needed.');
  const values = rows.map(([name, row]) => {
    const { read = text, names = [] } = row;
    const label = labelOf(name) ?? flagOf(row);
    try {
      return [name, read(raw[name], label, names)] as const;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(error.message);
      return [name, read(undefined, label, names)] as const;
    }
  });
  // An unset variable of CI would otherwise lead to a run without credentials.
  for (const [name, row] of rows) {
    if ([raw[name]].flat().includes('')) faults.push(`${flagOf(row)} is empty: check that its variable is set.`);
  }
  for (const [option, other] of needed) {
    if (raw[option] !== undefined && raw[other] === undefined)
      faults.push(`${flagOf(optionTable[option])} needs ${flagOf(optionTable[other])} too.`);
  }
  return { values: Object.fromEntries(values) as OptionValues, faults };
}

/** Options that have no effect without another one. */
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

/** ` Did you mean X?` if one of the names is similar. */
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
    throw new RangeError(`${name} ${given}: give a whole number of at least ${least}.`);
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
  return someOf(builtPhases, texts(given).flatMap(listed), name) as readonly PhaseName[];
}

function url(given: Given, name: string): string | undefined {
  // An empty value is reported by `readOptions`.
  if (typeof given !== 'string' || given === '') return undefined;
  const address = URL.parse(given);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    // `localhost:8080` is an address too, whose scheme is localhost.
    const isHost = /^[\w.-]+(:\d+)?(\/[^@]*)?$/.test(given) || /^\/\/[^@/]+/.test(given);
    const hint = isHost ? `Did you mean http://${given.replace(/^\/\//, '')}?` : 'Write http://HOST:PORT/PATH.';
    throw new RangeError(`${name} ${given} is not an http address. ${hint}`);
  }
  // Every report shows the address.
  if (address.username !== '' || address.password !== '')
    throw new RangeError(`${name} ${address.protocol}//…@${address.host}: give the name and the password with --user.`);
  if (address.search !== '' || address.hash !== '')
    throw new RangeError(`${name} ${given}: remove the query and the fragment.`);
  return given.replace(/\/+$/, '');
}

/** The message omits the given value: it may contain a password. */
function proxyAddress(given: Given, name: string): string | undefined {
  if (typeof given !== 'string' || given === '') return undefined;
  const address = URL.parse(given);
  const hint =
    'write http://HOST:PORT or http://NAME:PASSWORD@HOST:PORT, with %40 for @ and %25 for % in the password.';
  if (address === null || address.host === '') throw new RangeError(`${name} is not an address: ${hint}`);
  if (!/^https?:$/.test(address.protocol))
    throw new RangeError(`${name} ${address.protocol}//… is not an HTTP proxy: ${hint}`);
  if (address.pathname !== '/' || address.search !== '' || address.hash !== '')
    throw new RangeError(`${name} has a path, a query or a fragment: ${hint}`);
  try {
    decodeURIComponent(`${address.username}${address.password}`);
  } catch {
    throw new RangeError(`${name} has a % that encodes no character: ${hint}`);
  }
  return given;
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
  if (!(milliseconds > 0)) throw new RangeError(`${name} ${given} is not a duration: write 30s, 2m or 500ms.`);
  return milliseconds;
}

function instant(given: Given, name: string): number {
  if (given === undefined) return Date.now();
  const time = Date.parse(String(given));
  if (Number.isNaN(time)) throw new RangeError(`${name} ${given} is not a time: write 2026-11-20T12:00:00Z.`);
  return time;
}

function headers(given: Given, name: string): readonly (readonly [name: string, value: string])[] {
  return texts(given).map((line) => {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(line);
    // The message omits the given text: it may be a secret, or half of one without quotes.
    if (match === null) throw new RangeError(`${name}: write the header in quotes, as in ${name} 'X-Tenant: acme'.`);
    return [match[1] ?? '', match[2] ?? ''];
  });
}

function user(given: Given, option: string): { readonly name: string; readonly password: string } | undefined {
  if (typeof given !== 'string' || given === '') return undefined;
  const at = given.indexOf(':');
  if (at < 1) throw new RangeError(`${option}: write 'name:password'.`);
  return { name: given.slice(0, at), password: given.slice(at + 1) };
}
