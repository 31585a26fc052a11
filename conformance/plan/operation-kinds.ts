// The effect of an operation on the deployment, inferred from method, path and names: OpenAPI has no other place for it.
import { type Contract, type Operation, responseFor } from '../contract/contract.ts';
import { normal, nounOf, plainPath, slotsOf } from '../resources/slots.ts';

/** The effect of a call on the deployment. */
export type OperationKind = 'read' | 'create' | 'change' | 'remove' | 'action';

interface Row {
  /** Whole words of the last segments of a path or of the operationId. */
  readonly words: string;
  /** `service`: the deployment or all its data; `access`: the run's access. */
  readonly ends?: 'service' | 'access';
  /** The process exits or restarts. */
  readonly stops?: true;
  /** The row also applies to a read whose path has the word at the end. */
  readonly reads?: true;
  /** The row also applies to a create; rows with `ends: 'service'` always do. */
  readonly creates?: true;
}

/**
 * Words of operations that may end a run or destroy data of others. A superfluous row only delays an operation; a missing row
 * may stop the run at its beginning.
 */
const destructive: readonly Row[] = [
  {
    words: 'shutdown stop restart reboot terminate kill exit quit halt poweroff shut',
    ends: 'service',
    stops: true,
    reads: true,
  },
  { words: 'poweron reload relaunch suspend sleep', stops: true },
  {
    words: 'wipe purge flush truncate clear drop erase empty prune cleanup destroy reset',
    ends: 'service',
    reads: true,
  },
  { words: 'migrate downgrade upgrade rollback uninstall', ends: 'service', reads: true },
  { words: 'restore import', ends: 'service' },
  { words: 'revoke logout signout', ends: 'access', reads: true, creates: true },
  { words: 'rotate regenerate refresh password', ends: 'access', creates: true },
  { words: 'logoff', ends: 'access', reads: true },
  { words: 'renew deactivate disable passwd blacklist invalidate expire unlink', ends: 'access' },
  { words: 'me self whoami session sessions', ends: 'access' },
];

/** A reset or restore of these invalidates credentials and keeps the data. */
const credentials = words('token password key apikey secret credential credentials me self user account');

/** Items that give access: deleting one that the run did not create may end the run. */
const holdersOfAccess = words(
  'user account member membership token apikey key session role organisation organization tenant team group admin client credential',
);

/** Names of items that belong to the deployment itself. */
const ofSystem =
  /(^|[^a-z])(system|default|admin|administrator|administrators|root|internal|superuser|owner|public|master|main)([^a-z]|$)/i;

function wordsOf(isAsked: (row: Row) => boolean): ReadonlySet<string> {
  return words(
    destructive
      .filter(isAsked)
      .map((row) => row.words)
      .join(' '),
  );
}

const endService = wordsOf(({ ends }) => ends === 'service');
const endAccess = wordsOf(({ ends }) => ends === 'access');
const endAccessByCreate = wordsOf(({ ends, creates }) => ends === 'access' && creates === true);
const inReads = wordsOf(({ reads }) => reads === true);
const stopProcess = wordsOf(({ stops }) => stops === true);
const resets = words('reset restore');

const safe = new Set(['get', 'head', 'options']);

export function isSafe({ method }: Operation): boolean {
  return safe.has(method);
}

/**
 * A POST creates if its path has items beneath it, or if it declares 201 or `Location` and its name is not destructive. Every client
 * calls a token endpoint, which changes nothing. Any other POST is an action: only `x-effect` of the contract can describe its effect.
 */
export function kindOf(contract: Contract, operation: Operation): OperationKind {
  const { method, path, extensions } = operation;
  if (safe.has(method) || extensions.effect === 'none') return 'read';
  if (method === 'delete') return 'remove';
  if (method !== 'post') return 'change';
  if (itemPathsOf(contract).has(plainPath(path))) return 'create';
  const isCreated =
    responseFor(operation, 201)?.status === '201' ||
    operation.responses.some(
      ({ status, headers }) => status.startsWith('2') && headers.some(({ name }) => name.toLowerCase() === 'location'),
    );
  // Many frameworks document 201 for every POST: `POST /shutdown` creates nothing.
  const isOther = dangerOf(operation, 'create') > 0 || endService.has(lastSegment(path));
  if (isCreated && !isOther) return 'create';
  return isTokenEndpoint(contract, operation) ? 'read' : 'action';
}

/** 0: harmless; 1: the operation may invalidate the credentials; 2: it may stop or empty the deployment. */
export function dangerOf({ id, path }: Operation, kind: OperationKind): 0 | 1 | 2 {
  if (kind === 'read') {
    const last = lastSegment(path);
    return !inReads.has(last) ? 0 : endService.has(last) ? 2 : 1;
  }
  const places = path
    .replaceAll(/\{[^}]*\}/g, '')
    .split('/')
    .slice(-2);
  const own = wordsIn([...places, id]);
  const hasAny = (known: ReadonlySet<string>): boolean => own.some((word) => known.has(word));
  if (hasAny(credentials) && hasAny(resets)) return 1;
  // An operation beneath an id is about one object.
  if (!path.includes('{') && hasAny(endService)) return 2;
  return hasAny(kind === 'create' ? endAccessByCreate : endAccess) ? 1 : 0;
}

/** Whether the name means that the operation stops or restarts the deployment, and not one object of it. */
export function stopsDeployment({ id, path, method }: Operation): boolean {
  if (path.includes('{')) return false;
  const own = wordsIn([path.split('/').at(-1) ?? '', safe.has(method) ? '' : id]);
  return own.some((word) => stopProcess.has(word));
}

/** Whether the operation's items give access. */
export function isOfAccess({ path }: Operation): boolean {
  return holdersOfAccess.has(nounOf(path)) || holdersOfAccess.has(slotsOf(path).at(-1)?.noun ?? '');
}

/** Whether a value is a name of an item that belongs to the deployment itself. */
export function isNameOfSystem(value: unknown): boolean {
  return typeof value === 'string' && ofSystem.test(value);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** Words of names in any of the usual spellings, in lower case, and each two neighbours as one: `shut down`. */
function wordsIn(names: readonly string[]): readonly string[] {
  const found = names
    .flatMap((text) => text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/))
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
  return [...found, ...found.map((word, index) => `${word}${found[index + 1] ?? ''}`)];
}

const logIns = words('login signin logon authenticate auth session sessions token tokens otp');

/** Whether an operation takes the credentials of a log-in: each wrong one may count against an account. */
export function isLogIn(contract: Contract, operation: Operation): boolean {
  if (isTokenEndpoint(contract, operation)) return true;
  const last =
    operation.path
      .replaceAll(/\{[^}]*\}/g, '')
      .split('/')
      .at(-1) ?? '';
  return operation.method === 'post' && wordsIn([last, operation.id]).some((word) => logIns.has(word));
}

function lastSegment(path: string): string {
  return normal(path.split('/').at(-1) ?? '');
}

/** Paths that have items: `/books` if the contract has `/books/{bookId}`. */
function itemPathsOf(contract: Contract): ReadonlySet<string> {
  const known = itemPaths.get(contract);
  if (known !== undefined) return known;
  const paths = new Set(
    contract.operations.flatMap(({ path }) => /^(.*)\/\{\}$/.exec(plainPath(path))?.slice(1) ?? []),
  );
  itemPaths.set(contract, paths);
  return paths;
}

const itemPaths = new WeakMap<Contract, ReadonlySet<string>>();

/** Whether clients get their tokens there. */
export function isTokenEndpoint({ schemes }: Contract, { path }: Operation): boolean {
  return Object.values(schemes).some(({ tokenUrl }) => tokenUrl?.split(/[?#]/)[0]?.endsWith(path));
}
