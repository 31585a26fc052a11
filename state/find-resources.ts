import { isSame } from '@lockstep/values/same-value';
import type { SchemaNode } from '@lockstep/values/shape';
import { type ContractTools, jsonContentOf, successOf } from './contract-tools.ts';
import { findId } from './find-id.ts';
import { listNames, type Part, type Place, type SchemaReader } from './read-schemas.ts';
import { type Address, idNames, type Resource, type Route } from './resource.ts';
import { countParameters, isNoun, nameTemplate, nounOf, plainName, readTemplate } from './template.ts';

export interface Resources {
  readonly routes: readonly Route[];
  readonly addresses: ReadonlyMap<string, Address>;
  readonly resources: readonly Resource[];
  /** The resources whose items a path goes through, one for each parameter. */
  readonly parentsOf: (segments: readonly string[]) => readonly (Resource | undefined)[];
}

/** Last words of paths that stand for the collection before them: `/pets/create`, `/pets/list`. */
const verbs = new Set('create add new list all search find query filter update edit delete remove'.split(' '));

/** Plain names of parameters with a text to search for. */
const searches = new Set('q query search term text prefix input keyword'.split(' '));

function readRoutes(tools: ContractTools, reader: SchemaReader): readonly Route[] {
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
  const routes = plain.map((route) => ({
    ...route,
    list: isWhole(route) || isOneItem(route) ? undefined : (route.list ?? idsOf(route)),
  }));
  const byName = Map.groupBy(routes, ({ name }) => name);
  const collections = new Map<string, readonly string[]>();
  for (const { template } of routes) {
    const around = template.segments.slice(0, -1);
    const name = nameTemplate(around);
    // `/files/{fileId}` is an item, although `/files/{type}/{number}` has it before its last parameter.
    const isItem = around.at(-1) === '{}' && byName.has(name);
    if (around.length > 0 && template.segments.at(-1) === '{}' && !isItem) collections.set(name, around);
  }
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
    if (list !== undefined && reader.isObjectNode(reader.itemOf(list.node))) return reader.itemOf(list.node);
    const noun = nounOf(collections.get(name) ?? []);
    const reads = [...(byName.get(`${name === '/' ? '' : name}/{}`) ?? []), ...(byName.get(name) ?? [])];
    const read = reads.find(({ operation, answer }) => answer !== undefined && operation.method !== 'delete');
    return read?.answer === undefined ? undefined : reader.findItem(read.answer, noun, ['id'])?.node;
  };
  const identityOf = (name: string): unknown => {
    const node = itemSchemaOf(name);
    return node === undefined ? undefined : (reader.identityOf(node) ?? node);
  };

  const holders = [...withItems].map((name) => {
    const segments = collections.get(name) ?? [];
    return { name, segments, noun: nounOf(segments) };
  });
  const targets = new Map([...collections].map(([name, segments]) => [name, findTarget(name, segments)]));
  const pathsOf = Map.groupBy(targets.keys(), (name) => targets.get(name));
  const resources = new Map<string, Resource>();
  const addresses = new Map<string, Address>();
  const inOrder = [...collections].toSorted(([, a], [, b]) => a.length - b.length);
  for (const [name, segments] of inOrder) addressOf(name, segments);
  return { routes, addresses, resources: [...resources.values()], parentsOf };

  /** Whether another operation of the path writes the list as a member of a single object: `PUT /cart` of `{items, note}`. */
  function isWhole({ name, list }: Route): boolean {
    const [member] = list?.place ?? [];
    if (member === undefined) return false;
    const hasItems = plain.some((one) => one.name === `${name}/{}`);
    const writes = plain.filter(({ operation }) => operation.method === 'put' || operation.method === 'patch');
    const bodies = writes.flatMap((one) => (one.name === name && one.body !== undefined ? [one.body] : []));
    return !hasItems && bodies.some((body) => reader.membersOf(body).has(member));
  }

  /** A list of texts or numbers, as those by which paths name its items: `/pools` and `/pools/{poolId}`. */
  function idsOf({ name, operation: { method, parameters, path }, answer }: Route): Part | undefined {
    const [item] = plain.filter((one) => one.name === `${name}/{}`);
    const id = item?.operation.parameters.find(
      (one) => one.in === 'path' && one.name === item.template.parameters.at(-1),
    );
    // Words that complete a text are no items.
    const isSearch = parameters.some((one) => one.in === 'query' && searches.has(plainName(one.name)));
    if (method !== 'get' || answer === undefined || id === undefined || isSearch) return undefined;
    const type = (['string', 'number'] as const).find((one) => reader.isOnly(reader.nodeAt(id.schema), one));
    return type && reader.findIds(answer, nounOf(readTemplate(path).segments), type);
  }

  /** Whether the answer is that of an item with the same lists in it: `/user` for the user who is logged in, next to `/user/{userId}`. */
  function isOneItem({ name, list, answer }: Route): boolean {
    const member = plainName(list?.place.at(-1) ?? '');
    if (list === undefined || list.place.length === 0 || answer === undefined || listNames.has(member)) return false;
    const namesOf = (node: SchemaNode): string => String([...reader.membersOf(node).keys()].sort());
    return plain.some((one) => {
      if (one.name !== `${name}/{}` || one.operation.method !== 'get' || one.answer === undefined) return false;
      let inItem: SchemaNode | undefined = one.answer;
      for (const part of list.place) inItem = inItem && reader.membersOf(inItem).get(part);
      return namesOf(one.answer) === namesOf(answer) && inItem !== undefined && reader.isOnly(inItem, 'array');
    });
  }

  /** Whether a path is a collection only because a verb follows. */
  function isVerbPath(name: string): boolean {
    return (byName.get(name) ?? []).length > 0 && withItems.has(name);
  }

  /** The collection that a collection without items is a view of; itself by default. */
  function findTarget(name: string, segments: readonly string[]): string {
    const before = segments.slice(0, -1);
    const around = nameTemplate(before);
    const noun = nounOf(segments);
    if (withItems.has(name)) {
      // `/ref/{ref}` next to `/refs`: nothing else is at `/ref`.
      if (segments.at(-1) === '{}' || byName.has(name)) return name;
      return holders.find((other) => byName.has(other.name) && isBeside(other))?.name ?? name;
    }
    const identity = identityOf(name);
    const last = plainName(segments.at(-1) ?? '');
    if (collections.has(around) && before.at(-1) !== '{}')
      if (verbs.has(last) || (identity !== undefined && identity === identityOf(around))) return around;
    const sibling = holders.find(isBeside);
    if (sibling !== undefined) return sibling.name;
    if (identity === undefined) return name;
    const same = holders.filter((other) => other.noun === noun && identity === identityOf(other.name));
    const flat = same.find((other) => countParameters(other.segments) === 0);
    if (flat !== undefined) return flat.name;
    // `GET /pods` lists the pods of all namespaces. `GET /me/orders` lists those of one user.
    const isOnlyRead = (byName.get(name) ?? []).every(({ operation }) => /^(?:get|head)$/.test(operation.method));
    const [nested, ...rest] = same;
    const isOfAll = nested !== undefined && rest.length === 0 && segments.every((one) => nested.segments.includes(one));
    return isOfAll && isOnlyRead && countParameters(segments) === 0 ? nested.name : name;

    function isBeside(other: (typeof holders)[number]): boolean {
      const own = other.segments;
      return other.noun === noun && own.at(-1) !== '{}' && nameTemplate(own.slice(0, -1)) === around;
    }
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
    const members = pathsOf.get(name) ?? [];
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
      const isItem =
        list === undefined || (isInside(list.place, part.place) && reader.keyAmong(part.node, keys) !== undefined);
      return isItem ? [part.node] : [];
    };
    const entries = lists.flatMap(({ list }) => (list === undefined ? [] : [entryOf(reader, list, noun, keys).node]));
    const [listed = [], ids = []] = [true, false].map((is) =>
      entries.filter((node) => reader.isObjectNode(node) === is),
    );
    const views = [...reads.flatMap(shown), ...creates.flatMap(shown), ...listed];
    const drafts = [...creates, ...writes].flatMap((route) => {
      const { body } = route;
      const many = findMany(reader, route, noun);
      if (many !== undefined) return reader.isObjectNode(reader.itemOf(many.node)) ? [reader.itemOf(many.node)] : [];
      const part = body === undefined ? undefined : findDraft(reader, body, { noun, views }, keys);
      return part === undefined ? [] : [part.node];
    });
    const resource: Resource = {
      name,
      kind: 'collection',
      parents: parentsOf(segments),
      noun,
      idParameter,
      idNodes: [...idNodes, ...ids],
      innerIdNodes: innerIdNodesOf(segments),
      idPlace: undefined,
      views: [...new Set(views.length > 0 ? views : drafts.slice(0, 1))],
      drafts: [...new Set(drafts)],
      hasItemPath: items.length > 0,
    };
    const whole = { ...resource, idPlace: findId({ reader, tools, routes }, resource, own) };
    resources.set(name, whole);
    return whole;
  }

  function innerIdNodesOf(segments: readonly string[]): readonly SchemaNode[] {
    const path = nameTemplate([...segments, '{}', '']);
    const kinds = new Map<string, SchemaNode>();
    for (const { name, operation, template } of routes) {
      const parameter = template.parameters[countParameters(segments)];
      const found = operation.parameters.find((one) => one.in === 'path' && one.name === parameter);
      if (!name.startsWith(path) || found === undefined) continue;
      const node = reader.nodeAt(found.schema);
      const { types, format, patterns } = reader.form.branch(node);
      const kind = String([...types, format, ...patterns]);
      if (!kinds.has(kind)) kinds.set(kind, node);
    }
    return [...kinds.values()];
  }
}

/** The item in an element of a list: `{PaymentMethod: {id: …}}` has it one level deeper. */
export function entryOf(reader: SchemaReader, { node }: Part, noun: string, keys: readonly string[]): Part {
  const element = reader.itemOf(node);
  const part = reader.findItem(element, noun, keys);
  return part !== undefined && reader.keyAmong(part.node, keys) !== undefined ? part : { place: [], node: element };
}

/**
 * The item in a request body. A member that the answers show among those of the item is no wrapper: `graph` of `POST /graphs`. An only
 * member is one, whatever its name, if its object shares members with those answers.
 */
export function findDraft(
  reader: SchemaReader,
  body: SchemaNode,
  { noun, views }: Pick<Resource, 'noun' | 'views'>,
  keys: readonly string[],
): Part | undefined {
  const part = reader.findItem(body, noun, keys);
  const isShown = (name: string): boolean => views.some((view) => reader.membersOf(view).has(name));
  const [wrapper] = part?.place ?? [];
  if (wrapper !== undefined) return isShown(wrapper) ? { place: [], node: body } : part;
  const [only, ...others] = reader.membersOf(body);
  if (only === undefined || others.length > 0 || isShown(only[0]) || !reader.isOnly(only[1], 'object')) return part;
  return [...reader.membersOf(only[1]).keys()].some(isShown) ? { place: [only[0]], node: only[1] } : part;
}

/** The member with the schema of a body, or the same enum, of an item that shares no member with the body. */
export function memberLike(reader: SchemaReader, views: readonly SchemaNode[], body: SchemaNode): string | undefined {
  const identity = reader.identityOf(body);
  const { values } = reader.form.branch(body);
  const members = new Map(views.flatMap((view) => [...reader.membersOf(view)]));
  const isShared = [...reader.membersOf(body).keys()].some((name) => members.has(name));
  const isLike = (member: SchemaNode): boolean =>
    (identity !== undefined && reader.identityOf(member) === identity) ||
    (values !== undefined && isSame(reader.form.branch(member).values, values));
  const [name] = [...members].find(([, member]) => !isShared && isLike(member)) ?? [];
  return name;
}

/** The items in the body of a POST that answers a list: `{labels: ["a", "b"]}` to `/labels`. */
export function findMany(reader: SchemaReader, { operation, body, list }: Route, noun: string): Part | undefined {
  // A list deeper in the answer is one of an item.
  if (body === undefined || list === undefined || list.place.length > 1 || operation.method !== 'post')
    return undefined;
  const found = [...reader.membersOf(body)].find(([name, node]) => isNoun(name, noun) && reader.isOnly(node, 'array'));
  return found && { place: [found[0]], node: found[1] };
}

function isInside(place: Place, around: Place): boolean {
  return place.length > around.length && around.every((name, index) => place[index] === name);
}
