import { type ContractDocument, isObject, parsePointer } from '@lockstep/json/json-pointer';
import { oncePerDocument } from '@lockstep/runtime/once-per-document';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import type { Detail } from '@lockstep/runtime/validation/detail';
import { parseUrlEncoded } from '@lockstep/runtime/validation/parse-url-encoded';
import { preferenceNames } from '../choose-example.ts';

/**
 * `accepted`: done. `documented`: answered as `Prefer` asked, without effect. `refused`: the request was wrong, or came at a wrong time. `unrouted`: unknown
 * path or method. `fault`: it triggered an added fault. `failed`: an error of the sandbox itself. `aborted`: the client closed the connection before the answer.
 */
export type Verdict = 'accepted' | 'documented' | 'refused' | 'unrouted' | 'fault' | 'failed' | 'aborted';

/** The result of one request. */
interface Outcome {
  /** Arrival by the clock of the system, ISO 8601. */
  readonly at: string;
  readonly requestId: string;
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** Null if it reached no operation. */
  readonly operationId: string | null;
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
  /** Null if no answer was sent. */
  readonly status: number | null;
  readonly verdict: Verdict;
  /** Error code of the answer. */
  readonly code?: string | undefined;
  /** The message of the answer, which contains no value that the contract marks as a secret. */
  readonly says?: string | undefined;
  readonly details?: readonly Detail[] | undefined;
  readonly faultId?: string | undefined;
  /** Milliseconds until the answer was sent. */
  readonly ms: number;
}

export interface RecordedRequest extends Outcome {
  /** As sent, without the question mark. Its secrets are removed before it is kept. */
  readonly queryText: string;
}

type Kept = { readonly [Name in keyof Outcome]: Exclude<Outcome[Name], undefined> };

export interface JournalEntry extends Kept {
  /** Counts up by one, also across `clear`. */
  readonly number: number;
  readonly query: readonly { readonly name: string; readonly value: string }[];
}

/** An entry as stored. Undefined members are dropped only when an entry is read, since dropping costs time in each request. */
type KeptEntry = { readonly [Name in keyof JournalEntry]: JournalEntry[Name] | undefined };

export interface JournalFilter {
  readonly operationId?: string | undefined;
  readonly status?: number | undefined;
  readonly verdict?: Verdict | undefined;
  /** The greatest number of entries; all by default. */
  readonly limit?: number | undefined;
}

export interface Journal {
  record(request: RecordedRequest): void;
  /** Matching entries, newest first. */
  list(filter?: JournalFilter): readonly JournalEntry[];
  clear(): void;
}

/** Replaces a value that is or may be a secret. */
export const redacted = '[redacted]';

const mostEntries = 1_000;

/** Limits for text of clients, in characters, so that a thousand entries do not keep the whole text of a thousand requests. */
const longest = { path: 500, pairs: 50, name: 100, value: 200, id: 100, says: 1_000, details: 100 } as const;

/**
 * Parameters of the authorization server that are neither a credential nor about a person. All others are removed, so that a parameter added later
 * is hidden by default.
 */
const shownOfLogin: ReadonlySet<string> = new Set([
  'response_type',
  'client_id',
  'scope',
  'redirect_uri',
  'prompt',
  'code_challenge_method',
  'ui_locales',
]);

export interface JournalOptions {
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  /** Base path of an authorization server. Its parameters are hidden unless they are neither a credential nor about a person. */
  readonly loginPath?: string;
}

/** Keeps the last thousand requests in memory, without headers and bodies. Of the query it keeps only values of known parameters; names that the contract lacks are hidden. */
export function createJournal({ contract, operations, loginPath }: JournalOptions): Journal {
  let recorded = 0;
  const entries: KeptEntry[] = [];
  return {
    record({ queryText, ...outcome }) {
      const { method, path, operationId, clientId, accountId, code, details } = outcome;
      const shownDetails = details?.slice(0, longest.details).map(hideNames);
      // The message of an error repeats one of its details, and is redacted in the same way.
      const same = outcome.says && details?.findIndex((detail) => detail.says === outcome.says);
      const says = (typeof same === 'number' && shownDetails?.[same]?.says) || outcome.says;
      const entry = {
        ...outcome,
        number: ++recorded,
        method: cut(method, longest.id),
        path: cut(hideSecrets(operationId === null ? hideIds(path) : path), longest.path),
        query: redactQuery(path, operationId, queryText),
        clientId: clientId ? cut(clientId, longest.id) : undefined,
        accountId: accountId ? cut(accountId, longest.id) : undefined,
        code: code ? cut(code, longest.id) : undefined,
        says: says ? cut(hideSecrets(says), longest.says) : undefined,
        details: shownDetails?.map(({ at, says: why, ...detail }) => ({
          ...detail,
          at: cut(hideSecrets(at), longest.path),
          says: cut(hideSecrets(why), longest.says),
        })),
      };
      entries.push(entry);
      if (entries.length > mostEntries) entries.shift();
    },
    list({ limit = mostEntries, ...wanted } = {}) {
      const fits = (entry: KeptEntry): boolean =>
        (['operationId', 'status', 'verdict'] as const).every(
          (name) => wanted[name] === undefined || wanted[name] === entry[name],
        );
      return entries.filter(fits).toReversed().slice(0, limit).map(dropUndefined);
    },
    clear() {
      entries.length = 0;
    },
  };

  function showName(name: string): string {
    return namesOf(contract).has(name) || /^\d{1,6}$/.test(name) ? name : redacted;
  }

  /** Hides names that the contract does not have. Suggested names of the contract stay. */
  function hideNames(detail: Detail): Detail {
    const isPointer = detail.in === 'body' && detail.at.startsWith('/');
    const sent = isPointer ? parsePointer(detail.at) : [detail.at];
    const shown = sent.map(showName);
    const misspelt = /, did you mean it by (.*)\?$/s;
    const says = detail.says.replace(misspelt, (all, name: string) => all.replace(name, () => showName(name)));
    const place = sent.join('/');
    if (place === shown.join('/')) return { ...detail, says };
    const rest = says.startsWith(place) ? says.slice(place.length) : ' is refused';
    return { ...detail, at: `${isPointer ? '/' : ''}${shown.join('/')}`, says: shown.join('/') + rest };
  }

  /** Shows only values of parameters that the operation declares. Any other value may be a token. */
  function redactQuery(path: string, operationId: string | null, queryText: string): JournalEntry['query'] {
    const operation =
      operationId !== null && Object.hasOwn(operations, operationId) ? operations[operationId] : undefined;
    const isLogin =
      loginPath !== undefined &&
      (operation?.basePath === loginPath || path === loginPath || path.startsWith(`${loginPath}/`));
    const isShown = (name: string): boolean =>
      isLogin ? shownOfLogin.has(name) : preferenceNames.has(name) || declares(operation, name);
    if (queryText === '') return [];
    const show = (name: string, value: string): string => {
      if (!isShown(name)) return redacted;
      return cut(isLogin && name === 'redirect_uri' ? showCallback(value) : hideSecrets(value), longest.value);
    };
    return parseUrlEncoded(queryText)
      .slice(0, longest.pairs)
      .map(({ name, value }) => ({ name: cut(showName(name), longest.name), value: show(name, value) }));
  }
}

/** Longer than any name or id of the contract: probably a token that was sent in the wrong place. */
const tokenLike = /[\w.~+-]{41,}=*/g;

/** Hides tokens in text of a client: in a path, in a name of a query, and in the answer that repeats it. */
function hideSecrets(text: string): string {
  return text.length > 40 ? text.replaceAll(tokenLike, redacted) : text;
}

/**
 * Hides ids of interactions: with the id and its cookie, anyone could finish the login. Ids of the OAuth server have 21 characters. In a path without
 * an operation, an id may be anywhere, for example after an extra slash.
 */
function hideIds(path: string): string {
  const hidden = path.replaceAll(/(\/(?:interaction|login)\/+)[^/]+/gi, `$1${redacted}`);
  return /^\/+auth\//i.test(path) ? hidden.replaceAll(/[^/]{20,}/g, redacted) : hidden;
}

/** Names of members and parameters in the contract. Any other may be a secret in the wrong place. */
const namesOf = oncePerDocument(
  (contract): ReadonlySet<string> => new Set([...listNames(contract), ...preferenceNames, ...shownOfLogin, '']),
);

function* listNames(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  if ('in' in node && 'name' in node && typeof node.name === 'string') yield node.name;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'properties' && isObject(value)) yield* Object.keys(value);
    yield* listNames(value);
  }
}

/** A callback URL without user information and without query, which may contain secrets of the application. */
function showCallback(value: string): string {
  const url = URL.parse(value);
  return url === null ? redacted : `${url.origin}${url.pathname}`;
}

function declares(operation: Operation | undefined, name: string): boolean {
  return operation?.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name) ?? false;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}

/** Drops undefined members. */
function dropUndefined(entry: KeptEntry): JournalEntry {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as unknown as JournalEntry;
}
