import { randomBytes } from 'node:crypto';
import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { Fix } from '@lockstep/shell/wrong-use';
import type { Command } from 'commander';
import type { EpochMilliseconds } from '../clock.ts';
import { createPasswords, generatePassword, isLongEnough, type Passwords, passwordLength } from '../oauth/passwords.ts';
import type { AuditEntry, Owner } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { addCommand, addSwitchCommands, type Found, nearestOf } from './command.ts';
import {
  addListCommand,
  type Column,
  chooseAccounts,
  formatSecond,
  formatTime,
  type ListOptions,
  showList,
} from './listing.ts';
import { readPassword } from './read-password.ts';
import type { Shell } from './shell.ts';

interface PasswordFlag {
  readonly passwordStdin?: true;
}

const passwordFlag = ['--password-stdin', 'read the password from stdin, one line (default: create one)'] as const;

const passwordHelp =
  '\nOn a terminal, --password-stdin asks for the password twice without showing it. A password has 12 to 128 characters. A created one has\n' +
  '100 bits and is printed only once. The server keeps only a hash (scrypt).';

export function addOwnerCommands(program: Command, shell: Shell): void {
  const owner = program.command('owner').description('persons who log in and connect applications to their account');
  addCommand(owner, 'add <email>', 'let a person log in for an account; audited')
    .requiredOption('--account <id>', 'account of the owner')
    .option('--name <text>', 'name for applications and pages (default: the e-mail)')
    .option(...passwordFlag)
    .addHelpText('after', passwordHelp)
    .action(
      shell.runOnStore(
        async (store, email: string, options: PasswordFlag & { readonly account: string; readonly name?: string }) => {
          const { account, name } = options;
          return addOwner(store, email, { account, name, ...createPasswordOptions(options, shell) });
        },
      ),
    );
  addCommand(
    owner,
    'password <email>',
    'set another password, and log out every browser; applications stay connected; audited',
  )
    .option(...passwordFlag)
    .addHelpText('after', passwordHelp)
    .action(
      shell.runOnStore((store, email: string, options: PasswordFlag) =>
        setOwnerPassword(store, email, createPasswordOptions(options, shell)),
      ),
    );
  addSwitchCommands(
    owner,
    shell,
    [
      ['disable', 'log out everywhere, disconnect every app, refuse further logins, at once; audited'],
      ['enable', 'allow logins again; the owner has to connect applications anew; audited'],
    ],
    (store, email, verb) => switchOwner(store, email, verb, Date.now()),
    '<email>',
  );
  addListCommand(owner, 'list owners by account and e-mail: times of creation and password').action(
    shell.runOnStore(listOwners),
  );
}

function createPasswordOptions({ passwordStdin }: PasswordFlag, { own: { stdin, stderr } }: Shell) {
  return {
    passwords: createPasswords(),
    now: Date.now(),
    readPassword: passwordStdin ? () => readPassword(stdin, stderr) : undefined,
  };
}

type OwnerStores = Pick<Store, 'accounts' | 'owners'>;

/** Source and hash of a password. */
export interface PasswordOptions {
  /** Called after all other checks. Default: a password is created. */
  readonly readPassword?: (() => Promise<string>) | undefined;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly now: EpochMilliseconds;
}

interface NewOwnerOptions extends PasswordOptions {
  readonly account: string;
  /** Default: the e-mail. */
  readonly name?: string | undefined;
}

/** Maximum number of owners that an unknown e-mail is compared with. */
const mostCompared = 10_000;

/**
 * `owner add`: a person who logs in for an account. A created password is printed only once. A second run changes nothing, and refuses
 * options that differ from the first.
 */
export async function addOwner(store: OwnerStores, given: string, options: NewOwnerOptions): Promise<CommandResult> {
  const { account, name, passwords, now } = options;
  const email = given.normalize('NFC');
  if (!isEmail(email)) return refused(describeEmail(email));
  if (name !== undefined && !isName(name))
    return refused(
      `--name is ${JSON.stringify(name)}: give 1 to 100 printable characters, without spaces around them.`,
    );
  const accounts = await chooseAccounts(store, account);
  if (accounts.kind === 'refused') return accounts;
  const existing = await store.owners.findByEmail(email);
  if (existing !== undefined) return compare(existing, options);

  const chosen = await obtainPassword(options.readPassword);
  if (chosen.kind === 'refused') return chosen;
  const { item: password } = chosen;
  const owner = {
    id: `owner-${randomBytes(12).toString('hex')}`,
    accountId: account,
    email,
    name: name ?? email,
    passwordHash: await passwords.hash(password.text),
    createdAt: now,
  };
  if (!(await store.owners.create(owner, createEntry(owner, 'add_owner', now)))) {
    const first = await store.owners.findByEmail(email);
    return first === undefined ? refused(`There is no owner ${email}`) : compare(first, options);
  }
  const about = { email, id: owner.id, account, name: owner.name, created: true };
  return done([`Added the owner ${email} of ${account}.`, ...password.lines].join('\n'), {
    ...about,
    ...password.json,
  });
}

/** `owner password`: sets another password and logs out every browser; connected applications stay connected. Audited. */
export async function setOwnerPassword(
  store: Pick<Store, 'owners'>,
  email: string,
  { readPassword, passwords, now }: PasswordOptions,
): Promise<CommandResult> {
  const found = await findOwner(store, email);
  if (found.kind === 'refused') return found;
  const chosen = await obtainPassword(readPassword);
  if (chosen.kind === 'refused') return chosen;
  const [owner, password] = [found.item, chosen.item];
  const change = { passwordHash: await passwords.hash(password.text), at: now };
  if (!(await store.owners.setPassword(owner.id, change, createEntry(owner, 'set_owner_password', now))))
    return refused(`There is no owner ${email}`);
  const lines = [
    `${owner.email} has a new password, and is logged out in every browser. Connected applications stay connected.`,
    ...password.lines,
    ...(owner.disabledAt === null ? [] : ["The owner is disabled and can't log in until owner enable."]),
  ];
  return done(lines.join('\n'), {
    email: owner.email,
    id: owner.id,
    disabled: owner.disabledAt !== null,
    ...password.json,
  });
}

/** `owner disable` and `owner enable`: effective at the next request. A second run changes nothing. Audited. */
export async function switchOwner(
  store: Pick<Store, 'owners'>,
  email: string,
  verb: 'disable' | 'enable',
  now: EpochMilliseconds,
): Promise<CommandResult> {
  const found = await findOwner(store, email);
  if (found.kind === 'refused') return found;
  const { item: owner } = found;
  const disabled = verb === 'disable';
  const changed = (owner.disabledAt !== null) !== disabled;
  if (changed)
    await store.owners.setDisabled(owner.id, disabled ? now : null, createEntry(owner, `${verb}_owner`, now));
  const consequence = disabled ? '. The owner is logged out everywhere, and every app is disconnected.' : '';
  const text = changed
    ? `${owner.email}: ${verb}d${consequence}`
    : `${owner.email} is ${verb}d already; nothing changed.`;
  return done(text, { email: owner.email, id: owner.id, disabled, changed });
}

const columns: readonly Column<ReturnType<typeof describe>>[] = [
  ['EMAIL', ({ email }) => email],
  ['ACCOUNT', ({ account }) => account],
  ['DISABLED', ({ disabled }) => (disabled ? 'yes' : 'no')],
  ['CREATED', ({ createdAt }) => formatSecond(createdAt)],
  ['PASSWORD SET', ({ passwordSetAt }) => formatSecond(passwordSetAt)],
  ['NAME', ({ name }) => name],
];

/** `owner list`: by account and e-mail. */
export async function listOwners(store: OwnerStores, { account, limit }: ListOptions): Promise<CommandResult> {
  const accounts = await chooseAccounts(store, account);
  if (accounts.kind === 'refused') return accounts;
  const found = await store.owners.list({ accountId: account, limit: limit + 1 });
  return showList('owners', found.map(describe), limit, columns);
}

/** The owner, or a refusal of an unknown e-mail. */
export async function findOwner({ owners }: Pick<Store, 'owners'>, email: string): Promise<Found<Owner>> {
  if (!isEmail(email)) return refused(describeEmail(email));
  const owner = await owners.findByEmail(email);
  if (owner !== undefined) return { kind: 'found', item: owner };
  const known = (await owners.list({ limit: mostCompared })).map((one) => one.email);
  return refused(`There is no owner ${email}${nearestOf(email, known)}`);
}

function compare(owner: Owner, { account, name = owner.name, readPassword }: NewOwnerOptions): CommandResult {
  const { email, id, accountId } = owner;
  const differing = [...(account === accountId ? [] : ['--account']), ...(name === owner.name ? [] : ['--name'])];
  if (differing.length > 0)
    return refused(`The owner ${email} exists already and differs in ${differing.join(', ')}; nothing changed.`, {
      email,
      created: false,
      differing,
    });
  const fix: Fix = {
    message: 'To set another password',
    command: [
      ...['lockstep-server', 'owner', 'password', email],
      ...(readPassword === undefined ? [] : ['--password-stdin']),
    ],
  };
  const about = { email, id, account: accountId, name: owner.name, created: false };
  return done(`The owner ${email} exists already; nothing changed, not even the password.`, about, [fix]);
}

interface ChosenPassword {
  readonly text: string;
  readonly lines: readonly string[];
  readonly json: object;
}

async function obtainPassword(read: PasswordOptions['readPassword']): Promise<Found<ChosenPassword>> {
  if (read === undefined) {
    const text = generatePassword();
    const lines = ['The password, shown only now:', text];
    return { kind: 'found', item: { text, lines, json: { password: text } } };
  }
  const text = await read();
  // The login form has a field of one line.
  if (/\p{Cc}/u.test(text))
    return refused("The password has a control character, which a login form can't send. Give another.");
  if (isLongEnough(text)) return { kind: 'found', item: { text, lines: [], json: {} } };
  const { least, most } = passwordLength;
  return refused(`The password has ${[...text.normalize('NFKC')].length} characters: it needs ${least} to ${most}.`);
}

function describe({ id, email, accountId, name, disabledAt, createdAt, passwordSetAt }: Owner) {
  return {
    email,
    id,
    account: accountId,
    name,
    disabled: disabledAt !== null,
    createdAt: formatTime(createdAt),
    passwordSetAt: formatTime(passwordSetAt),
  };
}

/** RFC 5321, 4.5.3.1.3 limits an address to 254 characters. Nothing is sent to it. */
function isEmail(text: string): boolean {
  return /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(text) && [...text].length <= 254;
}

function describeEmail(text: string): string {
  const shown = text.length > 300 ? `${text.slice(0, 40)}…` : text;
  return `The e-mail is ${JSON.stringify(shown)}: it needs one @ between other characters, no spaces and no control characters, 254 at most.`;
}

function isName(text: string): boolean {
  return /^[^\p{C}]{1,100}$/u.test(text) && text.trim() === text;
}

function createEntry(
  { id, accountId }: Pick<Owner, 'id' | 'accountId'>,
  action: string,
  at: EpochMilliseconds,
): AuditEntry {
  return { at, accountId, clientId: 'operator', action, deviceId: null, requestId: null, ownerId: id };
}
