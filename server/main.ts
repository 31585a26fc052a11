#!/usr/bin/env node
import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import type { CommandResult } from './commands/command.ts';
import { importHelp } from './commands/import-help.ts';
import type { ListOptions } from './commands/listing.ts';
import { readDays, readGeneration, readInstant, readLimit } from './commands/read-option.ts';
import { type Config, ConfigError, environment, readConfig } from './config.ts';
import type { Store } from './store/store.ts';

// better-sqlite3 13 dies of a segmentation fault, without a word, under an older Node.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(`lockstep-server needs Node 24.18 or later, this is ${process.versions.node}.\n`);
  process.exit(2);
}

/** Asked for anywhere, so that what can't be parsed is told as JSON too. */
const wantsJson = process.argv.includes('--json');

const program = new Command('lockstep-server')
  .description('Runs the API and its OAuth server on one SQLite file, and fills that file.')
  .showHelpAfterError()
  .exitOverride()
  .configureOutput(wantsJson ? { writeErr: () => undefined } : {})
  .addHelpText('after', formatEnvironment());

program
  .command('serve')
  .description('serve until Ctrl-C or SIGTERM; logs are JSON on stdout')
  .option('--json', 'tell as JSON too what keeps it from starting')
  .action(serve);

add(program.command('keys').description('the key file'), 'create [path]', 'make the key file, once').action(
  run(async (config, path: string | undefined) =>
    (await import('./commands/keys.ts')).createKeys(path === undefined ? config.keyFile : resolve(path)),
  ),
);

const client = program.command('client').description('OAuth clients');
add(client, 'create <id>', 'make a client; its secret is shown once')
  .requiredOption('--name <text>', 'what the consent page calls it')
  .option('--account <id>', 'acts for this account alone, with its own credentials')
  .option('--redirect-uri <url...>', 'acts for whoever logs in; static https callback, byte for byte')
  .option('--scope <scope...>', 'scopes it may have; left out: all')
  .option('--require-pkce', 'refuse logins without PKCE')
  .option('--rotate-refresh-token', 'give a new refresh token at each refresh')
  .action(
    run((config, clientId: string, options: ClientOptions) =>
      withStore(config, async (store) =>
        (await import('./commands/client.ts')).createClient(store, readClient(clientId, options)),
      ),
    ),
  );
for (const [verb, description] of [
  ['disable', 'refuse its tokens and give it no new ones, at once'],
  ['enable', 'take a disabled client back'],
] as const)
  add(client, `${verb} <id>`, description).action(
    run((config, id: string) =>
      withStore(config, async (store) =>
        (await import('./commands/client.ts')).switchClient(store, id, verb, Date.now()),
      ),
    ),
  );

add(program, 'import <file>', 'create or change an account, its properties and devices from a JSON file')
  .addHelpText('after', importHelp)
  .action(
    run(async (config, file: string) =>
      (await import('./commands/import.ts')).importFile(
        (use) => withStore(config, use, { mayCreate: true }),
        file,
        Date.now(),
      ),
    ),
  );

add(
  program.command('property').description('places that devices belong to'),
  'set-timezone <id> <timezone>',
  'read its times on this clock (IANA name)',
).action(
  run((config, id: string, timezone: string) =>
    withStore(config, async (store) => (await import('./commands/property.ts')).setTimezone(store, id, timezone)),
  ),
);

const account = program.command('account').description('who may call the API');
add(account, 'trial <id>', 'until a time; then every call is 402')
  .addOption(new Option('--days <number>', 'so many times 24 hours from now').default(30).argParser(readDays))
  .addOption(new Option('--until <instant>', 'the time itself, RFC 3339').argParser(readInstant).conflicts('days'))
  .option('--force', 'also where it is subscribed, or had a trial by --days before')
  .addHelpText(
    'after',
    '\nRun again with --until, nothing changes. With --days a trial that runs is left as it is; where one has ended, or the account is\n' +
      'subscribed, it is refused with exit code 1 unless forced.',
  )
  .action(
    run((config, id: string, { days, until, force }: TrialFlags) =>
      withStore(config, async (store) =>
        (await import('./commands/account.ts')).startTrial(store, id, {
          end: until === undefined ? { days } : { until },
          force: force === true,
          now: Date.now(),
        }),
      ),
    ),
  );
add(account, 'subscribe <id>', 'without end').action(
  run((config, id: string) =>
    withStore(config, async (store) => (await import('./commands/account.ts')).subscribe(store, id)),
  ),
);

for (const [verb, description] of [
  ['disable', 'refuse every token for it, at once; nothing of it is removed'],
  ['enable', 'take a disabled account back'],
] as const)
  add(account, `${verb} <id>`, description).action(
    run((config, id: string) =>
      withStore(config, async (store) =>
        (await import('./commands/account.ts')).switchAccount(store, id, verb, Date.now()),
      ),
    ),
  );

const device = program.command('device').description('locks, keypads and bridges, and the keys of their offline codes');
add(device, 'key <id>', 'show the key that a lock is provisioned with, once per pairing generation; audited')
  .option('--again', 'show it although it was shown before; audited too')
  .addHelpText(
    'after',
    '\nPrints what a lock needs to judge codes offline: key (64 hexadecimal digits), pairing generation and timezone. Who has the key\n' +
      'can make every code of that lock. Once shown, it is refused with exit code 1, so that a second showing is a decision; it is no\n' +
      'boundary, since whoever runs this has the key file. Each showing stands in the audit table as read_device_key.',
  )
  .action(
    run(async (config, id: string, { again = false }: { readonly again?: boolean }) => {
      const keys = await (await import('./key-file.ts')).readKeyFile(config.keyFile);
      return withStore(config, async (store) => {
        await (await import('./require-own-keys.ts')).requireOwnKeys(store, keys);
        return (await import('./commands/device.ts')).showDeviceKey(store, keys, id, { again, now: Date.now() });
      });
    }),
  );
add(device, 're-pair <id>', 'end all codes of a device by a new pairing generation; audited')
  .requiredOption('--generation <number>', 'the present one, which ends; run again, nothing changes', readGeneration)
  .addHelpText(
    'after',
    '\nFor a stolen permanent code or a new owner. Codes are judged offline: the lock goes by its old key until it is provisioned with\n' +
      'the new one (device key), and codes created from now on open it only then.',
  )
  .action(
    run((config, id: string, { generation }: { readonly generation: number }) =>
      withStore(config, async (store) =>
        (await import('./commands/device.ts')).rePair(store, id, { generation, now: Date.now() }),
      ),
    ),
  );

addList(device, 'devices by account and name').action(
  run((config, options: ListOptions) =>
    withStore(config, async (store) => (await import('./commands/devices-list.ts')).listDevices(store, options)),
  ),
);
const bridge = program.command('bridge').description('gateways of locks and keypads');
for (const [verb, description] of [
  ['online', 'let it take jobs'],
  ['offline', 'refuse jobs for it (406), and leave waiting ones until they end'],
] as const)
  add(bridge, `${verb} <id>`, description).action(
    run((config, id: string) =>
      withStore(config, async (store) => (await import('./commands/bridge.ts')).switchBridge(store, id, verb)),
    ),
  );
addList(bridge, 'bridges: online, jobs that wait, links').action(
  run((config, options: ListOptions) =>
    withStore(config, async (store) =>
      (await import('./commands/bridge.ts')).listBridges(store, { ...options, now: Date.now() }),
    ),
  ),
);
addList(program.command('jobs').description('what bridges were asked to do'), 'jobs, newest first')
  .option('--bridge <id>', 'of this bridge alone')
  .action(
    run((config, options: ListOptions & { readonly bridge?: string }) =>
      withStore(config, async (store) =>
        (await import('./commands/jobs.ts')).listJobs(store, { ...options, now: Date.now() }),
      ),
    ),
  );

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) fail(error);
  else if (error.exitCode !== 0) {
    process.exitCode = 2;
    if (wantsJson) printJson({ error: error.message.replace(/^error: /, '') });
  }
}

function add(parent: Command, signature: string, description: string): Command {
  return parent.command(signature).description(description).option('--json', 'print one JSON value instead of text');
}

function addList(parent: Command, description: string): Command {
  return add(parent, 'list', description)
    .option('--account <id>', 'of this account alone')
    .addOption(new Option('--limit <number>', 'at most so many').default(100).argParser(readLimit));
}

/** Reads the environment, runs, prints, sets the exit code. */
function run<Args extends unknown[]>(command: (config: Config, ...args: Args) => Promise<CommandResult>) {
  return async (...args: unknown[]): Promise<void> => {
    const { exitCode, text, json } = await command(readConfig(process.env), ...(args as Args));
    process.exitCode = exitCode;
    if (wantsJson) printJson(json);
    else (exitCode === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  };
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** @param mayCreate whether a database that isn't there is made: a command that finds nothing in it would leave an empty one behind */
async function withStore(
  config: Config,
  use: (store: Store) => Promise<CommandResult>,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<CommandResult> {
  const [{ mkdir }, { dirname }, { openSqliteStore }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('./store/sqlite/open-store.ts'),
  ]);
  if (mayCreate) await mkdir(dirname(config.database), { recursive: true, mode: 0o700 });
  const store = await openSqliteStore(config.database, { mayCreate });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function serve(): Promise<void> {
  const service = await (await import('./commands/serve.ts')).serve(readConfig(process.env));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void service.close().then(() => process.exit(0), fail));
  }
}

interface TrialFlags {
  readonly days: number;
  readonly until?: number;
  readonly force?: true;
}

interface ClientOptions {
  readonly name: string;
  readonly account?: string;
  readonly redirectUri?: readonly string[];
  readonly scope?: readonly string[];
  readonly requirePkce?: true;
  readonly rotateRefreshToken?: true;
}

function readClient(clientId: string, { name, account: ownerAccount, redirectUri, scope, ...flags }: ClientOptions) {
  if ((ownerAccount === undefined) === (redirectUri === undefined))
    program.error('Give either --account or --redirect-uri: a client acts for its own account or for others.', {
      exitCode: 2,
    });
  const [flag] = Object.keys(flags).filter((name) => ['requirePkce', 'rotateRefreshToken'].includes(name));
  if (ownerAccount !== undefined && flag !== undefined)
    program.error(
      `--${flag === 'requirePkce' ? 'require-pkce' : 'rotate-refresh-token'} is for clients with --redirect-uri.`,
      {
        exitCode: 2,
      },
    );
  const common = { clientId, name, ...(scope && { scopes: scope }) };
  return ownerAccount === undefined
    ? { kind: 'partner' as const, ...common, redirectUris: redirectUri ?? [], ...flags }
    : { kind: 'own' as const, ...common, ownerAccount };
}

/** What an operator can mend is said in a sentence; anything else is a bug and shows where. */
function fail(error: unknown): void {
  const { name, message, code, stack } = error as NodeJS.ErrnoException;
  const known = error instanceof ConfigError || ['KeyFileFault', 'StoreUnusable', 'StoreUnavailable'].includes(name);
  const text =
    code === 'EADDRINUSE' ? `${message}\nStop what listens there, or choose another port: PORT=8081` : message;
  const says = `${known || code !== undefined ? text : stack}`;
  if (wantsJson) printJson({ error: says, ...(error instanceof ConfigError && { faults: error.faults }) });
  else process.stderr.write(`${says}\n`);
  process.exitCode = 2;
}

function formatEnvironment(): string {
  const lines = Object.entries(environment).map(([name, meaning]) => `  ${name.padEnd(14)} ${meaning}`);
  return `\nEnvironment:\n${lines.join('\n')}\n\nExit codes: 0 fine, 1 refused as things stand, 2 wrong usage, or something that keeps it from running.`;
}
