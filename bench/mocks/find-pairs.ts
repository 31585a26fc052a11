import { type Contract, isJson, type Operation } from '../../conformance/contract/contract.ts';

/** A collection and one of its items, with the operations that the contract documents for them. */
export interface Pair {
  /** The path of the item, as the contract writes it. */
  readonly name: string;
  readonly list: Operation | undefined;
  readonly create: Operation | undefined;
  /** True if a PUT to an unused id creates the item. */
  readonly isCreatedByPut: boolean;
  readonly read: Operation | undefined;
  readonly replace: Operation | undefined;
  /** PATCH, or a POST to the item that the contract calls an update. */
  readonly merge: Operation | undefined;
  readonly remove: Operation | undefined;
  /** Name of the parameter that selects the item. */
  readonly key: string;
  /** The last literal segment of the collection. */
  readonly noun: string;
  /** Number of parameters in the path of the collection. */
  readonly slots: number;
  /** The pair whose item contains the collection. */
  readonly parent: Pair | undefined;
}

type Methods = Partial<Record<Operation['method'], Operation>>;

/** The path without the names of its parameters, which may differ between the paths of one collection. */
const templateOf = (path: string): string => path.replace(/\/$/, '').replaceAll(/\{[^}]*\}/g, '{}');

/** Names of the parameters in a path, in their order. */
export const slotsOf = (path: string): string[] => [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name ?? '');

/** A POST to a collection that reads or writes many items at once creates no item. */
function isNoCreate({ id, path }: Operation): boolean {
  // A segment of the path names a part of the API: `batch` in `/apis/batch/v1/jobs`.
  const words = path.split('/').slice(0, -1);
  const isPart = words.some((word) => /^(batch|bulk)$/i.test(word));
  return /^(get|list|search|query|find|fetch|read|retrieve)/i.test(id) || (!isPart && /batch|bulk/i.test(id));
}

const wordOfUpdate = /^(update|modify|edit|patch|change|set|replace|partial)|update/i;

/**
 * Every pair of paths `/x` and `/x/{id}`, nested ones too, where the collection is listed or created, and the item has an operation. An item
 * `/thing/{id}` belongs to the collection `/things` if there is no `/thing`. Pairs are in the order of the contract, parents first.
 */
export function findPairs(contract: Contract): readonly Pair[] {
  const paths = new Map<string, Methods>();
  for (const operation of contract.operations.filter(documentsSuccess)) {
    const key = templateOf(operation.path);
    paths.set(key, { [operation.method]: operation, ...paths.get(key) });
  }
  const items = [...paths.keys()].filter((path) => /\/[^/{]+\/\{\}(\.json)?$/.test(path));
  // A shorter path is the parent of a longer one.
  items.sort((a, b) => a.split('/').length - b.split('/').length);
  const pairs = new Map<string, Pair>();
  for (const path of items) {
    const collection = collectionOf(path, paths);
    const item = paths.get(path);
    if (collection === undefined || item === undefined) continue;
    const pair = pairOf(collection.methods, item, parentOf(collection.path, pairs));
    if (pair !== undefined) pairs.set(path, pair);
  }
  return [...pairs.values()];
}

function collectionOf(
  item: string,
  paths: ReadonlyMap<string, Methods>,
): { readonly path: string; readonly methods: Methods } | undefined {
  const extension = item.endsWith('.json') ? '.json' : '';
  const stem = item.slice(0, item.lastIndexOf('/'));
  const plurals = [stem, `${stem}s`, `${stem}es`, stem.replace(/y$/, 'ies')];
  for (const path of plurals) {
    const methods = paths.get(`${path}${extension}`) ?? paths.get(path);
    if (methods?.get !== undefined || methods?.post !== undefined) return { path, methods };
  }
  const methods = paths.get(stem) ?? {};
  // A collection of a PUT need not have a path of its own.
  return paths.get(item)?.put === undefined ? undefined : { path: stem, methods };
}

function parentOf(collection: string, pairs: ReadonlyMap<string, Pair>): Pair | undefined {
  const segments = collection.split('/');
  for (let length = segments.length - 1; length > 1; length -= 1) {
    const found = pairs.get(segments.slice(0, length).join('/'));
    if (found !== undefined) return found;
  }
  return undefined;
}

function pairOf(collection: Methods, item: Methods, parent: Pair | undefined): Pair | undefined {
  const some = item.get ?? item.put ?? item.patch ?? item.delete ?? item.post;
  if (some === undefined) return undefined;
  const names = slotsOf(some.path);
  const isCreatedByPut =
    collection.post === undefined && item.put !== undefined && createsByPut(item.put, nounOf(some));
  const update = item.post !== undefined && item.patch === undefined && wordOfUpdate.test(item.post.id);
  const merge = item.patch ?? (update ? item.post : undefined);
  const post = collection.post === undefined || isNoCreate(collection.post) ? undefined : collection.post;
  const create = isCreatedByPut ? item.put : post;
  const list = collection.get !== undefined && isFile(collection.get) ? undefined : collection.get;
  if (list === undefined && create === undefined) return undefined;
  if (item.get === undefined && item.put === undefined && merge === undefined && item.delete === undefined)
    return undefined;
  return {
    name: some.path,
    list,
    create,
    isCreatedByPut,
    read: item.get,
    replace: item.put,
    merge,
    remove: item.delete,
    key: names.at(-1) ?? '',
    noun: nounOf(some),
    slots: names.length - 1,
    parent,
  };
}

/**
 * Whether a PUT creates an unknown item: it documents 201 (RFC 9110, 9.3.4), its name states it, such as `create-or-update` or `add-member` of
 * `/members`, or it has neither a body, by which it could replace something, nor a 404.
 */
export function createsByPut(put: Operation, noun: string): boolean {
  if (documents(put, '201') || (put.body === undefined && !documents(put, '404'))) return true;
  const name = put.id
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase();
  // `addItemToCart` adds no cart.
  const [, object] = /(?:^|-)(?:add|create)-(.*?)(?:-(?:to|for|in)-|$)/.exec(name) ?? [];
  return (
    /(?:^|-)(?:upsert(?:-|$)|(?:add|create)-or-)/.test(name) ||
    object?.includes(noun.slice(0, 4).toLowerCase()) === true
  );
}

/** Whether nothing rejects a PUT of an unknown item: no POST creates one, and no 404 is documented (RFC 9110, 9.3.4). */
export function mayCreateByPut({ create, replace }: Pair): boolean {
  return replace !== undefined && (create === undefined || create === replace) && !documents(replace, '404');
}

function nounOf({ path }: Operation): string {
  return path.split('/').findLast((segment) => segment !== '' && !segment.includes('{')) ?? '';
}

/** Whether an operation answers content that has no items, such as an image. */
function isFile({ responses }: Operation): boolean {
  const contents = responses.filter(({ status }) => /^2/.test(status)).flatMap((response) => response.contents);
  return contents.length > 0 && contents.every(({ mediaType }) => !isJson(mediaType) && !mediaType.startsWith('*'));
}

/** Not if every documented answer is a rejection: then no success of a mock could be right. */
function documentsSuccess({ responses }: Operation): boolean {
  return responses.length === 0 || responses.some(({ status }) => !/^[45]/.test(status));
}

function documents(operation: Operation, status: string): boolean {
  return operation.responses.some((response) => response.status === status);
}
