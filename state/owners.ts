// Items below others: `/users/{}/orders` has the orders of one user, whether the user's id is in their path or in a member.
import type { Model } from './infer-roles.ts';
import type { SchemaReader } from './read-schemas.ts';
import type { Address, IdOf, Resource } from './resource.ts';
import type { StoredItem } from './store.ts';
import { plainName } from './template.ts';

/** Names of the path parameters of the owners. */
export function parametersOf({ plans }: Pick<Model, 'plans'>, { name }: Resource): readonly string[] {
  return [...plans.values()].find(({ address }) => address.name === name)?.parents ?? [];
}

/** The members of an item that name its owners, by the place of the owner in the path. */
export function ownersOf(
  reader: SchemaReader,
  { resource, parents }: Address,
  parameters: readonly string[],
  values: readonly string[],
): readonly IdOf[] {
  return parents.flatMap((owner, index): readonly IdOf[] => {
    const value = values[index] ?? '';
    const found = ownerMember(reader, resource, parameters[index] ?? '', owner);
    if (found === undefined) return [];
    const [name, node] = found;
    const isNumber = reader.isOnly(node, 'number');
    const own = isNumber && /^\d+$/.test(value) ? Number(value) : value;
    return reader.accepts(own, node) ? [{ place: [name], value: own }] : [];
  });
}

function ownerMember(
  reader: SchemaReader,
  { views, drafts }: Resource,
  parameter: string,
  owner: Resource | undefined,
) {
  const noun = owner?.noun ?? '';
  const wanted = [
    plainName(parameter),
    ...(noun === '' ? [] : [`${noun}id`, `${noun}uuid`, noun, `parent${noun}id`]),
  ].filter((name) => name !== 'id' && name !== 'name');
  for (const view of [...views, ...drafts]) {
    const members = [...reader.membersOf(view)];
    for (const name of wanted) {
      const found = members.find(
        ([own, node]) => plainName(own) === name && !reader.isObjectNode(node) && !reader.isOnly(node, 'array'),
      );
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The ids of the owners by which an item at this address is stored. */
export function scopeOf({ resource, parents }: Address, values: readonly string[]): readonly string[] {
  return parents.length === resource.parents.length ? values : [];
}

/** Whether items are at an address with these owners. */
export function belowTest(
  reader: SchemaReader,
  { name: address, resource, parents: owners }: Address,
  values: readonly string[],
  parameters: readonly string[],
): (item: StoredItem) => boolean {
  if (owners.length === resource.parents.length) return ({ parents }) => isSameIds(parents, values);
  const index = owners.length - 1;
  const [name] = ownerMember(reader, resource, parameters[index] ?? '', owners[index]) ?? [];
  return ({ belongs, value }) => {
    const known = belongs[address];
    return known === undefined ? name !== undefined && String(value[name]) === values[index] : isSameIds(known, values);
  };
}

/** Another id of an item that owns others. */
interface Renaming {
  readonly owner: Resource;
  readonly before: StoredItem;
  readonly key: string;
}

/**
 * The items that only other paths than their own show below a renamed owner, as they are and as they become.
 *
 * @param list the stored items of a resource
 */
export function findShownBelow(
  reader: SchemaReader,
  { plans }: Pick<Model, 'plans'>,
  list: (resource: string) => readonly StoredItem[],
  renaming: Renaming,
): readonly { readonly name: string; readonly from: StoredItem; readonly to: StoredItem }[] {
  const { owner, before } = renaming;
  const views = [...plans.values()].filter(
    ({ address: { parents, resource } }) =>
      parents.length !== resource.parents.length && parents.includes(owner) && !resource.parents.includes(owner),
  );
  return [...Map.groupBy(views, ({ address }) => address.resource)].flatMap(([{ name }, own]) => {
    const renames = own.map(({ address, parents }) => renameOwner(reader, address, parents, renaming));
    return list(name).flatMap((from) => {
      const to = renames.reduce((item, rename) => rename(item), from);
      const isOwner = name === owner.name && from.key === before.key && isSameIds(from.parents, before.parents);
      return to === from || isOwner ? [] : [{ name, from, to }];
    });
  });
}

/** @returns the same item if it is not below the owner */
function renameOwner(
  reader: SchemaReader,
  address: Address,
  parameters: readonly string[],
  { owner, before, key }: Renaming,
): (item: StoredItem) => StoredItem {
  const index = address.parents.indexOf(owner);
  const [named] = ownersOf(reader, { ...address, parents: [owner] }, parameters.slice(index), [key]);
  const [member = ''] = named?.place ?? [];
  const isByMember = before.parents.length === 0 && index === address.parents.length - 1;
  return (item) => {
    const known = item.belongs[address.name];
    const isNamed = named !== undefined && String(item.value[member]) === before.key;
    const isBelow =
      known === undefined
        ? isNamed && isByMember
        : known[index] === before.key &&
          (owner.parents.length !== index || isSameIds(known.slice(0, index), before.parents));
    if (!isBelow) return item;
    const belongs = known === undefined ? item.belongs : { ...item.belongs, [address.name]: known.with(index, key) };
    return { ...item, belongs, value: isNamed ? { ...item.value, [member]: named.value } : item.value };
  };
}

export function isSameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}
