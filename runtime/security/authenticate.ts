import type { IncomingMessage } from 'node:http';
import { type ContractDocument, followMember, isObject } from '@lockstep/json/json-pointer';
import type { Operation } from '../operation.ts';
import { Rejection } from '../rejection.ts';
import type { Pair } from '../validation/parse-url-encoded.ts';
import { keepShown } from './keep-shown.ts';
import {
  type BadReason,
  type DeclaredScheme,
  declareUnshown,
  readScheme,
  type Scheme,
  type Verdict,
} from './scheme.ts';

/** One alternative of an operation's security that the request satisfies, apart from scopes. */
export interface Grant<Principal> {
  /** Undefined: anonymous. */
  readonly principal: Principal | undefined;
  /** The results for each of its schemes; none if it allows anonymous requests. */
  readonly parts: readonly GrantPart[];
}

interface GrantPart {
  readonly challenge: DeclaredScheme['challenge'];
  /** Scopes that the alternative requires of this scheme. */
  readonly needed: readonly string[];
  /** Scopes of the credentials; undefined if unknown, which grants any. */
  readonly scopes: ReadonlySet<string> | undefined;
}

/** All alternatives that a request satisfies, in the contract's order. Never empty. */
export type Authenticate<Principal> = (
  request: IncomingMessage,
  query: readonly Pair[],
) => readonly Grant<Principal>[] | Promise<readonly Grant<Principal>[]>;

interface Step<Principal> {
  readonly declared: DeclaredScheme;
  readonly scheme: Scheme<Principal>;
  readonly scopes: readonly string[];
}

interface BadCredentials {
  readonly declared: DeclaredScheme;
  readonly reason: 'missing' | BadReason;
  readonly message: string;
}

type Judged<Principal> =
  | { readonly kind: 'grant'; readonly grant: Grant<Principal> }
  | { readonly kind: 'bad'; readonly bad: BadCredentials };

/** The verdict about the credentials for one scheme. */
type Found<Principal> =
  | Extract<Verdict<Principal>, { readonly kind: 'good' }>
  | { readonly kind: 'bad'; readonly bad: BadCredentials };

export interface SecurityOptions<Principal> {
  readonly document: ContractDocument;
  /** By their names in the contract. */
  readonly schemes: Readonly<Record<string, Scheme<Principal>>>;
  /** `realm` of the challenges. */
  readonly realm: string;
}

/** Default messages about credentials. */
const words: Readonly<Record<BadReason, Readonly<Record<DeclaredScheme['takes'], string>>>> = {
  invalid: {
    bearer: 'The access token is invalid',
    basic: 'User or password is wrong',
    apiKey: 'The key is invalid',
    credentials: 'The credentials are invalid',
  },
  expired: {
    bearer: 'The access token has expired',
    basic: 'The password has expired',
    apiKey: 'The key has expired',
    credentials: 'The credentials have expired',
  },
  revoked: {
    bearer: 'The access token was revoked',
    basic: 'The user is disabled',
    apiKey: 'The key was revoked',
    credentials: 'The credentials were revoked',
  },
};

/** One grant for all anonymous requests, which have no scopes. */
const anonymous: readonly Grant<never>[] = [{ principal: undefined, parts: [] }];

/**
 * Creates the credential check of one operation. One alternative is enough, and every scheme in it must be satisfied (OpenAPI 3.1, 4.8.30).
 * An empty one also accepts anonymous requests. An alternative that no request can show, such as `mutualTLS`, is skipped if there is another.
 *
 * @throws Error with the name of a scheme without a check, or with a check of another type: common validators let such requests pass
 */
export function createAuthentication<Principal>(
  options: SecurityOptions<Principal>,
  operation: Operation,
): Authenticate<Principal> {
  const { security } = keepShown(options.document, operation);
  const alternatives = security.map((alternative) =>
    Object.entries(alternative).map(([name, scopes]) => readStep(options, name, scopes)),
  );
  const named = alternatives.filter((steps) => steps.length > 0);
  if (named.length === 0) return () => anonymous;
  const mayBeAnonymous = named.length < alternatives.length;
  const declared = [...new Set(named.flat().map((step) => step.declared))];

  return async (request, query) => {
    const ask: Ask<Principal> = { request, query, known: new Map() };
    const grants: Grant<Principal>[] = [];
    let bad: BadCredentials | undefined;
    for (const steps of named) {
      const judged = await judgeAlternative(ask, steps);
      if (judged.kind === 'grant') grants.push(judged.grant);
      // Invalid credentials give a better message than missing ones.
      else if (bad === undefined || bad.reason === 'missing') bad = judged.bad;
    }
    const [first] = grants;
    // Missing scopes are no reason to reject a request that may be anonymous.
    if (first !== undefined && mayBeAnonymous) grants.push({ ...first, parts: first.parts.map(withoutNeed) });
    if (first !== undefined) return grants;
    if (mayBeAnonymous || bad === undefined) return anonymous;
    throw new Rejection(`credentials_${bad.reason}`, {
      text: bad.message,
      challenge: describeChallenges(declared, options.realm, bad),
    });
  };
}

/** One request with its verdicts so far: alternatives share schemes, and each scheme is judged once. */
interface Ask<Principal> {
  readonly request: IncomingMessage;
  readonly query: readonly Pair[];
  readonly known: Map<Scheme<Principal>, Found<Principal>>;
}

async function judgeAlternative<Principal>(
  ask: Ask<Principal>,
  steps: readonly Step<Principal>[],
): Promise<Judged<Principal>> {
  let principal: Principal | undefined;
  const parts: GrantPart[] = [];
  for (const [index, step] of steps.entries()) {
    // A later scheme of an alternative gets the principal of the earlier ones: its verdict holds only there.
    const known = index === 0 ? ask.known.get(step.scheme) : undefined;
    const found = known ?? (await judgeScheme(ask, step, principal));
    if (index === 0) ask.known.set(step.scheme, found);
    if (found.kind === 'bad') return found;
    principal = found.principal;
    parts.push({ challenge: step.declared.challenge, needed: step.scopes, scopes: found.scopes });
  }
  return { kind: 'grant', grant: { principal, parts } };
}

function withoutNeed(part: GrantPart): GrantPart {
  return { ...part, needed: [] };
}

async function judgeScheme<Principal>(
  { request, query }: Ask<Principal>,
  { declared, scheme }: Step<Principal>,
  soFar: Principal | undefined,
): Promise<Found<Principal>> {
  const sent = declared.find(request, query);
  if (sent.kind !== 'sent') return describeBad(declared, sent.kind, scheme.words[sent.kind] ?? sent.says);
  const verdict = await scheme.judge(sent.value, soFar);
  if (verdict.kind === 'good') return verdict;
  const { reason } = verdict;
  return describeBad(declared, reason, scheme.words[reason] ?? words[reason][declared.takes]);
}

function describeBad(
  declared: DeclaredScheme,
  reason: BadCredentials['reason'],
  message: string,
): Judged<never> & { readonly kind: 'bad' } {
  return { kind: 'bad', bad: { declared, reason, message } };
}

function readStep<Principal>(
  { document, schemes }: SecurityOptions<Principal>,
  name: string,
  scopes: readonly string[],
): Step<Principal> {
  const all = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const { type, scheme: httpScheme } = followMember(document, all, name);
  const described = [type, httpScheme].filter((part) => part !== undefined).join(' ');
  const declared = readScheme(followMember(document, all, name));
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  if (declared === undefined && scheme?.takes === 'nothing')
    return { declared: declareUnshown(name, followMember(document, all, name)), scheme, scopes };
  if (declared === undefined)
    throw new Error(`the security scheme ${name} is of type ${described}, which no check knows`);
  if (scheme === undefined)
    throw new Error(
      `no check for the security scheme ${name} of type ${described}: pass security.${name}, created by ${declared.takes}`,
    );
  // Code without types may pass anything: without this check, the first request would get a 500.
  if (!isScheme(scheme))
    throw new Error(
      `security.${name} is no check of a security scheme: the contract's is of type ${described}; create it by ${declared.takes}`,
    );
  if (scheme.takes !== declared.takes)
    throw new Error(
      `the security scheme ${name} is of type ${described}: create security.${name} by ${declared.takes}, not by ${scheme.takes}`,
    );
  return { declared, scheme, scopes };
}

function isScheme(scheme: unknown): boolean {
  const { takes, judge, words } = isObject(scheme) ? scheme : {};
  return typeof takes === 'string' && typeof judge === 'function' && isObject(words);
}

/** RFC 9110, 11.6.1: one challenge for each acceptable scheme. RFC 6750, 3: an `error` only if an invalid token was sent. */
function describeChallenges(
  declared: readonly DeclaredScheme[],
  realm: string,
  { declared: { challenge: sent }, reason }: BadCredentials,
): string {
  const names = [...new Set(declared.map(({ challenge }) => challenge))];
  return names
    .map((name) => {
      const isBadToken = name === 'Bearer' && sent === 'Bearer' && reason !== 'missing';
      return `${name} realm="${realm}"${isBadToken ? ', error="invalid_token"' : ''}`;
    })
    .join(', ');
}
