import type { IncomingMessage } from 'node:http';
import type { Operation } from '@lockstep/contract/operations';
import { type ContractDocument, followMember, type JsonObject } from '@lockstep/json/json-pointer';
import type { Pair } from '@lockstep/runtime/form/parse-url-encoded';
import { cookiePairs } from '@lockstep/runtime/form/read-parameters';
import { Fault, faultStatuses } from './fault/fault.ts';

export interface Credentials {
  readonly request: IncomingMessage;
  readonly query: readonly Pair[];
  /** The operation's alternatives, never empty: one of them must pass. */
  readonly alternatives: Operation['security'];
}

/** What credentials allow. */
export interface Grant {
  readonly scopes: ReadonlySet<string>;
  /** `WWW-Authenticate` for scopes that are missing. */
  readonly challenge: (missing: readonly string[]) => string;
}

/**
 * Lets a request pass, or throws a `Fault`. It runs before the body is read. What is granted is then held against what the
 * operation asks for; `undefined` where nothing is known of it.
 */
export type Authenticate = (credentials: Credentials) => Grant | undefined | Promise<Grant | undefined>;

/** What is wrong with the credentials for one scheme; `undefined` where nothing is. */
type CheckScheme = (scheme: JsonObject, credentials: Credentials) => { missing: boolean; says: string } | undefined;

/** RFC 6750, 2.1 and RFC 7617, 2: a scheme name in any case, and the characters a token may have. */
const bearerForm = /^bearer +[A-Za-z0-9._~+/-]+=*$/i;
const basicForm = /^basic +([A-Za-z0-9+/]+=*)$/i;

const checkBearer: CheckScheme = (_, { request }) =>
  checkAuthorization(request, 'Bearer <access token>', (value) => bearerForm.test(value));

const checkBasic: CheckScheme = (_, { request }) =>
  checkAuthorization(request, 'Basic <base64 of client_id:client_secret>', (value) => {
    const encoded = basicForm.exec(value)?.[1];
    return encoded !== undefined && /^[^:]+:/.test(Buffer.from(encoded, 'base64').toString('utf8'));
  });

/** By `type`, and for `http` by `scheme` too. A scheme that is not named here is not checked. */
const checks: Readonly<Record<string, CheckScheme>> = {
  oauth2: checkBearer,
  openIdConnect: checkBearer,
  'http bearer': checkBearer,
  'http basic': checkBasic,
  apiKey: checkApiKey,
};

/**
 * Looks whether credentials are there and well-formed, for each scheme of the contract. Their value and scopes are
 * not judged: any token passes.
 */
export function createPresenceCheck(document: ContractDocument): (credentials: Credentials) => undefined {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const realm = String(followMember(document, document, 'info').title ?? 'mock').replaceAll(/["\\]/g, '');
  return (credentials) => {
    const failures = credentials.alternatives.map((alternative) =>
      Object.keys(alternative)
        .map((name) => followMember(document, schemes, name))
        .map((scheme) => checks[schemeKey(scheme)]?.(scheme, credentials))
        .find((failure) => failure !== undefined),
    );
    const [failure] = failures;
    if (failure === undefined || failures.includes(undefined)) return undefined;
    throw new Fault({
      statuses: faultStatuses.unauthorized,
      says: failure.says,
      hints: failure.missing ? ['missing', 'invalid_client', 'unauthorized'] : ['invalid', 'malformed', 'unauthorized'],
      challenge: describeChallenge(
        credentials.alternatives.flatMap(Object.keys).map((name) => followMember(document, schemes, name)),
        realm,
      ),
    });
  };
}

function checkAuthorization(
  request: IncomingMessage,
  wanted: string,
  isFormed: (value: string) => boolean,
): ReturnType<CheckScheme> {
  const [value, ...more] = request.headersDistinct.authorization ?? [];
  if (value === undefined) return { missing: true, says: `The header Authorization is missing: send ${wanted}` };
  const isGood = more.length === 0 && isFormed(value);
  return isGood ? undefined : { missing: false, says: `The header Authorization is malformed: send ${wanted}` };
}

function checkApiKey(scheme: JsonObject, { request, query }: Credentials): ReturnType<CheckScheme> {
  const name = String(scheme.name);
  const places: Readonly<Record<string, () => boolean>> = {
    header: () => (request.headers[name.toLowerCase()] ?? '') !== '',
    query: () => query.some((pair) => pair.name === name && pair.value !== ''),
    cookie: () => cookiePairs(request.headers.cookie).some((pair) => pair.name === name && pair.value !== ''),
  };
  return places[String(scheme.in)]?.() === false
    ? { missing: true, says: `The ${String(scheme.in)} ${name} is missing` }
    : undefined;
}

function schemeKey({ type, scheme }: JsonObject): string {
  return type === 'http' ? `http ${String(scheme).toLowerCase()}` : String(type);
}

/** RFC 9110, 11.6.1: one challenge for each scheme that would do. */
function describeChallenge(schemes: readonly JsonObject[], realm: string): string {
  const names = new Set(
    schemes.map((scheme) =>
      schemeKey(scheme) === 'http basic' ? 'Basic' : scheme.type === 'apiKey' ? 'ApiKey' : 'Bearer',
    ),
  );
  return [...names].map((name) => `${name} realm="${realm}"`).join(', ');
}
