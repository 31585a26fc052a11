import type { SchemaNode } from '@lockstep/values/shape';
import { isJson, type Operation, type Parameter } from '../../conformance/contract/contract.ts';
import { isObject, type Pointer } from '../../conformance/contract/document.ts';
import type { CanonicalForm } from '../../conformance/schema/canonical.ts';
import { type Pair, slotsOf } from './find-pairs.ts';
import { type Maker, normal } from './make-values.ts';
import type { Reply } from './send-requests.ts';
import { canBe, declaredNames, objectPlaces, type Path, scalarsIn, valueAt } from './shared-members.ts';

/** Schema of the first documented success that has JSON. */
export function successSchema(operation: Operation | undefined): Pointer | undefined {
  const successes = operation?.responses.filter(({ status }) => /^2/.test(status)) ?? [];
  const contents = successes.flatMap((response) => response.contents);
  return contents.find(({ mediaType, schema }) => schema !== undefined && (isJson(mediaType) || /\*/.test(mediaType)))
    ?.schema;
}

/** The schema of an item, as the contract describes its answers. */
export function itemNode(form: CanonicalForm, { read, replace, merge, create }: Pair): SchemaNode | undefined {
  const schema = [read, replace, merge, create].map(successSchema).find((found) => found !== undefined);
  return schema === undefined ? undefined : form.at(schema);
}

/** Whether a value may be an object, also where the schema allows every value. */
function mayBeObject(form: CanonicalForm, node: SchemaNode): boolean {
  return form.shapes(node).some(({ types }) => types.has('object'));
}

/** Whether no member of an item is described: it may be any object. */
export function isUndescribed(form: CanonicalForm, { item }: ListPlace): boolean {
  return mayBeObject(form, item) && declaredNames(form, item).length === 0;
}

/** Where a list has its items. */
export interface ListPlace {
  readonly path: Path;
  readonly item: SchemaNode;
  /** Whether an answer without items lacks the list: it is optional, and must have an item. */
  readonly isLeftOut?: boolean;
}

/** Schemas of the bodies that write an item. */
function bodyNodes(form: CanonicalForm, { create, replace, merge }: Pair): readonly SchemaNode[] {
  const contents = [create, replace, merge].flatMap((operation) => operation?.body?.contents ?? []);
  return contents.flatMap(({ schema }) => (schema === undefined ? [] : [form.at(schema)]));
}

/** Usual names of lists of items. */
const listNames =
  /^(embedded|items?|data|results?|records|entries|list|values?|content|elements|objects|rows|hits|resources)$/;

/**
 * The list in the answer whose items share most members with the item, or with the bodies that write it. A list that the item has too, such
 * as one of messages, is no list of items, unless its name is a usual one. Undefined if the contract describes no list, or several of which
 * none shares a member with the item.
 */
export function findList(form: CanonicalForm, pair: Pair): ListPlace | undefined {
  const schema = successSchema(pair.list);
  if (schema === undefined) return undefined;
  const item = itemNode(form, pair);
  const known = new Set(
    (item === undefined ? bodyNodes(form, pair) : [item])
      .flatMap((node) => objectPlaces(form, node))
      .flatMap(({ nodes }) => nodes.flatMap((node) => declaredNames(form, node))),
  );
  const inItem = new Set(item === undefined ? [] : listPlaces(form, item, []).map(({ path }) => path.join('/')));
  const noun = normal(pair.noun);
  const isUsual = ({ path }: ListPlace): boolean => {
    const name = normal(path.at(-1) ?? '');
    return path.length === 0 || listNames.test(name) || name === noun || name === `${noun}s`;
  };
  let best: (ListPlace & { readonly score: number }) | undefined;
  const places = listPlaces(form, form.at(schema), []).filter(
    (place) => !inItem.has(place.path.join('/')) || isUsual(place),
  );
  for (const place of places) {
    const shared = declaredNames(form, place.item).filter((name) => known.has(name)).length;
    const score = shared + (isUsual(place) ? 0.5 : 0);
    if (best === undefined || score > best.score) best = { ...place, score };
  }
  return best?.score === 0 && places.length > 1 ? undefined : best;
}

/** Lists in an answer, at its root and up to two members deep, the outer ones first. */
function listPlaces(form: CanonicalForm, node: SchemaNode, path: Path): readonly ListPlace[] {
  if (canBe(form, node, 'array'))
    return form
      .shapes(node)
      .flatMap((shape) =>
        shape.types.has('array') ? [{ path, item: form.item(shape, 0), isLeftOut: shape.minItems > 0 }] : [],
      );
  if (path.length === 2) return [];
  const inner = form.shapes(node).flatMap((shape) =>
    declaredNames(form, node).flatMap((name) =>
      shape.properties.has(name)
        ? listPlaces(form, form.property(shape, name), [...path, name]).map(({ isLeftOut = false, ...place }) => ({
            ...place,
            isLeftOut: isLeftOut && !shape.required.has(name),
          }))
        : [],
    ),
  );
  return inner.sort((a, b) => a.path.length - b.path.length);
}

/**
 * The list in the answer to a read that has the item alone in it: the answer itself, its member `data`, or the list of the collection, if both
 * have the same members. Undefined if it answers the item, as one with an id does.
 */
export function listOfOne(form: CanonicalForm, pair: Pair): ListPlace | undefined {
  const [read, list] = [pair.read, pair.list].map(successSchema);
  if (read === undefined) return undefined;
  const node = form.at(read);
  const names = declaredNames(form, node);
  if (names.includes('id')) return undefined;
  const isSame = list !== undefined && String(declaredNames(form, form.at(list))) === String(names);
  const known = ['', 'data', ...(isSame ? [String(findList(form, pair)?.path)] : [])];
  return listPlaces(form, node, []).find(({ path }) => known.includes(String(path)));
}

export function itemsIn(body: unknown, place: ListPlace): readonly unknown[] | undefined {
  const found = valueAt(body, place.path);
  if (found === undefined && place.isLeftOut && isObject(body)) return [];
  return Array.isArray(found) ? found : undefined;
}

export interface FoundId {
  readonly value: string | number;
  /** The member that has it; undefined if it comes from an address. */
  readonly path: Path | undefined;
  /** Whether the member has the name of the path's parameter, or is called `id`. */
  readonly isNamed?: boolean;
}

const ranksOfNames: readonly ((member: string, key: string, noun: string) => boolean)[] = [
  (member, key, noun) => member === key || (member !== '' && key === `${noun}${member}`),
  (member) => member === 'id',
  (member, key, noun) => member.length > 1 && (key.endsWith(member) || member === `${noun}id` || member.endsWith(key)),
  (member, key) => key.replace(/(id|name|key|code|number)$/, '') === member,
  (member) =>
    /^(uuid|guid|uid|sid|key|slug|name|number|index|code|login|identifier|externalid|reference|sha)$/.test(member),
  (member) => /(id|sid|key|code|name|number|token|reference|ref)$/.test(member),
];

/**
 * Whether the contract describes a way from a create to the new item: a list, `Location`, or a member that may be the id. Without a create,
 * a listed item must have such a member.
 */
export function canIdentify(form: CanonicalForm, pair: Pair): boolean {
  const { create, isCreatedByPut } = pair;
  const list = findList(form, pair);
  if (isCreatedByPut || (create !== undefined && list !== undefined)) return true;
  const asked = pair.list?.parameters.filter((parameter) => parameter.in === 'query' && parameter.required) ?? [];
  // `?ids=` shows no item to a client that knows none.
  if (create === undefined && asked.some(({ name }) => normal(name) === 'ids')) return false;
  if (list !== undefined && !mayBeObject(form, list.item)) return true;
  const headers = create?.responses.flatMap((response) => response.headers) ?? [];
  if (headers.some(({ name }) => name.toLowerCase() === 'location')) return true;
  const schema = successSchema(create);
  const sent = bodyNodes(form, { ...pair, replace: undefined, merge: undefined });
  const answered = [...(schema === undefined ? [] : [form.at(schema)]), ...(list === undefined ? [] : [list.item])];
  const [key, noun] = [normal(pair.key), normal(pair.noun).replace(/s$/, '')];
  const placesIn = (nodes: readonly SchemaNode[]) => nodes.flatMap((node) => objectPlaces(form, node));
  const namesAt = ({ nodes: inner }: { readonly nodes: readonly SchemaNode[] }): readonly string[] =>
    inner.flatMap((part) => declaredNames(form, part));
  // A sent `listing_id` is not the id in `/conversations/{id}`, and no id of an inner object is.
  const ofSent = ranksOfNames.filter((_, rank) => rank < 2 || (rank < 5 && key !== 'id'));
  const isName = (name: string): boolean => ofSent.some((matches) => matches(normal(name), key, noun));
  const roots = placesIn(sent).filter(({ path }) => path.length === 0);
  const wrapped = placesIn(sent).filter(
    ({ path }) => path.length > 0 && roots.every((root) => namesAt(root).length === 1),
  );
  const names = [...[...roots, ...wrapped].flatMap(namesAt).filter(isName), ...placesIn(answered).flatMap(namesAt)];
  const nodes = [...sent, ...answered];
  const isAny =
    create !== undefined && nodes.some((node) => declaredNames(form, node).length === 0 && canBe(form, node, 'object'));
  return isAny || names.some((name) => ranksOfNames.some((matches) => matches(normal(name), key, noun)));
}

/** Values that may be the id of the item, the most likely first. */
export function idsIn(pair: Pair, maker: Maker, value: unknown): readonly FoundId[] {
  const parameter = keyOf(pair);
  const [key, noun] = [normal(pair.key), normal(pair.noun).replace(/s$/, '')];
  const isText = !maker.accepts(parameter?.schema, 7);
  const ranked = [...scalarsIn(value, 3)].flatMap((found) => {
    const member = normal(found.path.at(-1) ?? '');
    const named = ranksOfNames.findIndex((matches) => matches(member, key, noun));
    // `{username}` is a text: its value is `login`, and not the number `id`.
    const isNumber = named === 1 && typeof found.value === 'number' && !key.endsWith('id') && isText;
    const rank = isNumber ? ranksOfNames.length : named;
    // An address has no types: the integer 7 and the text 7 are one id there.
    const other = typeof found.value === 'number' ? String(found.value) : Number(found.value);
    const spelled = rank < 3 ? [found.value, other] : [found.value];
    const value = spelled.find((spelling) => maker.accepts(parameter?.schema, spelling) && !Number.isNaN(spelling));
    return rank < 0 || value === undefined ? [] : [{ path: found.path, value, rank, isNamed: rank < 2 }];
  });
  // A scalar item of a list is the id itself.
  if (typeof value === 'string' || typeof value === 'number') return [{ value, path: [] }];
  // `{action: {id}, server: {id}}` of `/servers` has the id of the server in its second member.
  const isOther = (path: Path): boolean => path.length > 1 && normal(path.at(-2) ?? '').replace(/s$/, '') !== noun;
  return ranked.sort(
    (a, b) => a.rank - b.rank || Number(isOther(a.path)) - Number(isOther(b.path)) || a.path.length - b.path.length,
  );
}

/** The items in the answer to a create, if it answers a list as the list itself does; undefined if it answers one item. */
export function placeOfMany(form: CanonicalForm, pair: Pair): ListPlace | undefined {
  const { create, list } = pair;
  if (create === undefined || list === undefined || pair.isCreatedByPut) return undefined;
  const [own, made] = [findList(form, pair), findList(form, { ...pair, list: create })];
  return made !== undefined && String(own?.path) === String(made.path) ? made : undefined;
}

/** The first item in a body: a POST that answers a list may send one, `{labels: ["a"]}`. */
export function itemInBody(form: CanonicalForm, pair: Pair, value: unknown): unknown {
  if (placeOfMany(form, pair) === undefined) return value;
  const noun = normal(pair.noun).replace(/s$/, '');
  const members = isObject(value) ? Object.entries(value) : [];
  const named = members.find(([name, part]) => normal(name).replace(/s$/, '') === noun && Array.isArray(part))?.[1];
  const [first] = [Array.isArray(value) ? value : named].flat();
  return first ?? value;
}

/** The parameter that selects the item. */
export function keyOf({ read, replace, merge, remove, key }: Pair): Parameter | undefined {
  const operation = read ?? replace ?? merge ?? remove;
  return operation?.parameters.find((parameter) => parameter.in === 'path' && parameter.name === key);
}

/** The id in an address of the item: the last value of its path template. */
export function idInAddress(pair: Pair, address: string): FoundId | undefined {
  const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = pair.name
    .split(/(\{[^}]*\})/)
    .map((part) => (part.startsWith('{') ? '([^/]+)' : literal(part)))
    .join('');
  const path = address.replace(/^[a-z]+:\/\/[^/]+/i, '').replace(/[?#].*$/, '');
  const value = new RegExp(`${pattern}/?$`).exec(path)?.[slotsOf(pair.name).length];
  return value === undefined ? undefined : { value: decode(value), path: undefined };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Ids that an answer to a create leads to: by `Location`, by its members, by its links. */
export function idsAfter(pair: Pair, maker: Maker, { headers, body }: Reply): readonly FoundId[] {
  const location = headers.get('location');
  const links = [...scalarsIn(body, 3)].filter(({ path }) =>
    /^_?(self|href|url|uri|self_?(link|url|uri|href))$/i.test(path.at(-1) ?? ''),
  );
  const addresses = [location, ...links.map(({ value }) => String(value))].filter((text) => text !== null);
  const [first, ...others] = addresses.map((address) => idInAddress(pair, address));
  const [byLocation, byLinks] = location === null ? [[], [first, ...others]] : [[first], others];
  const members = idsIn(pair, maker, body);
  const [named, unnamed] = [members.filter(({ isNamed }) => isNamed), members.filter(({ isNamed }) => !isNamed)];
  return distinct([...named, ...byLocation, ...unnamed, ...byLinks].filter((id) => id !== undefined));
}

export function distinct(ids: readonly FoundId[]): readonly FoundId[] {
  const seen = new Set<string>();
  return ids.filter(({ value }) => !seen.has(String(value)) && seen.add(String(value)));
}

/** Whether an item of a list is the item with this id: by the same member if the list shows it, else by any. */
export function hasId(item: unknown, { value, path }: FoundId): boolean {
  const isIt = (found: unknown): boolean => String(found) === String(value);
  if (!isObject(item)) return isIt(item);
  const own =
    path === undefined
      ? undefined
      : path.map((_, index) => valueAt(item, path.slice(index))).find((found) => found !== undefined);
  return own === undefined || typeof own === 'object'
    ? [...scalarsIn(item, 3)].some((found) => isIt(found.value))
    : isIt(own);
}
