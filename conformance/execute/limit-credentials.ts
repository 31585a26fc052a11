// Credentials that differ in one way from the user's own: fewer scopes, a scheme left out, or a changed credential.
import type { Contract, SecurityScheme } from '../contract/contract.ts';
import { changeCredentials } from './change-credentials.ts';
import type { Authorization, CredentialChange } from './exchange.ts';
import { takesToken } from './tokens.ts';

type Pair = readonly [name: string, value: string];

/** The difference between an identity and the user's own credentials. */
export interface Limits {
  readonly without?: readonly string[];
  readonly exactly?: readonly string[];
  readonly lacking?: string;
  readonly by?: readonly string[];
  readonly changed?: CredentialChange;
  readonly of?: string;
}

export type Alternative = Readonly<Record<string, readonly string[]>>;

export interface Chosen {
  readonly alternative: Alternative;
  readonly authorization: Authorization;
}

/** Whether an alternative can show the difference that an identity makes. */
export function fitsLimits(
  { schemes }: Contract,
  alternative: Alternative,
  { without, exactly, lacking, by, of }: Limits,
): boolean {
  const names = Object.keys(alternative);
  if (without !== undefined || exactly !== undefined) return names.some((name) => takesToken(schemes[name]));
  if (lacking !== undefined) return names.length > 1 && names.includes(lacking);
  if (of !== undefined) return names.includes(of);
  return by === undefined || nameOf(alternative) === [...by].sort().join(' ');
}

/** @returns undefined if another scheme of the alternative has its credential at the same place */
export function withoutScheme(contract: Contract, { alternative, authorization }: Chosen, name: string) {
  const scheme = contract.schemes[name];
  const others = schemesOf(contract, alternative).filter((one) => one !== scheme);
  if (scheme === undefined || others.some((other) => placeOf(other) === placeOf(scheme))) return undefined;
  const without = (part: 'headers' | 'query' | 'cookies'): readonly Pair[] =>
    authorization[part].filter(([key]) => placeOf(scheme) !== `${part} ${key.toLowerCase()}`);
  return { ...authorization, headers: without('headers'), query: without('query'), cookies: without('cookies') };
}

/** The place of a credential in a request; header names in lower case. */
function placeOf({ key }: SecurityScheme): string {
  if (key === undefined) return 'headers authorization';
  const part = key.in === 'query' ? 'query' : key.in === 'cookie' ? 'cookies' : 'headers';
  return `${part} ${key.name.toLowerCase()}`;
}

/** @returns undefined if the credential cannot be changed so, or if the request satisfies an alternative without it */
export function withChange(
  contract: Contract,
  { authorization }: Chosen,
  { changed: change, of: name, closed, expiredToken, hasCertificate, keepSecret }: Change,
): Authorization | undefined {
  const scheme = contract.schemes[name];
  if (scheme === undefined) return undefined;
  const place = placeOf(scheme);
  const { headers, query, cookies } = authorization;
  const places = Object.entries({ headers, query, cookies }).flatMap(([part, pairs]) =>
    pairs.map(([key]) => `${part} ${key.toLowerCase()}`),
  );
  const isSatisfied = (other: SecurityScheme): boolean =>
    other.type === 'mutualTLS' ? hasCertificate : placeOf(other) !== place && places.includes(placeOf(other));
  if (closed.some((other) => !(name in other) && schemesOf(contract, other).every(isSatisfied))) return undefined;
  const isKnownExpired = takesToken(scheme) && expiredToken !== undefined;
  let isChanged = false;
  const within = (part: 'headers' | 'query' | 'cookies'): readonly Pair[] =>
    authorization[part].map(([key, text]): Pair => {
      if (`${part} ${key.toLowerCase()}` !== place) return [key, text];
      const hasScheme = place === 'headers authorization';
      const changed = changeCredentials(text, change, {
        hasScheme,
        expired: isKnownExpired ? expiredToken : undefined,
      });
      if (changed === undefined) return [key, text];
      isChanged = true;
      // A changed credential contains most of the real one; an empty one leaves the name of the scheme.
      if (change !== 'empty') keepSecret(bareOf(changed), 'WRONG_CREDENTIAL');
      return [key, changed];
    });
  const changed = { headers: within('headers'), query: within('query'), cookies: within('cookies') };
  return isChanged ? { ...changed, scopes: authorization.scopes } : undefined;
}

interface Change {
  readonly changed: CredentialChange;
  /** The security scheme whose credential is changed. */
  readonly of: string;
  /** The alternatives of the operation that need credentials. */
  readonly closed: readonly Alternative[];
  readonly expiredToken: string | undefined;
  readonly hasCertificate: boolean;
  readonly keepSecret: (text: string, variable: string) => void;
}

/** The names of its schemes, the same in any order. */
export function nameOf(alternative: object): string {
  return Object.keys(alternative).sort().join(' ');
}

export function schemesOf({ schemes }: Contract, alternative: object): readonly SecurityScheme[] {
  return Object.keys(alternative).flatMap((name) => schemes[name] ?? []);
}

/** A credential without the scheme of `Authorization`, which reports may show. */
export function bareOf(value: string): string {
  return value.trim().replace(/^[A-Za-z]+ +/, '');
}
