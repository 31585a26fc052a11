import { isObject } from '@lockstep/json/json-pointer';
import type { SchemaNode } from '@lockstep/values/shape';
import { type ContractTools, jsonContentOf, type StateOperation, successOf } from './contract-tools.ts';
import { type Part, type Place, type SchemaReader, vagueNames, valueAtPlace } from './read-schemas.ts';
import { countParameters, nameTemplate, nounOf, plainName, readTemplate, type Template } from './template.ts';

/** An operation with its path and the schemas of its bodies. */
export interface Route {
  readonly operation: StateOperation;
  readonly template: Template;
  /** `/owners/{}/pets` */
  readonly name: string;
  /** Schema of the JSON body of its success. */
  readonly answer: SchemaNode | undefined;
  /** Schema of its request body, whatever the media type. */
  readonly body: SchemaNode | undefined;
  /** The list in its answer. */
  readonly list: Part | undefined;
}

/** A set of items with ids, or a single item of each parent. */
export interface Resource {
  /** The path of its collection without names of parameters: `/owners/{}/pets`. */
  readonly name: string;
  readonly kind: 'collection' | 'singleton';
  /** The resources that own it, one for each parameter of its path, the outermost first; undefined if no operation is about the owner. */
  readonly parents: readonly (Resource | undefined)[];
  readonly noun: string;
  /** Name of the parameter with the id of an item. */
  readonly idParameter: string | undefined;
  /** Schemas of that parameter. */
  readonly idNodes: readonly SchemaNode[];
  /** The member of an item with its id. */
  readonly idPlace: Place | undefined;
  /** Schemas of an item in answers: read, created, listed. */
  readonly views: readonly SchemaNode[];
  /** Schemas of an item in the bodies that create it. */
  readonly drafts: readonly SchemaNode[];
  /** Whether an item is addressed by a path of its own. */
  readonly hasItemPath: boolean;
}

/** The resource of a collection path. Several paths may lead to one resource: `/orders` and `/users/{}/orders`. */
export interface Address {
  readonly name: string;
  readonly resource: Resource;
  /** The resources that own the collection at this path; undefined if no operation is about the owner. */
  readonly parents: readonly (Resource | undefined)[];
}

export interface Resources {
  readonly routes: readonly Route[];
  readonly addresses: ReadonlyMap<string, Address>;
  readonly resources: readonly Resource[];
}

/** Last words of paths that stand for the collection before them: `/pets/create`, `/pets/list`. */
const verbs = new Set('create add new list all search find query filter update edit delete remove'.split(' '));

export function readRoutes(tools: ContractTools, reader: SchemaReader): readonly Route[] {
  return tools.operations.map((operation) => {
    const template = readTemplate(operation.basePath + operation.path);
    const schema = jsonContentOf(successOf(tools, operation))?.schema;
    const answer = schema === undefined ? undefined : reader.nodeOf(schema);
    const [bodyPointer] = Object.values(operation.requestBody?.content ?? {});
    const noun = nounOf(template.segments);
    return {
      operation,
      template,
      name: nameTemplate(template.segments),
      answer,
      body: bodyPointer === undefined ? undefined : reader.nodeAt(bodyPointer),
      list:
        answer && (operation.method === 'get' || operation.method === 'post')
          ? reader.findList(answer, noun)
          : undefined,
    };
  });
}

/**
 * Finds the collections of a contract: paths before a last parameter, and paths whose GET answers a list of objects. A collection without
 * items of its own is another view of a collection with the same noun or the same item schema.
 */
export function findResources(tools: ContractTools, reader: SchemaReader): Resources {
  const plain = readRoutes(tools, reader).filter(({ template }) => template.isPlain);
  const routes = plain.map((route) => (isWhole(route) ? { ...route, list: undefined } : route));
  const byName = Map.groupBy(routes, ({ name }) => name);
  const collections = new Map<string, readonly string[]>();
  for (const { template } of routes)
    if (template.segments.length > 1 && template.segments.at(-1) === '{}')
      collections.set(nameTemplate(template.segments.slice(0, -1)), template.segments.slice(0, -1));
  const withItems = new Set(collections.keys());
  for (const { name, operation, template, list } of routes)
    if (operation.method === 'get' && list !== undefined && template.segments.at(-1) !== '{}')
      collections.set(name, template.segments);
  // A verb after a collection: `/pets/create`.
  for (const { name, template } of routes) {
    const before = nameTemplate(template.segments.slice(0, -1));
    if (verbs.has(plainName(template.segments.at(-1) ?? '')) && (collections.has(before) || isVerbPath(before)))
      collections.set(name, template.segments);
  }
  const itemSchemaOf = (name: string): SchemaNode | undefined => {
    const list = byName.get(name)?.find(({ operation, list: own }) => operation.method === 'get' && own)?.list;
    if (list !== undefined) return reader.itemOf(list.node);
    const noun = nounOf(collections.get(name) ?? []);
    const reads = [...(byName.get(`${name === '/' ? '' : name}/{}`) ?? []), ...(byName.get(name) ?? [])];
    const read = reads.find(({ operation, answer }) => answer !== undefined && operation.method !== 'delete');
    return read?.answer === undefined ? undefined : reader.findItem(read.answer, noun, ['id'])?.node;
  };
  const identityOf = (name: string): unknown => {
    const node = itemSchemaOf(name);
    return node === undefined ? undefined : (reader.identityOf(node) ?? node);
  };

  const targets = new Map([...collections].map(([name, segments]) => [name, findTarget(name, segments)]));
  const resources = new Map<string, Resource>();
  const addresses = new Map<string, Address>();
  const inOrder = [...collections].toSorted(([, a], [, b]) => a.length - b.length);
  for (const [name, segments] of inOrder) addressOf(name, segments);
  return { routes, addresses, resources: [...resources.values()] };

  /** Whether another operation of the path writes the list as a member of a single object: `PUT /cart` of `{items, note}`. */
  function isWhole({ name, list }: Route): boolean {
    const [member] = list?.place ?? [];
    if (member === undefined) return false;
    const hasItems = plain.some((one) => one.name === `${name}/{}`);
    const writes = plain.filter(({ operation }) => operation.method === 'put' || operation.method === 'patch');
    const bodies = writes.flatMap((one) => (one.name === name && one.body !== undefined ? [one.body] : []));
    return !hasItems && bodies.some((body) => reader.membersOf(body).has(member));
  }

  /** Whether a path is a collection only because a verb follows. */
  function isVerbPath(name: string): boolean {
    return (byName.get(name) ?? []).length > 0 && withItems.has(name);
  }

  /** The collection that a collection without items is a view of; itself by default. */
  function findTarget(name: string, segments: readonly string[]): string {
    if (withItems.has(name)) return name;
    const identity = identityOf(name);
    const before = segments.slice(0, -1);
    const around = nameTemplate(before);
    const last = plainName(segments.at(-1) ?? '');
    if (collections.has(around) && before.at(-1) !== '{}')
      if (verbs.has(last) || (identity !== undefined && identity === identityOf(around))) return around;
    const noun = nounOf(segments);
    const others = [...withItems].map((other) => ({ other, own: collections.get(other) ?? [] }));
    const sibling = others.find(
      ({ own }) => nameTemplate(own.slice(0, -1)) === around && own.at(-1) !== '{}' && nounOf(own) === noun,
    );
    if (sibling !== undefined) return sibling.other;
    const flat = others.find(
      ({ other, own }) =>
        countParameters(own) === 0 && nounOf(own) === noun && identity !== undefined && identity === identityOf(other),
    );
    return flat?.other ?? name;
  }

  function addressOf(name: string, segments: readonly string[]): Address {
    const known = addresses.get(name);
    if (known !== undefined) return known;
    const target = targets.get(name) ?? name;
    const resource = target === name ? resourceOf(name, segments) : resourceOf(target, collections.get(target) ?? []);
    const address = { name, resource, parents: parentsOf(segments) };
    addresses.set(name, address);
    return address;
  }

  function parentsOf(segments: readonly string[]): readonly (Resource | undefined)[] {
    return segments.flatMap((segment, index) => {
      if (segment !== '{}') return [];
      const before = segments.slice(0, index);
      const name = nameTemplate(before);
      const hasOperations = (byName.get(nameTemplate(segments.slice(0, index + 1))) ?? []).length > 0;
      return [hasOperations && collections.has(name) ? addressOf(name, before).resource : undefined];
    });
  }

  function resourceOf(name: string, segments: readonly string[]): Resource {
    const known = resources.get(name);
    if (known !== undefined) return known;
    const noun = nounOf(segments);
    const members = [...targets].flatMap(([own, target]) => (target === name ? [own] : []));
    const items = members.flatMap((own) => byName.get(`${own === '/' ? '' : own}/{}`) ?? []);
    const own = members.flatMap((member) => byName.get(member) ?? []);
    const idParameter = items[0]?.template.parameters.at(-1);
    const idNodes = items.flatMap(({ operation, template }) => {
      const last = template.parameters.at(-1);
      const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === last);
      return parameter === undefined ? [] : [reader.nodeAt(parameter.schema)];
    });
    const keys = idNames(idParameter, noun);
    const lists = own.filter(({ operation, list }) => operation.method === 'get' && list !== undefined);
    const creates = own.filter(({ operation }) => operation.method === 'post' || operation.method === 'put');
    const reads = items.filter(({ operation }) => operation.method === 'get');
    const writes = items.filter(({ operation }) => ['put', 'patch', 'post'].includes(operation.method));
    // An item may have a list of objects itself.
    const shown = ({ answer, list }: Route): readonly SchemaNode[] => {
      const part = answer === undefined ? undefined : reader.findItem(answer, noun, keys);
      if (part === undefined) return [];
      const isItem = list === undefined || (isInside(list.place, part.place) && hasKey(reader, part.node, keys));
      return isItem ? [part.node] : [];
    };
    const listed = lists.flatMap(({ list }) => (list === undefined ? [] : [entryOf(reader, list, noun, keys).node]));
    const views = [...reads.flatMap(shown), ...creates.flatMap(shown), ...listed];
    const drafts = [...creates, ...writes].flatMap(({ body }) => {
      const part = body === undefined ? undefined : findDraft(reader, body, { noun, views }, keys);
      return part === undefined ? [] : [part.node];
    });
    const resource: Resource = {
      name,
      kind: 'collection',
      parents: parentsOf(segments),
      noun,
      idParameter,
      idNodes,
      idPlace: undefined,
      views: [...new Set(views.length > 0 ? views : drafts.slice(0, 1))],
      drafts: [...new Set(drafts)],
      hasItemPath: items.length > 0,
    };
    const idPlace =
      declaredKey(lists) ?? linkedKey(own) ?? findId(resource, keys) ?? findMadeId(resource, own.filter(isPost));
    const whole = { ...resource, idPlace };
    resources.set(name, whole);
    return whole;
  }

  function declaredKey(lists: readonly Route[]): Place | undefined {
    for (const { operation } of lists) {
      const { 'x-pagination': pagination } = operation.extensions;
      const key = isObject(pagination) ? pagination.key : undefined;
      if (typeof key === 'string') return key.split('/').slice(1);
    }
    return undefined;
  }

  /** A link from the answer of a create to an operation of the item. */
  function linkedKey(own: readonly Route[]): Place | undefined {
    for (const { operation, answer } of own) {
      if (operation.method !== 'post' || answer === undefined) continue;
      const links = Object.values(successOf(tools, operation)?.links ?? {});
      for (const { operationId, parameters } of links) {
        const target = routes.find((route) => route.operation.operationId === operationId);
        if (target === undefined || !isObject(parameters)) continue;
        const last = target.template.parameters.at(-1) ?? '';
        const expression = parameters[last] ?? parameters[`path.${last}`];
        const isItem = target.template.segments.at(-1) === '{}' && target.name.slice(0, -3) === nameOf(operation);
        const [, pointer] = /^\$response\.body#\/(.+)$/.exec(String(expression)) ?? [];
        if (!isItem || pointer === undefined) continue;
        const wrapper = reader.findItem(answer, nounOf(target.template.segments), ['id'])?.place ?? [];
        const place = pointer.split('/');
        return wrapper.every((name, index) => place[index] === name) ? place.slice(wrapper.length) : undefined;
      }
    }
    return undefined;
  }

  function nameOf(operation: StateOperation): string {
    return nameTemplate(readTemplate(operation.basePath + operation.path).segments);
  }

  function findId({ views, drafts, idNodes, idParameter }: Resource, keys: readonly string[]): Place | undefined {
    const isScalar = (member: SchemaNode): boolean =>
      (['object', 'array', 'boolean'] as const).every((type) => !reader.isOnly(member, type));
    // A member called `code` or `name` may be no id: it needs the type of the parameter.
    const isFit = (name: string, member: SchemaNode): boolean =>
      isScalar(member) &&
      (!vagueNames.has(name) ||
        (reader.isOnly(member, 'string') && !idNodes.some((node) => reader.isOnly(node, 'number'))));
    // `{org}` is a text: the member is `name` or `login` and not the number `id`.
    const isByName =
      idNodes.length > 0 &&
      !/id$/.test(plainName(idParameter ?? '')) &&
      idNodes.every((node) => reader.isOnly(node, 'string'));
    for (const node of [...views, ...drafts]) {
      const members = [...reader.membersOf(node)];
      const named = keys.flatMap((key) =>
        members.filter(([name, member]) => plainName(name) === key && isFit(key, member)),
      );
      const found = (isByName ? named.find(([, member]) => !reader.isOnly(member, 'number')) : undefined) ?? named[0];
      if (found !== undefined) return [found[0]];
      for (const [name, member] of members) {
        if (!/^(?:meta(?:data)?|attributes|properties|summary)$/i.test(name)) continue;
        const inner = [...reader.membersOf(member)];
        const found = keys.flatMap((key) => inner.filter(([own]) => plainName(own) === key)).at(0);
        if (found !== undefined) return [name, found[0]];
      }
    }
    // Otherwise the only id that the service sets.
    for (const node of views) {
      const own = [...reader.membersOf(node)].filter(
        ([name, member]) => /(?:id|uuid)$/.test(plainName(name)) && reader.isReadOnly(member) && isScalar(member),
      );
      if (own.length === 1) return own[0]?.slice(0, 1) as [string];
    }
    return undefined;
  }

  /** The only member of the answer to a create that may be an id, if no request has it and it names no owner. */
  function findMadeId({ drafts, idNodes }: Resource, creates: readonly Route[]): Place | undefined {
    if (idNodes.length === 0) return undefined;
    const known = new Set([
      ...drafts.flatMap((node) => [...reader.membersOf(node).keys()]).map(plainName),
      ...creates.flatMap(({ template }) => template.parameters).map(plainName),
    ]);
    const type = idNodes.every((node) => reader.isOnly(node, 'number')) ? 'number' : 'string';
    for (const { answer } of creates) {
      if (answer === undefined) continue;
      const found = [...reader.membersOf(answer)].filter(
        ([name, member]) => madeIds.test(plainName(name)) && !known.has(plainName(name)) && reader.isOnly(member, type),
      );
      if (found.length === 1) return found[0]?.slice(0, 1) as [string];
    }
    return undefined;
  }
}

const madeIds = /(?:id|code|key|number|token|reference|ref)$/;

function isPost({ operation }: Route): boolean {
  return operation.method === 'post';
}

/** The item in an element of a list: `{PaymentMethod: {id: …}}` has it one level deeper. */
export function entryOf(reader: SchemaReader, { node }: Part, noun: string, keys: readonly string[]): Part {
  const element = reader.itemOf(node);
  const part = reader.findItem(element, noun, keys);
  return part !== undefined && hasKey(reader, part.node, keys) ? part : { place: [], node: element };
}

/** The item in a request body. A member that the answers show among those of the item is no wrapper: `graph` of `POST /graphs`. */
export function findDraft(
  reader: SchemaReader,
  body: SchemaNode,
  { noun, views }: Pick<Resource, 'noun' | 'views'>,
  keys: readonly string[],
): Part | undefined {
  const part = reader.findItem(body, noun, keys);
  const [wrapper] = part?.place ?? [];
  const isMember = wrapper !== undefined && views.some((view) => reader.membersOf(view).has(wrapper));
  return isMember ? { place: [], node: body } : part;
}

function hasKey(reader: SchemaReader, node: SchemaNode, keys: readonly string[]): boolean {
  return [...reader.membersOf(node).keys()].some((name) => keys.includes(plainName(name)));
}

function isInside(place: Place, around: Place): boolean {
  return place.length > around.length && around.every((name, index) => place[index] === name);
}

/** Plain names of members that may hold the id, the likeliest first. */
export function idNames(parameter: string | undefined, noun: string): readonly string[] {
  const plain = plainName(parameter ?? '');
  const rest = plain.startsWith(noun) ? plain.slice(noun.length) : '';
  const usual = ['id', 'uuid', 'guid', `${noun}id`, `${noun}uuid`, 'uid', 'sid', 'login', 'username', `${noun}name`];
  const vague = ['key', 'slug', 'code', 'name', 'number', `${noun}key`, `${noun}code`, 'identifier'];
  // `{projectKey}` is the member `key`.
  const [kind = ''] = /(?:id|uuid|key|name|slug|code|number|login)$/.exec(plain) ?? [];
  return [...new Set([plain, rest, kind, ...usual, ...vague])].filter((name) => name !== '');
}

/** The schema of the member with the id. */
export function idNodeOf(
  reader: SchemaReader,
  { idPlace, views, drafts }: Pick<Resource, 'idPlace' | 'views' | 'drafts'>,
): SchemaNode | undefined {
  if (idPlace === undefined) return undefined;
  for (const view of [...views, ...drafts]) {
    let node: SchemaNode | undefined = view;
    for (const name of idPlace) node = node && reader.membersOf(node).get(name);
    if (node !== undefined) return node;
  }
  return undefined;
}

/** The id of an item as text; undefined if it has none. */
export function readKey({ idPlace }: Resource, item: unknown): string | undefined {
  const value = idPlace === undefined ? undefined : valueAtPlace(item, idPlace);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
