import { type Contract, type Operation, responseFor } from '../contract/contract.ts';
import { evaluate, type Seen } from '../contract/document.ts';
import { normal, plainPath } from '../resources/slots.ts';

/** What the user allows. */
export interface Permissions {
  readonly effects: readonly string[];
  readonly readOnly: boolean;
  readonly writes: WriteMode;
}

/** `owned`: only what this run made; `restore`: besides, writes that put back what was read; `all`: anything. */
export type WriteMode = 'owned' | 'restore' | 'all';

const safe = new Set(['get', 'head', 'options']);

export function isSafe({ method }: Operation): boolean {
  return safe.has(method);
}

/** Methods of which a request may be sent twice for the effect of one (RFC 9110, 9.2.2). */
export const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * Whether a request may be sent a second time for no other reason than that the first told too little: no answer, a 5xx, a
 * gateway's 502. A POST may have opened a door before the connection broke, and opens it once more. So only what the method
 * (RFC 9110, 9.2.2) or the contract (`x-idempotency`) promises to be the same when repeated is repeated, whatever writes are
 * allowed: `--writes all` says what a run may touch, not how often. What else it has to establish about a POST it finds out from
 * the next case of its own, with other data, or not at all.
 */
export function mayRepeat({ extensions }: Operation, method: string): boolean {
  return idempotent.has(method.toUpperCase()) || extensions.isIdempotent;
}

/** What a call does to the deployment, as far as the contract tells. */
export type Deed = 'read' | 'create' | 'change' | 'remove' | 'action';

/**
 * A POST creates where its path has items beneath it, or where it answers 201 or `Location` by the contract and its name
 * speaks of nothing else. A token endpoint is called by every client and changes nothing. Any other POST is an action: what it does only the contract's `x-effect` can say.
 */
export function deedOf(contract: Contract, operation: Operation): Deed {
  const { method, path, extensions } = operation;
  if (safe.has(method) || extensions.effect === 'none') return 'read';
  if (method === 'delete') return 'remove';
  if (method !== 'post') return 'change';
  const hasItems = itemPathsOf(contract).has(plainPath(path));
  const created = responseFor(operation, 201);
  const tells = operation.responses.some(
    ({ status, headers }) => status.startsWith('2') && headers.some(({ name }) => name.toLowerCase() === 'location'),
  );
  const isCreated = created?.status === '201' || tells;
  // Many a framework documents 201 for whatever is posted: `POST /shutdown` makes nothing.
  const isPerilous = perilOf(operation, 'create') > 0 || ofServer.test(normal(path.split('/').at(-1) ?? ''));
  if (hasItems || (isCreated && !isPerilous)) return 'create';
  return isTokenEndpoint(contract, operation) ? 'read' : 'action';
}

/** Paths that have items: `/books` where there is `/books/{bookId}`. */
function itemPathsOf(contract: Contract): ReadonlySet<string> {
  const known = itemPaths.get(contract);
  if (known !== undefined) return known;
  const found = contract.operations.flatMap(({ path }) => /^(.*)\/\{\}$/.exec(plainPath(path))?.slice(1) ?? []);
  const paths = new Set(found);
  itemPaths.set(contract, paths);
  return paths;
}

const itemPaths = new WeakMap<Contract, ReadonlySet<string>>();

function isTokenEndpoint({ schemes }: Contract, { path }: Operation): boolean {
  return Object.values(schemes).some(({ tokenUrl }) => tokenUrl?.split(/[?#]/)[0]?.endsWith(path));
}

/** @returns why an operation must not be called at all, with the option that would allow it; undefined if it may */
export function refuseOperation(
  contract: Contract,
  operation: Operation,
  permissions: Permissions,
): string | undefined {
  if (operation.method === 'trace') return 'TRACE is not sent';
  if (permissions.readOnly && !isSafe(operation)) return 'it writes, and --read-only was given';
  const { effect, isIdempotent } = operation.extensions;
  const refusal = refuseEffect(effect, permissions);
  if (refusal !== undefined) return refusal;
  const isAllowed = permissions.writes === 'all' || isIdempotent || effect !== undefined;
  if (isAllowed || deedOf(contract, operation) !== 'action') return undefined;
  return 'it is an action, a POST that makes nothing of its own: pass --writes all to try it';
}

/** Words of what ends a session, changes how one logs in, or stops a server: whole words of the path or the operation's name. */
const ofCredentials =
  /^(revoke|rotate|regenerate|renew|refresh|logout|signout|logoff|deactivate|disable|password|passwd|blacklist|invalidate|expire|unlink|me|self|whoami|session|sessions)$/;
const ofServer =
  /^(shutdown|stop|restart|reboot|reset|terminate|kill|exit|quit|halt|poweroff|wipe|purge|flush|truncate|clear|drop|erase|empty|prune|cleanup|destroy|migrate|downgrade|rollback|uninstall|restore|import|upgrade|shut)$/;

const toStop =
  /^(shutdown|stop|restart|reboot|terminate|kill|exit|quit|halt|poweroff|poweron|reload|relaunch|shut|suspend|sleep)$/;

/** Its name says that it stops or restarts the deployment, and not one object of it. */
export function tellsToStop({ id, path, method }: Operation): boolean {
  if (path.includes('{')) return false;
  const words = wordsOf([path.split('/').at(-1) ?? '', safe.has(method) ? '' : id]);
  return words.some((word, index) => toStop.test(word) || toStop.test(`${word}${words[index + 1] ?? ''}`));
}

/** Words of names in any of the usual spellings, in lower case. */
function wordsOf(names: readonly string[]): readonly string[] {
  return names
    .flatMap((text) => text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/))
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** What comes last of all. 0: nothing to fear, 1: it may take the credentials away, 2: it may stop the deployment or wipe it. */
export function perilOf({ id, path }: Operation, deed: Deed): 0 | 1 | 2 {
  const places = path
    .replaceAll(/\{[^}]*\}/g, '')
    .split('/')
    .slice(-2);
  const words = wordsOf([...places, id]);
  const joined = words.map((word, index) => `${word}${words[index + 1] ?? ''}`);
  const has = (pattern: RegExp): boolean =>
    words.some((word) => pattern.test(word)) || joined.some((word) => pattern.test(word));
  // A read is feared by its own last word alone: `GET /logout`, but not `GET /sessions`.
  const last = normal(path.split('/').at(-1) ?? '');
  if (deed === 'read')
    return ofServer.test(last) && last !== 'import' && last !== 'restore'
      ? 2
      : /^(logout|signout|logoff|revoke)$/.test(last)
        ? 1
        : 0;
  const isOfAccess =
    has(/^(token|password|key|apikey|secret|credentials?|me|self|user|account)$/) && has(/^(reset|restore)$/);
  if (isOfAccess) return 1;
  // Beneath an id it is about one object, as any other action is.
  if (has(ofServer) && !path.includes('{')) return 2;
  return deed !== 'create' && has(ofCredentials)
    ? 1
    : has(/^(revoke|rotate|regenerate|refresh|logout|signout|password)$/)
      ? 1
      : 0;
}

/** @returns why this request must not be sent: the effect of a value in it, also of one that no case lists */
export function refuseValues(operation: Operation, seen: Seen, permissions: Permissions): string | undefined {
  for (const { at, cases } of operation.extensions.byValue) {
    const value = evaluate(at, seen);
    if (value === undefined) continue;
    const match = cases.find(({ values }) => values.includes(String(value)));
    // A server that reads an unknown value laxly may take it for any of the cases.
    for (const { effect } of match === undefined ? cases : [match]) {
      const refusal = refuseEffect(effect, permissions);
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

/** Scopes that the values of a request ask for, beside those of the operation. */
export function scopesOfValues(operation: Operation, seen: Seen): readonly string[] {
  return operation.extensions.byValue.flatMap(({ at, cases }) => {
    const value = evaluate(at, seen);
    return cases.find(({ values }) => values.includes(String(value)))?.scopes ?? [];
  });
}

function refuseEffect(effect: string | undefined, { effects }: Permissions): string | undefined {
  if (effect === undefined || effect === 'none' || effects.includes(effect)) return undefined;
  return `its effect is ${effect}: pass --allow-effects ${effect}`;
}
