import { resolve } from 'node:path';
import { readPort } from '@lockstep/shell/read-port';
import { WrongUse } from '@lockstep/shell/wrong-use';
import { type DatabaseAddress, readDatabaseAddress, withoutSecrets } from './store/database-address.ts';
import { findTimezoneFolder, type TimezoneFolder } from './timezone-data.ts';

/** The settings of the environment, frozen. */
export interface Config {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Origin that clients use, without a trailing slash; undefined: `http://localhost:` and the port. It determines issuer and audience. */
  readonly publicOrigin: string | undefined;
  readonly database: DatabaseAddress;
  /** Absolute path of the key file. */
  readonly keyFile: string;
  readonly logLevel: LogLevel;
  /** Requests an hour for one account and client; 0: no quota. */
  readonly accountQuota: number;
  /** Concurrent connections, from 1. */
  readonly maxConnections: number;
  /** Origins whose pages may call the API from a browser, as in the header `Origin`. */
  readonly corsOrigins: readonly string[];
  /** Absolute path of a folder from `npm run docs`; undefined: nothing under `/docs`. */
  readonly docsFolder: string | undefined;
  /** Whether express-openapi-validator validates each request too, and differences are logged. */
  readonly differentialValidation: boolean;
  /** Folder of newer timezone rules than Node's; undefined: Node's own. */
  readonly timezoneFolder: TimezoneFolder | undefined;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Names, meanings and defaults, for `--help`. */
export const environment = {
  PORT: 'port to listen on, 0 for any free one (8080)',
  HOST: 'interface to listen on (127.0.0.1)',
  PUBLIC_ORIGIN: 'origin that clients use, as https://api.example (http://localhost:PORT)',
  DATABASE_URL: 'sqlite:FILE, or postgres://USER:PASSWORD@HOST:PORT/NAME (sqlite:.lockstep/service.sqlite)',
  LOCKSTEP_KEYS: 'key file (.lockstep/keys.json)',
  LOG_LEVEL: `${logLevels.join(', ')} (info)`,
  DOCS_DIR:
    'folder of the reference to serve at /docs, as `npm run docs -- --build-only --out FOLDER` builds it (none)',
  ACCOUNT_QUOTA:
    'requests an hour for one account and client, 0 for none; with SQLite, a restart resets the count (3600)',
  MAX_CONNECTIONS: 'concurrent connections, from 1; above that, one that waits for a request is closed (1000)',
  CORS_ORIGINS: 'origins whose pages may call the API, separated by commas, as https://app.example (none)',
  SECOND_OPINION:
    'true validates each request with express-openapi-validator too and logs differences; five times the work (false)',
  TIMEZONE_DATA: "folder with timezone rules, four .res files of ICU (Node's own rules)",
  ICU_TIMEZONE_FILES_DIR:
    'the same for every Node process that is started with it; TIMEZONE_DATA is checked and has precedence',
} as const;

type Variable = keyof typeof environment;

/** All faults of the environment, one line each. */
export class ConfigError extends WrongUse {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }

  override get json(): object {
    return { ...super.json, faults: this.faults };
  }
}

/**
 * Reads the environment.
 *
 * @throws ConfigError with every fault: the variable, its value, and valid values
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const read = <Value>(
    name: Variable,
    fallback: string,
    parse: (text: string) => Value | undefined,
    wanted: string,
  ): Value => {
    const text = env[name] ?? '';
    const value = parse(text === '' ? fallback : text);
    if (value === undefined) faults.push(`${name} is ${JSON.stringify(text)}: ${wanted}`);
    return value as Value;
  };
  const readDatabase = (): DatabaseAddress => {
    const text = env.DATABASE_URL ?? '';
    const address = readDatabaseAddress(text === '' ? 'sqlite:.lockstep/service.sqlite' : text);
    if (address.kind === 'fault')
      faults.push(`DATABASE_URL is ${JSON.stringify(withoutSecrets(text))}: ${address.reason}`);
    return address as DatabaseAddress;
  };
  const config: Config = {
    port: read('PORT', '8080', readPort, 'a port is a number from 0 to 65535'),
    host: read('HOST', '127.0.0.1', (text) => text, ''),
    publicOrigin:
      env.PUBLIC_ORIGIN === undefined || env.PUBLIC_ORIGIN === ''
        ? undefined
        : read(
            'PUBLIC_ORIGIN',
            '',
            readOrigin,
            'an origin is http(s)://host[:port] without path, as https://api.example',
          ),
    database: readDatabase(),
    keyFile: read('LOCKSTEP_KEYS', '.lockstep/keys.json', (text) => resolve(text), ''),
    docsFolder: env.DOCS_DIR === undefined || env.DOCS_DIR === '' ? undefined : resolve(env.DOCS_DIR),
    logLevel: read('LOG_LEVEL', 'info', readLogLevel, `a level is one of ${logLevels.join(', ')}`),
    maxConnections: read('MAX_CONNECTIONS', '1000', readConnections, 'a limit is a whole number from 1 to 999999'),
    corsOrigins: read(
      'CORS_ORIGINS',
      '',
      readOrigins,
      'origins are http(s)://host[:port] separated by commas, as https://app.example; patterns are not allowed',
    ),
    accountQuota: read('ACCOUNT_QUOTA', '3600', readCount, 'a quota is a whole number of requests an hour, 0 for none'),
    differentialValidation: read('SECOND_OPINION', 'false', readFlag, 'it is true or false'),
    timezoneFolder: findTimezoneFolder(env),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(config);
}

function readFlag(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** At most nine digits, as in the header `RateLimit`. */
function readCount(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function readConnections(text: string): number | undefined {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

function readOrigins(text: string): readonly string[] | undefined {
  const origins = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (part.includes('*') ? undefined : readOrigin(part)));
  return origins.includes(undefined) ? undefined : origins.filter((origin) => origin !== undefined);
}

function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, href } = new URL(text);
  return /^https?:$/.test(protocol) && (href === `${origin}/` || href === origin) ? origin : undefined;
}

function readLogLevel(text: string): LogLevel | undefined {
  return logLevels.find((level) => level === text);
}
