import type { Contract } from '../contract/contract.ts';
import type { Credentials } from '../execute/authorize.ts';
import type { User } from '../execute/log-in.ts';
import type { ScopedToken } from '../execute/mint-token.ts';
import { scopesOf } from '../execute/tokens.ts';
import { readAuthFile } from './auth-file.ts';
import { type OptionValues, suggest } from './options.ts';
import { readOptionFile } from './target.ts';

interface ReadAccounts {
  readonly own: Credentials;
  readonly second: Credentials | undefined;
  readonly faults: readonly string[];
}

/** Reads the accounts from the options. Unknown names of scopes, schemes and users are faults. */
export async function readAccounts(values: OptionValues, contract: Contract): Promise<ReadAccounts> {
  const faults: string[] = [];
  const users = await readUsers(values, faults);
  const userOf = (name: string | undefined, flag: string, otherwise: number): User | undefined => {
    const found = name === undefined ? users[otherwise] : users.find((user) => user.name === name);
    const names = users.map((user) => user.name);
    if (found === undefined && name !== undefined && names.length > 0)
      faults.push(`${flag} ${name}: the file has no such user.${suggest(name, names)} There are: ${names.join(', ')}.`);
    return found;
  };
  const read = (prefix: '' | 'second-', tokens: readonly string[], credentials: readonly string[]) => ({
    ...readTokens(tokens, contract, `--${prefix}token`, faults),
    byScheme: readSchemes(credentials, contract, `--${prefix}credential`, faults),
  });
  const own: Credentials = {
    ...read('', values.token, values.credential),
    clientId: values.clientId,
    clientSecret: values.clientSecret,
    user: values.user,
    refreshToken: values.refreshToken,
    tokenCommand: values.tokenCommand,
    expiredToken: values.expiredToken,
    login: userOf(values.account, '--account', 0),
    hasCertificate: values.cert !== undefined,
  };
  const others = users.filter((user) => user !== own.login);
  const second: Credentials = {
    ...read('second-', values.secondToken, values.secondCredential),
    clientId: values.secondClientId,
    clientSecret: values.secondClientSecret,
    user: values.secondUser,
    login: values.secondAccount === undefined ? others[0] : userOf(values.secondAccount, '--second-account', 0),
  };
  if (second.login !== undefined && second.login === own.login)
    faults.push(`--second-account ${second.login.name} is the account of the run: name another user of the file.`);
  const isGiven =
    second.token !== undefined ||
    second.clientId !== undefined ||
    second.user !== undefined ||
    second.login !== undefined ||
    (second.scopedTokens ?? []).length + Object.keys(second.byScheme ?? {}).length > 0;
  return { own, second: isGiven ? second : undefined, faults };
}

async function readUsers({ authFile, seed }: OptionValues, faults: string[]): Promise<readonly User[]> {
  if (authFile === undefined) return [];
  const text = await readOptionFile('--auth-file', authFile, faults);
  if (text === undefined) return [];
  const { users, faults: found } = readAuthFile(authFile, text, seed);
  faults.push(...found);
  return users;
}

/**
 * Reads plain tokens and tokens for scopes: `items:read items:write=TOKEN`. Tokens may contain `=` too, so the text before the first
 * one has to be a scope of the contract, or several words.
 */
function readTokens(
  given: readonly string[],
  contract: Contract,
  flag: string,
  faults: string[],
): { readonly token: string | undefined; readonly scopedTokens: readonly ScopedToken[] } {
  const known = scopesOf(contract);
  const plain: string[] = [];
  const scopedTokens: ScopedToken[] = [];
  for (const one of given) {
    const [, before = '', text = ''] = /^([^=]+)=(.*[^=].*)$/s.exec(one) ?? [];
    const scopes = before.split(' ').filter(Boolean);
    const unknown = scopes.filter((scope) => !known.includes(scope));
    // A text that resembles a scope of the contract is a misspelt scope rather than the beginning of a token.
    const isMeant = text !== '' && (scopes.length > 1 || unknown.length === 0 || suggest(before, known) !== '');
    if (!isMeant) plain.push(one);
    else if (unknown.length === 0) scopedTokens.push({ scopes, text });
    for (const scope of isMeant ? unknown : []) {
      const hint = scopes.length > 1 ? '' : ' Pass a token that contains = with --credential.';
      faults.push(`${flag}: the contract has no scope ${scope}.${suggest(scope, known)} ${listOf(known)}${hint}`);
    }
  }
  if (plain.length > 1)
    faults.push(`${flag} is given ${plain.length} times without scopes: give one token, or write 'scope=TOKEN'.`);
  return { token: plain[0], scopedTokens };
}

/** `SCHEME=VALUE`; the name of a scheme has no `=` (OpenAPI, Components Object). */
function readSchemes(
  given: readonly string[],
  { schemes }: Contract,
  flag: string,
  faults: string[],
): Readonly<Record<string, string>> {
  const names = Object.keys(schemes);
  const pairs = given.flatMap((one): [string, string][] => {
    const at = one.indexOf('=');
    const [name, value] = [one.slice(0, at), one.slice(at + 1)];
    if (at < 1 || value === '') faults.push(`${flag}: write 'scheme=value'. ${listOf(names)}`);
    else if (!names.includes(name))
      faults.push(`${flag}: the contract has no security scheme ${name}.${suggest(name, names)} ${listOf(names)}`);
    else if (schemes[name]?.type === 'mutualTLS')
      faults.push(`${flag} ${name} is a client certificate: give --cert and --key.`);
    else if (schemes[name]?.scheme === 'basic' && !value.includes(':'))
      faults.push(`${flag} ${name} is HTTP Basic: write '${name}=name:password'.`);
    else return [[name, value]];
    return [];
  });
  return Object.fromEntries(pairs);
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`;
}
