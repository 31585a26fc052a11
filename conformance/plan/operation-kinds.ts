// The effect of an operation on the deployment, read from method, path and names: the contract says it nowhere else.
import { type Contract, type Operation, responseFor } from '../contract/contract.ts';
import { normal, nounOf, plainPath, slotsOf } from '../resources/slots.ts';

/** The effect of a call on the deployment, as far as the contract tells. */
export type OperationKind = 'read' | 'create' | 'change' | 'remove' | 'action';

interface Row {
  /** Whole words of the last segments of a path or of the operationId. */
  readonly words: string;
  /** `service`: the deployment or all its data; `access`: how the run is let in. */
  readonly ends?: 'service' | 'access';
  /** The process itself ends or starts anew. */
  readonly stops?: true;
  /** Also in a read, where the word is the last segment of the path. */
  readonly reads?: true;
  /** Also in a create; a word that ends the service counts in each. */
  readonly creates?: true;
}

/**
 * The words of operations that may end a run or destroy what it does not own. A row too many costs an operation its early place
 * alone; a row too few may end the run at its beginning.
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

/** Reset or restored, these take the credentials away, and not the data. */
const credentials = words('token password key apikey secret credential credentials me self user account');

/** Items by which a run is let in: to delete one of others may end it. */
const holdersOfAccess = words(
  'user account member membership token apikey key session role organisation organization tenant team group admin client credential',
);

/** Names of items that belong to the deployment itself. */
const ofSystem =
  /(^|[^a-z])(system|default|admin|administrator|administrators|root|internal|superuser|owner|public|master|main)([^a-z]|$)/i;

/** Words of the rows that fit. */
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
 * A POST creates where its path has items beneath it, or where it answers 201 or `Location` by the contract and its name
 * speaks of nothing else. A token endpoint is called by every client and changes nothing. Any other POST is an action: what it
 * does only the contract's `x-effect` can say.
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
  // Many a framework documents 201 for whatever is posted: `POST /shutdown` makes nothing.
  const isOther = dangerOf(operation, 'create') > 0 || endService.has(lastSegment(path));
  if (isCreated && !isOther) return 'create';
  return isTokenEndpoint(contract, operation) ? 'read' : 'action';
}

/** 0: harmless; 1: it may take the credentials away; 2: it may stop the deployment or empty it. */
export function dangerOf({ id, path }: Operation, kind: OperationKind): 0 | 1 | 2 {
  if (kind === 'read') {
    const last = lastSegment(path);
    return !inReads.has(last) ? 0 : endService.has(last) ? 2 : 1;
  }
  const places = path
    .replaceAll(/\{[^}]*\}/g, '')
    .split('/')
    .slice(-2);
  const said = spoken([...places, id]);
  const message = (known: ReadonlySet<string>): boolean => said.some((word) => known.has(word));
  if (message(credentials) && message(resets)) return 1;
  // Beneath an id it is about one object, as any other action is.
  if (!path.includes('{') && message(endService)) return 2;
  return message(kind === 'create' ? endAccessByCreate : endAccess) ? 1 : 0;
}

/** Its name says that it stops or restarts the deployment, and not one object of it. */
export function tellsToStop({ id, path, method }: Operation): boolean {
  if (path.includes('{')) return false;
  const said = spoken([path.split('/').at(-1) ?? '', safe.has(method) ? '' : id]);
  return said.some((word) => stopProcess.has(word));
}

/** Its items let somebody in. */
export function isOfAccess({ path }: Operation): boolean {
  return holdersOfAccess.has(nounOf(path)) || holdersOfAccess.has(slotsOf(path).at(-1)?.noun ?? '');
}

/** A value by which an item is named as a part of the deployment itself. */
export function isNameOfSystem(value: unknown): boolean {
  return typeof value === 'string' && ofSystem.test(value);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** Words of names in any of the usual spellings, in lower case, and each two neighbours as one: `shut down`. */
function spoken(names: readonly string[]): readonly string[] {
  const said = names
    .flatMap((text) => text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/))
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
  return [...said, ...said.map((word, index) => `${word}${said[index + 1] ?? ''}`)];
}

function lastSegment(path: string): string {
  return normal(path.split('/').at(-1) ?? '');
}

/** Paths that have items: `/books` where there is `/books/{bookId}`. */
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

function isTokenEndpoint({ schemes }: Contract, { path }: Operation): boolean {
  return Object.values(schemes).some(({ tokenUrl }) => tokenUrl?.split(/[?#]/)[0]?.endsWith(path));
}
