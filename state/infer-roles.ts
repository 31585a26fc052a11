import { isObject, readPointer } from '@lockstep/json/json-pointer';
import type { SchemaNode } from '@lockstep/values/shape';
import {
  type ContractTools,
  jsonContentOf,
  type ResponseContent,
  type StateOperation,
  type StateResponse,
  successOf,
} from './contract-tools.ts';
import { entryOf, findDraft, findMany, findResources, memberLike } from './find-resources.ts';
import type { Part, SchemaReader } from './read-schemas.ts';
import { type Address, idNames, type Resource, type Route } from './resource.ts';
import { nameTemplate, nounOf, plainName } from './template.ts';

/**
 * The effect of an operation on a resource. An operation of the role `none` answers as documented, and so does one of the role `below` while
 * the items exist that own its path.
 */
export type RoleName =
  | 'list'
  | 'create'
  | 'read'
  | 'replace'
  | 'merge'
  | 'delete'
  | 'action'
  | 'singleton-read'
  | 'singleton-write'
  | 'below'
  | 'none';

export interface Role {
  readonly operationId: string;
  readonly role: RoleName;
  /** The path of the resource without names of parameters: `/owners/{}/pets`. */
  readonly resource?: string;
  readonly why: string;
}

/** The role of an operation with the parts of the contract that its answers need. */
export interface Plan {
  readonly role: Exclude<RoleName, 'below' | 'none'>;
  readonly why: string;
  readonly operation: StateOperation;
  readonly address: Address;
  /** Names of the path parameters of the owners. */
  readonly parents: readonly string[];
  /** Name of the path parameter with the id of the item. */
  readonly key: string | undefined;
  /** The word of an action: `cancel`. */
  readonly action: string | undefined;
  readonly success: StateResponse | undefined;
  readonly content: ResponseContent | undefined;
  /** Schema of the body of the answer. */
  readonly answer: SchemaNode | undefined;
  readonly list: Part | undefined;
  /** The item in an element of that list. */
  readonly entry: Part | undefined;
  /** The item in the answer. */
  readonly item: Part | undefined;
  /** Whether a read answers a list, which has only the item. */
  readonly isListed: boolean;
  /** The item in the request body. */
  readonly draft: Part | undefined;
  /** The member of the item that the request body is: `{id, created, policy}` of a policy. */
  readonly within: string | undefined;
  /** The items in the request body, if it creates several. */
  readonly many: Part | undefined;
  /** Whether a PUT is documented to create an unknown item. */
  readonly isCreatedByPut: boolean;
}

/** An operation of the role `below`. */
export interface Below extends Pick<Address, 'parents'> {
  readonly operation: StateOperation;
  /** Names of the path parameters, those of the owners first. */
  readonly parameters: readonly string[];
}

export interface Model {
  /** One for each operation, in the order of the contract. */
  readonly roles: readonly Role[];
  readonly plans: ReadonlyMap<string, Plan>;
  readonly below: ReadonlyMap<string, Below>;
  readonly resources: readonly Resource[];
  /** Resources of which every id exists until it is deleted, since no operation lists or creates their items. */
  readonly open: ReadonlySet<Resource>;
}

const writing = new Set(['post', 'put', 'patch', 'delete']);

/** Verbs that are the last word of a path, by the role that they name. */
const verbRoles: Readonly<Record<string, 'list' | 'create' | 'merge' | 'delete'>> = {
  ...Object.fromEntries(['create', 'add', 'new'].map((word) => [word, 'create' as const])),
  ...Object.fromEntries(['list', 'all', 'search', 'find', 'query', 'filter'].map((word) => [word, 'list' as const])),
  ...Object.fromEntries(['update', 'edit'].map((word) => [word, 'merge' as const])),
  ...Object.fromEntries(['delete', 'remove'].map((word) => [word, 'delete' as const])),
};

type Found = Pick<Plan, 'role' | 'why' | 'address' | 'action'> & { readonly depth: 'collection' | 'item' | 'below' };

/** Infers the role of each operation from paths, methods and schemas. */
export function inferRoles(tools: ContractTools, reader: SchemaReader): Model {
  const found = findResources(tools, reader);
  const singletons = new Map<string, Address>();
  const byName = Map.groupBy(found.routes, ({ name }) => name);
  const plans = new Map<string, Plan>();
  const below = new Map<string, Below>();
  const routeOf = new Map(found.routes.map((route) => [route.operation, route]));
  const results = tools.operations.map((operation) => {
    const route = routeOf.get(operation);
    if (route === undefined) return { operation, route, result: 'a part of a path segment is a parameter' };
    if (documentsNone(operation)) return { operation, route: undefined, result: 'it documents no success' };
    return { operation, route, result: findRole(route) };
  });
  for (const { operation, route, result } of results)
    if (route !== undefined && typeof result !== 'string') plans.set(operation.operationId, planOf(route, result));
  const [filled, created] = [new Set<Resource>(), new Set<Resource>()];
  for (const { address, role, isCreatedByPut } of plans.values()) {
    if (role === 'create' || isCreatedByPut) created.add(address.resource);
    if (role === 'list') filled.add(address.resource);
  }
  const roles = results.map(({ operation, route, result }): Role => {
    const { operationId } = operation;
    if (typeof result !== 'string')
      return { operationId, role: result.role, resource: result.address.resource.name, why: result.why };
    // An owner that nothing creates may be one that an answer without a role has shown.
    const around = route === undefined ? [] : ownersAround(route);
    const parents = around.map((owner) => (owner !== undefined && created.has(owner) ? owner : undefined));
    const owner = parents.findLast((one) => one !== undefined);
    if (owner === undefined) return { operationId, role: 'none', why: result };
    below.set(operationId, { operation, parents, parameters: route?.template.parameters ?? [] });
    const why = `${result}, and it is below an item of ${owner.name}`;
    return { operationId, role: 'below', resource: owner.name, why };
  });
  const resources = [...found.resources, ...[...singletons.values()].map(({ resource }) => resource)];
  const open = new Set(resources).difference(filled.union(created));
  return { roles, plans, below, resources, open };

  /** The resources with a word after their item in a path: `/files/{type}/{number}` is below no item `/files/{fileId}`. */
  function ownersAround({ template: { segments } }: Route): readonly (Resource | undefined)[] {
    const after = segments.flatMap((segment, index) => (segment === '{}' ? [segments[index + 1] ?? '{}'] : []));
    return found.parentsOf(segments).map((owner, index) => (after[index] === '{}' ? undefined : owner));
  }

  /**
   * RFC 9110, 9.3.4: 201 is documented. A contract may state it by the name alone: `create-or-update`, `add-member`. Without a body there is
   * nothing to replace: `PUT /blocks/{username}`.
   */
  function createsByPut(operation: StateOperation, noun: string): boolean {
    const { operationId, requestBody } = operation;
    const statuses = tools.responsesOf(operation).map(({ status }) => status);
    return isCreateOf(operationId, noun) || statuses.includes(201) || (requestBody === null && !statuses.includes(404));
  }

  /** Whether every documented answer is a rejection: then a change could not be answered. */
  function documentsNone(operation: StateOperation): boolean {
    const responses = tools.responsesOf(operation);
    return responses.length > 0 && responses.every(({ status }) => status >= 400);
  }

  /** @returns the reason if the operation has no role */
  function findRole(route: Route): Found | string {
    const { operation, template, name, list } = route;
    const { segments } = template;
    const { method } = operation;
    const own = found.addresses.get(name);
    const last = plainName(segments.at(-1) ?? '');
    const before = found.addresses.get(nameTemplate(segments.slice(0, -1)));
    if (operation.extensions['x-effect'] === 'none' && method !== 'get' && list === undefined)
      return 'x-effect states that it changes nothing';
    if (own !== undefined) return findCollectionRole(route, own, last);
    if (segments.at(-1) === '{}' && before !== undefined) return findItemRole(route, before);
    if (method === 'get' || method === 'head') {
      if (before !== undefined && list !== undefined)
        return list.place.length === 0 ? 'it reads another list' : 'it reads several lists';
      return findSingletonRole(route);
    }
    if (method === 'post' && before !== undefined && createsMany(route, before))
      return {
        role: 'create',
        address: before,
        action: undefined,
        depth: 'collection',
        why: `POST of a list of items of ${before.resource.name}`,
      };
    const singleton = findSingletonRole(route);
    if (typeof singleton !== 'string') return singleton;
    const item = itemBefore(route);
    if (item === undefined || !writing.has(method)) return singleton;
    return {
      role: 'action',
      address: item,
      action: last,
      depth: 'below',
      why: `${last} acts on an item of ${item.resource.name}`,
    };
  }

  function findCollectionRole(route: Route, address: Address, last: string): Found | string {
    const { operation, list, body } = route;
    const { method } = operation;
    const { resource } = address;
    const base = { address, action: undefined, depth: 'collection' } as const;
    const verb = verbRoles[last];
    if (
      method === 'get' ||
      (method === 'post' && list !== undefined && (verb === 'list' || operation.extensions['x-effect'] === 'none'))
    ) {
      return list === undefined
        ? 'its answer has no list of objects'
        : { ...base, role: 'list', why: `it answers a list of the items of ${resource.name}` };
    }
    if (method === 'head')
      return hasList(resource) ? { ...base, role: 'list', why: `HEAD of the list ${resource.name}` } : 'it has no body';
    if (!resource.hasItemPath && !hasList(resource)) return 'no operation reads the items';
    if (method === 'delete' || verb === 'delete')
      return { ...base, role: 'delete', why: `it deletes items of ${resource.name}` };
    if (body === undefined && method !== 'post') return 'it has no body';
    // If the answer to a text is a list, the text was searched for.
    const isDraft = body === undefined || reader.isObjectNode(body) || reader.isOnly(body, 'array');
    if (method === 'post' && verb !== 'merge')
      return !isDraft && list !== undefined
        ? 'its body is no object, and its answer a list'
        : { ...base, role: 'create', why: `POST on the collection ${resource.name}` };
    if (!mayHaveId(body, resource)) return 'its body has no id of an item';
    const isPut = method === 'put';
    return {
      ...base,
      role: isPut && verb === undefined ? 'replace' : 'merge',
      why: `${method.toUpperCase()} on the collection: the body has the id of the item`,
    };
  }

  /** Whether a body may contain the id of its item. A body without declared members may contain any. */
  function mayHaveId(body: SchemaNode | undefined, { idPlace, idParameter, noun }: Resource): boolean {
    const [id] = idPlace ?? [];
    const part = body && reader.findItem(body, noun, idNames(idParameter, noun));
    const members = part === undefined ? [] : [...reader.membersOf(part.node).keys()];
    return id !== undefined && (members.length === 0 || members.some((name) => plainName(name) === plainName(id)));
  }

  function findItemRole({ operation, answer }: Route, address: Address): Found | string {
    const { resource } = address;
    const base = { address, action: undefined, depth: 'item' } as const;
    const { method } = operation;
    const of = `an item of ${resource.name}`;
    if (method === 'head') return { ...base, role: 'read', why: `HEAD of ${of}` };
    if (method === 'get') {
      const isShown = answer !== undefined && reader.isObjectNode(answer);
      return { ...base, role: 'read', why: isShown ? `GET of ${of}` : `GET of content of ${of}, if the item exists` };
    }
    if (method === 'put') return { ...base, role: 'replace', why: `PUT of ${of}` };
    if (method === 'delete') return { ...base, role: 'delete', why: `DELETE of ${of}` };
    if (method === 'patch' || method === 'post')
      return { ...base, role: 'merge', why: `${method.toUpperCase()} of ${of}` };
    return `no role for ${method.toUpperCase()}`;
  }

  /** `POST /users/createWithList` */
  function createsMany({ body, template }: Route, { resource }: Address): boolean {
    if (body === undefined || !reader.isOnly(body, 'array') || template.segments.at(-2) === '{}') return false;
    return reader.isAmong(reader.itemOf(body), [...resource.views, ...resource.drafts]);
  }

  /** The item that a path begins with: `/orders/{}` of `/orders/{}/cancel`. */
  function itemBefore({ template: { segments } }: Route): Address | undefined {
    const index = segments.lastIndexOf('{}');
    if (index < 1 || index === segments.length - 1) return undefined;
    return found.addresses.get(nameTemplate(segments.slice(0, index)));
  }

  /** An object at a path of its own: `/settings`, `/users/{}/profile`. It must be written somewhere, or belong to an item. */
  function findSingletonRole(route: Route): Found | string {
    const { name, operation, template } = route;
    const all = byName.get(name) ?? [];
    const read = all.find((one) => one.operation.method === 'get');
    const isObject = read?.answer !== undefined && read.list === undefined && reader.isObjectNode(read.answer);
    if (!isObject) return read === undefined ? 'no operation reads what it changes' : 'its answer is no object';
    const isWritten = all.some((one) => ['put', 'patch'].includes(one.operation.method));
    const parent = itemBefore(route);
    if (!isWritten && parent === undefined) return 'no operation changes what it reads';
    const address = singletons.get(name) ?? addSingleton(route, all, parent);
    const base = { address, action: undefined, depth: 'collection' } as const;
    const { method } = operation;
    if (method === 'get' || method === 'head') {
      const why = isWritten ? 'a single object that other operations change' : 'a single object of an item';
      return { ...base, role: 'singleton-read', why };
    }
    if (!isWritten && template.segments.at(-1) !== undefined) return 'no operation reads what it changes';
    return { ...base, role: 'singleton-write', why: `${method.toUpperCase()} of a single object` };
  }

  function addSingleton({ name, template }: Route, all: readonly Route[], parent: Address | undefined): Address {
    const noun = nounOf(template.segments);
    const partOf = (node: SchemaNode | undefined): readonly SchemaNode[] => {
      const part = node === undefined ? undefined : reader.findItem(node, noun, []);
      return part === undefined ? [] : [part.node];
    };
    const resource: Resource = {
      name,
      kind: 'singleton',
      parents: parent === undefined ? [] : [...parent.parents, parent.resource],
      noun,
      idParameter: undefined,
      idNodes: [],
      innerIdNodes: [],
      idPlace: undefined,
      views: [...new Set(all.flatMap(({ answer }) => partOf(answer)))],
      drafts: [...new Set(all.flatMap(({ body }) => partOf(body)))],
      hasItemPath: false,
    };
    const address = { name, resource, parents: resource.parents };
    singletons.set(name, address);
    return address;
  }

  function hasList(resource: Resource): boolean {
    return found.routes.some(
      ({ name, operation, list }) =>
        operation.method === 'get' && list !== undefined && found.addresses.get(name)?.resource === resource,
    );
  }

  function planOf(route: Route, { depth, ...role }: Found): Plan {
    const { operation, template, answer, body, list } = route;
    const { address } = role;
    const { resource } = address;
    const success = successOf(tools, operation);
    const keys = idNames(resource.idParameter, resource.noun);
    const count = address.parents.length;
    const itemIn = (node: SchemaNode | undefined): Part | undefined => {
      const part =
        node === undefined
          ? undefined
          : reader.findItem(node, resource.noun, resource.kind === 'singleton' ? [] : keys);
      return part;
    };
    const draftIn = (node: SchemaNode | undefined): Part | undefined =>
      node && findDraft(reader, node, resource, resource.kind === 'singleton' ? [] : keys);
    const draft = draftIn(body !== undefined && reader.isOnly(body, 'array') ? reader.itemOf(body) : body);
    const isItemLike = (part: Part | undefined): boolean =>
      part !== undefined && (role.role !== 'action' || reader.isAmong(part.node, resource.views));
    const item = list === undefined || role.role === 'read' ? itemIn(answer) : undefined;
    const isItem = item !== undefined && reader.keyAmong(item.node, keys) !== undefined;
    const isOfItems = list !== undefined && reader.isAmong(reader.itemOf(list.node), resource.views);
    return {
      ...role,
      operation,
      parents: template.parameters.slice(0, count),
      key: depth === 'collection' ? undefined : template.parameters[count],
      success,
      content: jsonContentOf(success),
      answer,
      list,
      entry: list && entryOf(reader, list, resource.noun, keys),
      item: isItemLike(item) ? item : undefined,
      isListed: role.role === 'read' && isOfItems && !isItem,
      draft,
      within: body && memberLike(reader, resource.views, draft?.node ?? body),
      many: role.role === 'create' ? findMany(reader, route, resource.noun) : undefined,
      isCreatedByPut: role.role === 'replace' && createsByPut(operation, resource.noun),
    };
  }
}

/** `add-selected-repo-to-secret` creates a repository of the secret, and `addItemToCart` no cart. */
function isCreateOf(operationId: string, noun: string): boolean {
  const words = operationId
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const verb = words.findIndex((word) => word === 'create' || word === 'add' || word === 'upsert');
  if (verb < 0) return false;
  const object = words.slice(verb + 1);
  const end = object.findIndex((word) => /^(?:to|for|from|in|of|on)$/.test(word));
  const named = end < 0 ? object : object.slice(0, end);
  return words[verb] === 'upsert' || named[0] === 'or' || named.some((word) => word.startsWith(noun.slice(0, 4)));
}

/** Words, not parts of them: `putCredit` changes nothing. */
const isChange = /(?:^|[^A-Za-z])(?:update|modify|edit|change)(?![a-z])|[a-z](?:Update|Modify|Edit|Change)(?![a-z])/;

/** Whether a PUT is called an update, or described as one: `Update a user`, and not `Update a user, or create it`. */
export function isUpdate({ document }: ContractTools, { operationId, pointer }: StateOperation): boolean {
  const operation = readPointer(document, pointer);
  const summary = isObject(operation) ? String(operation.summary) : '';
  const isCreation = /\b(?:creat(?:es?|ing)|inserts?|upserts?|adds?)\b/i.test(summary);
  return isChange.test(operationId) || (!isCreation && /^(?:updat|modif|edit|chang)\w*\s+(?!or\b)/i.test(summary));
}

export function pathValues(path: unknown, names: readonly string[]): readonly string[] {
  const values = isObject(path) ? path : {};
  return names.map((name) => String(values[name]));
}
