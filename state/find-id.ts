// The member with the id of an item: as the contract declares or links it, otherwise by its name and its role.
import { isObject, readPointer } from '@lockstep/json/json-pointer';
import type { SchemaNode } from '@lockstep/values/shape';
import { type ContractTools, type StateOperation, successOf } from './contract-tools.ts';
import { type Place, qualifiedIds, type SchemaReader, vagueNames } from './read-schemas.ts';
import { idNames, type Resource, type Route } from './resource.ts';
import { nameTemplate, nounOf, plainName, readTemplate } from './template.ts';

interface IdParts {
  readonly reader: SchemaReader;
  readonly tools: ContractTools;
  /** All routes of the contract. */
  readonly routes: readonly Route[];
}

const madeIds = /(?:id|code|key|number|token|reference|ref)$/;

/** @param own the routes of the collection */
export function findId(parts: IdParts, resource: Resource, own: readonly Route[]): Place | undefined {
  const lists = own.filter(({ operation, list }) => operation.method === 'get' && list !== undefined);
  const creates = own.filter(({ operation }) => operation.method === 'post');
  const { reader } = parts;
  return (
    declaredKey(lists) ??
    linkedKey(parts, creates) ??
    sharedId(reader, resource) ??
    namedId(reader, resource) ??
    describedId(parts, resource) ??
    onlyId(reader, resource) ??
    qualifiedId(reader, resource) ??
    madeId(reader, resource, creates)
  );
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
function linkedKey({ reader, tools, routes }: IdParts, creates: readonly Route[]): Place | undefined {
  for (const { operation, answer } of creates) {
    if (answer === undefined) continue;
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

function namedId(reader: SchemaReader, { noun, views, drafts, idNodes, idParameter }: Resource): Place | undefined {
  const keys = idNames(idParameter, noun);
  const isScalar = scalarTest(reader);
  // A member called `code` or `name` may be no id: it needs the type of the parameter.
  const type = idNodes.some((node) => reader.isOnly(node, 'number')) ? 'number' : 'string';
  // Nor is a `name` of any text the UUID in `{listId}`.
  const isUuid = (node: SchemaNode): boolean => reader.form.branch(node).format === 'uuid';
  const isOfUuids = idNodes.length > 0 && idNodes.every(isUuid);
  const isAlike = (name: string, member: SchemaNode): boolean =>
    reader.isOnly(member, type) && (!isOfUuids || isUuid(member) || plainName(idParameter ?? '').endsWith(name));
  const isFit = (name: string, member: SchemaNode): boolean =>
    isScalar(member) && (!vagueNames.has(name) || isAlike(name, member));
  // `{org}` is a text: the member is `name` or `login` and not the number `id`.
  const isByName =
    idNodes.length > 0 &&
    !/id$/.test(plainName(idParameter ?? '')) &&
    idNodes.every((node) => reader.isOnly(node, 'string'));
  for (const node of [...views, ...drafts]) {
    const byName = reader.plainMembersOf(node);
    const named = keys.flatMap((key) => (byName.get(key) ?? []).filter(([, member]) => isFit(key, member)));
    const found = (isByName ? named.find(([, member]) => !reader.isOnly(member, 'number')) : undefined) ?? named[0];
    if (found !== undefined) return [found[0]];
    for (const [name, member] of reader.membersOf(node)) {
      if (!/^(?:meta(?:data)?|attributes|properties|summary)$/i.test(name)) continue;
      const inner = reader.plainMembersOf(member);
      const [found] = keys.flatMap((key) => inner.get(key) ?? []);
      if (found !== undefined) return [name, found[0]];
    }
  }
  // `{domainName}` is the member `domain`.
  const stem = plainName(idParameter ?? '').replace(/(?:id|name|key|code|number)$/, '');
  for (const node of views) {
    const found = reader
      .plainMembersOf(node)
      .get(stem)
      ?.find(([, member]) => reader.isOnly(member, type));
    if (found !== undefined) return [found[0]];
  }
  return undefined;
}

/** The member with the same description as the parameter: "The MD5 hash of the e-mail address". */
function describedId({ reader, tools, routes }: IdParts, { name, views }: Resource): Place | undefined {
  const texts = routes.flatMap(({ name: path, operation, template }) => {
    if (path !== `${name}/{}`) return [];
    const last = template.parameters.at(-1);
    const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === last);
    if (parameter === undefined) return [];
    return describe(readPointer(tools.document, parameter.schema.replace(/\/schema$/, ''))) ?? [];
  });
  const isScalar = scalarTest(reader);
  for (const view of views)
    for (const [member, node] of reader.membersOf(view))
      if (isScalar(node) && node.schemas.some((schema) => texts.includes(describe(schema) ?? ''))) return [member];
  return undefined;
}

/** A description of several words: a shorter one may describe any member. */
function describe(value: unknown): string | undefined {
  const text = isObject(value) && typeof value.description === 'string' ? value.description.trim() : '';
  return text.split(' ').length < 5 ? undefined : text;
}

function scalarTest(reader: SchemaReader): (member: SchemaNode) => boolean {
  return (member) => (['object', 'array', 'boolean'] as const).every((type) => !reader.isOnly(member, type));
}

/** The only id that the service sets. */
function onlyId(reader: SchemaReader, { views }: Resource): Place | undefined {
  const isScalar = scalarTest(reader);
  for (const node of views) {
    const own = [...reader.membersOf(node)].filter(
      ([name, member]) => /(?:id|uuid)$/.test(plainName(name)) && reader.isReadOnly(member) && isScalar(member),
    );
    if (own.length === 1) return own[0]?.slice(0, 1) as [string];
  }
  for (const node of views) {
    const own = [...reader.membersOf(node)].flatMap(([name, member]) =>
      [...(reader.isOnly(member, 'object') ? reader.membersOf(member) : [])].flatMap(([inner, value]) =>
        plainName(inner) === 'id' && reader.isReadOnly(value) && isScalar(value) ? [[name, inner]] : [],
      ),
    );
    if (own.length === 1) return own[0];
  }
  return undefined;
}

/** The only member of this kind, if no request has it: a client may know the item by an id of its own. */
function qualifiedId(reader: SchemaReader, { views, drafts, idNodes }: Resource): Place | undefined {
  const isNumber = idNodes.length > 0 && idNodes.every((node) => reader.isOnly(node, 'number'));
  const type = isNumber ? 'number' : 'string';
  const own = views.flatMap((view) => [...reader.membersOf(view)]);
  const names = own.flatMap(([name, member]) =>
    qualifiedIds.test(plainName(name)) &&
    reader.isOnly(member, type) &&
    !drafts.some((node) => reader.membersOf(node).has(name))
      ? [name]
      : [],
  );
  const [name, ...others] = new Set(names);
  return name === undefined || others.length > 0 ? undefined : [name];
}

/**
 * The only id that all answers show, if none has a usual name, not all requests have it and it names no owner. It identifies better than a `name`, and
 * some answers show ids of other things too.
 */
function sharedId(reader: SchemaReader, resource: Resource): Place | undefined {
  const { views, drafts, idNodes, parents, idParameter, noun } = resource;
  const [first, ...others] = views;
  const usual = idNames(idParameter, noun).filter((name) => !vagueNames.has(name));
  const isUsual = views.some((view) => reader.keyAmong(view, usual) !== undefined);
  if (first === undefined || others.length === 0 || isUsual || !/id$/.test(plainName(idParameter ?? '')))
    return undefined;
  const isNumber = idNodes.length > 0 && idNodes.every((node) => reader.isOnly(node, 'number'));
  const owners = parents.flatMap((owner) => (owner === undefined ? [] : [`${owner.noun}id`, `${owner.noun}uuid`]));
  const found = [...reader.membersOf(first)].filter(
    ([name, member]) =>
      /(?:id|uuid)$/.test(plainName(name)) &&
      reader.isOnly(member, isNumber ? 'number' : 'string') &&
      others.every((view) => reader.membersOf(view).has(name)) &&
      (drafts.length === 0 || drafts.some((node) => !reader.membersOf(node).has(name))) &&
      !owners.includes(plainName(name)),
  );
  return found.length === 1 ? (found[0]?.slice(0, 1) as [string]) : undefined;
}

/** The only member of the answer to a create that may be an id, if no request has it and it names no owner. */
function madeId(reader: SchemaReader, { drafts, idNodes }: Resource, creates: readonly Route[]): Place | undefined {
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
