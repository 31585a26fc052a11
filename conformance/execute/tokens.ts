import type { Contract } from '../contract/contract.ts';
import { memberOf, objectAt, readPointer } from '../contract/document.ts';
import {
  type FreshToken,
  type Mint,
  type MintTools,
  mintAtEndpoint,
  mintByCommand,
  readScopes,
  type Token,
  type TokenCredentials,
  type TokenEndpoint,
} from './mint-token.ts';

export type Tokens = ReturnType<typeof createTokens>;

interface Given extends Omit<MintTools, 'clock'> {
  readonly endpoint: TokenEndpoint | undefined;
  /** All scopes that the contract names. */
  readonly scopes: readonly string[];
  /** Receives each token, so that no output shows it. */
  readonly keepSecret: (text: string, variable: string) => void;
  readonly clock?: () => number;
}

interface Minted extends FreshToken {
  readonly key: string;
}

/** Scopes that are requested one by one to learn which of them a client may have. */
const mostSingleScopes = 32;

/** Provides the access tokens of one account. */
export function createTokens(given: Given) {
  const { credentials, endpoint, scopes: named, connection, clock = () => performance.now() } = given;
  const { tokenCommand } = credentials;
  const problems = new Set<string>();
  const cache = new Map<string, Promise<Minted | string | undefined>>();
  const renewed = new Set<string>();
  const replaced = new WeakSet<Token>();
  const fixed = fixedTokens(credentials);
  const tools: MintTools = { credentials, connection, clock };
  const atEndpoint = endpoint === undefined ? undefined : mintAtEndpoint(endpoint, tools);
  const mint = tokenCommand === undefined ? atEndpoint : mintByCommand(tokenCommand, clock);
  // A command with `{scope}` may fail without scopes; one without it prints one token for everything.
  const takesScopes = tokenCommand?.includes('{scope}') ?? true;
  const hasGeneral = tokenCommand === undefined || !takesScopes;

  const minted = async (scopes: readonly string[], isProbe = false): Promise<Minted | undefined> => {
    if (mint === undefined) return undefined;
    const key = [...scopes].sort().join(' ');
    const current = (): Promise<Minted | string | undefined> => {
      const asked = cache.get(key) ?? ask(mint, key);
      cache.set(key, asked);
      return asked;
    };
    const known = current();
    const found = await known;
    if (typeof found === 'object' && found.freshUntil <= clock() && cache.get(key) === known) cache.delete(key);
    const token = await current();
    if (typeof token === 'object') return token;
    if (!isProbe && token !== undefined) problems.add(token);
    return undefined;
  };
  const ask = async (mint: Mint, key: string): Promise<Minted | string | undefined> => {
    const found = await mint(key === '' ? [] : key.split(' '));
    if (typeof found !== 'object') return found;
    given.keepSecret(found.text, 'TOKEN');
    return { ...found, key };
  };

  /** Scopes that the account may have, found once and with as few requests as possible. */
  let reach: Promise<readonly string[]> | undefined;
  const findReach = async (): Promise<readonly string[]> => {
    const general = hasGeneral ? await minted([], true) : undefined;
    if (general?.granted !== undefined) return general.granted;
    if (named.length === 0) return [];
    const all = await minted(named, true);
    if (all !== undefined) return all.granted ?? named;
    if (tokenCommand !== undefined) return named;
    // A server may reject all scopes because of one (RFC 6749, 5.2, invalid_scope).
    const single = named.slice(0, mostSingleScopes);
    const found = await Promise.all(single.map(async (scope) => (await minted([scope], true)) !== undefined));
    return single.filter((_, index) => found[index]);
  };

  return {
    problems: (): readonly string[] => [...problems],
    /** Drops a token that is no longer accepted, once for each set of scopes. @returns false if it cannot be replaced */
    renew: (token: Token): boolean => {
      if (replaced.has(token)) return true;
      const key = memberOf(token, 'key');
      if (typeof key !== 'string' || renewed.has(key)) return false;
      renewed.add(key);
      replaced.add(token);
      cache.delete(key);
      return true;
    },
    /** A token with as many of these scopes as possible. @returns undefined if there is none; `problems` gives the reason */
    tokenFor: async (scopes: readonly string[]): Promise<Token | undefined> => {
      const covering = fixed.find(({ granted }) => granted !== undefined && isWithin(scopes, granted));
      const plain = fixed.find(({ isPlain }) => isPlain);
      const given = scopes.length === 0 ? (plain ?? covering) : (covering ?? plain);
      if (given !== undefined) return given;
      // Without a requested scope, many servers grant all scopes of the client: one token then serves every operation.
      const general = hasGeneral ? await minted([]) : undefined;
      const isEnough = general !== undefined && isWithin(scopes, general.granted ?? scopes);
      if (isEnough || (hasGeneral && scopes.length === 0) || !takesScopes) return general ?? mostOf(fixed, scopes);
      return (await minted(scopes)) ?? general ?? mostOf(fixed, scopes);
    },
    /** A token with these scopes and no other. @returns undefined if the account has no such token */
    tokenExactly: async (scopes: readonly string[]): Promise<Token | undefined> => {
      const isSame = (granted: readonly string[]): boolean => isWithin(granted, scopes) && isWithin(scopes, granted);
      const given = fixed.find(({ granted }) => granted !== undefined && isSame(granted));
      if (given !== undefined) return given;
      if (mint === undefined || !takesScopes || scopes.length === 0) return undefined;
      const token = await minted(scopes, true);
      return token !== undefined && isSame(readScopes(token.text) ?? token.granted ?? scopes) ? token : undefined;
    },
    /** A token with every scope of the account but these. @returns undefined if the account has no such token */
    tokenWithout: async (scopes: readonly string[]): Promise<Token | undefined> => {
      const lacks = ({ granted }: Token): boolean =>
        granted !== undefined && !granted.some((one) => scopes.includes(one));
      const [given] = fixed.filter(lacks).sort((a, b) => (b.granted?.length ?? 0) - (a.granted?.length ?? 0));
      if (given !== undefined) return given;
      if (mint === undefined || !takesScopes) return undefined;
      reach ??= findReach();
      const rest = (await reach).filter((scope) => !scopes.includes(scope));
      // A token without scopes cannot be requested: without `scope`, a server grants its default.
      const token = rest.length === 0 ? undefined : await minted(rest, true);
      if (token === undefined) return undefined;
      // If the server names no scope, it granted the requested one (RFC 6749, 5.1); the claims of the token take precedence.
      const narrow = { text: token.text, granted: token.granted ?? rest };
      return lacks(narrow) && lacks({ ...narrow, granted: readScopes(token.text) ?? [] }) ? token : undefined;
    },
  };
}

/** Scopes that a contract names in requirements, in `x-by-value` and in OAuth flows. */
export function scopesOf(contract: Contract): readonly string[] {
  const known = scopesByContract.get(contract);
  if (known !== undefined) return known;
  const found = findScopes(contract);
  scopesByContract.set(contract, found);
  return found;
}

const scopesByContract = new WeakMap<Contract, readonly string[]>();

function findScopes({ operations, schemes, root }: Contract): readonly string[] {
  const required = operations.flatMap(({ security, extensions }) => [
    ...security.flatMap((alternative) =>
      Object.entries(alternative).flatMap(([name, scopes]) => (takesToken(schemes[name]) ? scopes : [])),
    ),
    ...extensions.byValue.flatMap(({ cases }) => cases.flatMap(({ scopes }) => scopes)),
  ]);
  const declared = Object.values(schemes).flatMap(({ pointer }) =>
    Object.values(objectAt(readPointer(root, pointer), 'flows')).flatMap((flow) =>
      Object.keys(objectAt(flow, 'scopes')),
    ),
  );
  return [...new Set([...required, ...declared])].filter(Boolean).sort();
}

/** Whether a token in `Authorization` satisfies a scheme. */
export function takesToken(scheme: Contract['schemes'][string] | undefined): boolean {
  if (scheme === undefined) return false;
  return scheme.type === 'oauth2' || scheme.type === 'openIdConnect' || scheme.scheme === 'bearer';
}

interface FixedToken extends Token {
  readonly isPlain: boolean;
}

function fixedTokens({ token, scopedTokens = [] }: TokenCredentials): readonly FixedToken[] {
  const scoped = scopedTokens.map(({ text, scopes }) => ({ text, granted: scopes, isPlain: false }));
  return token === undefined ? scoped : [...scoped, { text: token, granted: readScopes(token), isPlain: true }];
}

/** The token with most of the scopes. */
function mostOf(tokens: readonly Token[], scopes: readonly string[]): Token | undefined {
  const count = ({ granted = [] }: Token): number => scopes.filter((scope) => granted.includes(scope)).length;
  return [...tokens].sort((a, b) => count(b) - count(a))[0];
}

function isWithin(scopes: readonly string[], granted: readonly string[]): boolean {
  return scopes.every((scope) => granted.includes(scope));
}
