import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import { isObject, parsePointer } from '@lockstep/json/json-pointer';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import type { Detail } from '@lockstep/runtime/validation/detail';
import { parseUrlEncoded } from '@lockstep/runtime/validation/parse-url-encoded';
import { preferenceNames } from '../choose-example.ts';

/**
 * `accepted`: done. `documented`: answered as `Prefer` asked, and nothing done. `refused`: the request was wrong, or came at a wrong time. `unrouted`: nothing answers at the path, or not to the method. `fault`:
 * it met a fault that was asked for. `failed`: a fault of the sandbox itself. `aborted`: the caller was gone before the answer.
 */
export type Verdict = 'accepted' | 'documented' | 'refused' | 'unrouted' | 'fault' | 'failed' | 'aborted';

/** What became of one request. */
interface Outcome {
  /** When it came, ISO 8601, by the clock of the system. */
  readonly at: string;
  readonly requestId: string;
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Null where it reached no operation. */
  readonly operationId: string | null;
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
  /** Null where no answer left. */
  readonly status: number | null;
  readonly verdict: Verdict;
  /** Of the refusal. */
  readonly code?: string | undefined;
  /** What was wrong, in the words of the answer: these hold no value that the contract marks as a secret. */
  readonly says?: string | undefined;
  readonly details?: readonly Detail[] | undefined;
  readonly faultId?: string | undefined;
  /** Until the answer had left. */
  readonly ms: number;
}

export interface RecordedRequest extends Outcome {
  /** As it was sent, without the question mark. Its secrets are taken out before anything is kept. */
  readonly queryText: string;
}

type Kept = { readonly [Name in keyof Outcome]: Exclude<Outcome[Name], undefined> };

export interface JournalEntry extends Kept {
  /** Counts up by one, also across `clear`. */
  readonly number: number;
  readonly query: readonly { readonly name: string; readonly value: string }[];
}

/** As it is kept: to leave out what is not known costs every request, and few entries are read. */
type KeptEntry = { readonly [Name in keyof JournalEntry]: JournalEntry[Name] | undefined };

export interface JournalFilter {
  readonly operationId?: string | undefined;
  readonly status?: number | undefined;
  readonly verdict?: Verdict | undefined;
  /** The greatest number of entries; all when left out. */
  readonly limit?: number | undefined;
}

export interface Journal {
  record(request: RecordedRequest): void;
  /** Those that fit, newest first. */
  list(filter?: JournalFilter): readonly JournalEntry[];
  clear(): void;
}

/** What stands for a value that is a secret, or may be one. */
export const redacted = '[redacted]';

const mostEntries = 1_000;

/** A caller's own text, in characters: a thousand entries must not keep what a thousand requests may send. */
const longest = { path: 500, pairs: 50, name: 100, value: 200, id: 100, says: 1_000, details: 100 } as const;

/**
 * Of the authorization server: what is neither a credential nor about a person. All else is taken out by default: a name that is added there
 * one day must not be the one that was forgotten here.
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

const loginPath = '/auth';

/** Keeps the last thousand requests in memory: no header, no body, and of the query the values of known parameters alone. Names that the contract does not have are hidden in all of them. */
export function createJournal(): Journal {
  let recorded = 0;
  const entries: KeptEntry[] = [];
  return {
    record({ queryText, ...outcome }) {
      const { method, path, operationId, clientId, accountId, code, details } = outcome;
      const told = details?.slice(0, longest.details).map(hideNames);
      // The text of a refusal is that of one of its details, and is hidden as that is.
      const same = outcome.says && details?.findIndex((detail) => detail.says === outcome.says);
      const says = (typeof same === 'number' && told?.[same]?.says) || outcome.says;
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
        details: told?.map(({ at, says: why, ...detail }) => ({
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
}

/** No name and no id of ours is as long in one piece: it is a token that was sent in the wrong place. */
const tokenLike = /[\w.~+-]{41,}=*/g;

/** Of what a caller may have put anywhere: a path, a name in a query, and the answer that repeats it. */
function hideSecrets(text: string): string {
  return text.length > 40 ? text.replaceAll(tokenLike, redacted) : text;
}

/**
 * Hides ids of interactions: with the id and its cookie a login can be ended. Ids of the OAuth server have 21 characters. In a path that is no
 * operation one may stand anywhere, as after a slash too many.
 */
function hideIds(path: string): string {
  const hidden = path.replaceAll(/(\/(?:interaction|login)\/+)[^/]+/gi, `$1${redacted}`);
  return /^\/+auth\//i.test(path) ? hidden.replaceAll(/[^/]{20,}/g, redacted) : hidden;
}

/** Names of members and parameters in the contract. Any other may be a secret that a caller put in the wrong place. */
const declaredNames: ReadonlySet<string> = new Set([...listNames(contract), ...preferenceNames, ...shownOfLogin, '']);

function* listNames(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  if ('in' in node && 'name' in node && typeof node.name === 'string') yield node.name;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'properties' && isObject(value)) yield* Object.keys(value);
    yield* listNames(value);
  }
}

function showName(name: string): string {
  return declaredNames.has(name) || /^\d{1,6}$/.test(name) ? name : redacted;
}

/** Hides names that the contract does not have; suggestions of names that it has stay. */
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

/** Without a person before the `@`, and without the query of an application, which may have secrets of its own. */
function showCallback(value: string): string {
  const url = URL.parse(value);
  return url === null ? redacted : `${url.origin}${url.pathname}`;
}

/** A value is shown where its operation declares a parameter of that name. One that nobody declares may be anything, a token too. */
function redactQuery(path: string, operationId: string | null, queryText: string): JournalEntry['query'] {
  const table: OperationTable = operations;
  const operation = operationId !== null && Object.hasOwn(table, operationId) ? table[operationId] : undefined;
  const isLogin = operation?.basePath === loginPath || path === loginPath || path.startsWith(`${loginPath}/`);
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

function declares(operation: Operation | undefined, name: string): boolean {
  return operation?.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name) ?? false;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}

/** A member that is not known is left out. */
function dropUndefined(entry: KeptEntry): JournalEntry {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as unknown as JournalEntry;
}
