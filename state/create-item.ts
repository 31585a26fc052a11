import type { JsonObject } from '@lockstep/json/json-pointer';
import type { ItemBuilder } from './build-item.ts';
import type { Plan } from './infer-roles.ts';
import type { ItemMemory } from './memory.ts';
import { once } from './once.ts';
import { ownersOf, scopeOf } from './owners.ts';
import { type SchemaReader, valueAtPlace } from './read-schemas.ts';
import type { StateAnswer } from './request.ts';
import type { Call, Responder } from './respond.ts';
import type { StoredItem } from './store.ts';
import { plainName, readIds } from './template.ts';

/** Names of members of which two items of a collection have different values. */
const uniqueNames = /^(?:e?mail(?:address)?|name|slug|username|login|handle|sku|isbn|key|code|title)$/;

/** Names that people give twice if something else identifies an item. */
const weakNames = /^(?:name|title|code|key)$/;

interface CreatorParts {
  readonly reader: SchemaReader;
  readonly builder: ItemBuilder;
  readonly responder: Pick<Responder, 'responseWith' | 'pathOf'>;
}

/** Creates items, with an id of the client or of the service. */
export function createItemCreator({ reader, builder, responder: { responseWith, pathOf } }: CreatorParts) {
  /** The member of the body that is called like the parameter of the item's path. */
  const nameInPath = once(({ draft, address: { resource } }: Plan): string | undefined => {
    const members = draft === undefined ? [] : [...reader.membersOf(draft.node).keys()];
    return members.find((member) => plainName(member) === plainName(resource.idParameter ?? ''));
  });

  return { createOne, findTwin };

  /**
   * @param givenKey the id in the path
   * @returns undefined if the contract lists the ids and none is sent: `POST /favourites` creates no item of `/favourites/{type}`
   */
  function createOne(
    call: Call,
    sent: JsonObject,
    givenKey?: string,
  ): StoredItem | Exclude<StateAnswer, { kind: 'answer' }> | undefined {
    const { plan, memory, owners } = call;
    const { address } = plan;
    const { resource } = address;
    const scope = scopeOf(address, owners);
    const chosen = givenKey ?? chosenKey(plan, sent);
    const known = chosen === undefined || givenKey !== undefined ? undefined : memory.find(resource, scope, chosen);
    const isKnown = known?.isExample === false;
    if (isKnown && responseWith(plan, [409]) !== undefined)
      return { kind: 'rejected', statuses: [409], text: `a ${resource.noun} has the id ${chosen} already` };
    const twin = findTwin(call, sent);
    if (twin !== undefined) return twin;
    if (chosen === undefined && resource.idNodes.some((node) => reader.form.branch(node).values !== undefined))
      return undefined;
    const key = chosen ?? memory.newId(resource, scope);
    if (key === undefined)
      return { kind: 'full', text: `every id of a ${resource.noun} that the contract allows belongs to an item` };
    const id = memory.idFor(resource, String(key));
    const owned = ownersOf(reader, address, plan.parents, owners);
    const path = pathOf(resource, scope, String(key));
    const facts = memory.factsFor(resource, { owners: owned, path, start: memory.startOf(resource) });
    const value = builder.create(resource, sent, id, facts);
    const belongs = address.parents.length === resource.parents.length ? {} : { [address.name]: owners };
    const item = { ...newItem(String(key), scope, value, memory.now()), belongs };
    return memory.put(resource, item) ? item : full(memory);
  }

  /**
   * An id that the client may choose: the body that creates an item declares it, or its answers do, and it is not read-only there. The body
   * may call it as the path does: `{shopId: 71}` creates the item with the `id` 71 at `/favourites/{shopId}`.
   */
  function chosenKey(plan: Plan, sent: JsonObject): string | undefined {
    const { draft, address } = plan;
    const { idPlace, idNodes, drafts, views } = address.resource;
    const [name] = idPlace ?? [];
    const body = draft === undefined ? undefined : reader.membersOf(draft.node);
    const own = idPlace === undefined ? undefined : valueAtPlace(sent, idPlace);
    const inPath = nameInPath(plan);
    const value = own === undefined && inPath !== undefined ? sent[inPath] : own;
    if (name === undefined || (typeof value !== 'string' && typeof value !== 'number') || value === '')
      return undefined;
    const drafted = body?.get(own === undefined ? (inPath ?? name) : name);
    const members = [...drafts, ...views].flatMap((node) => reader.membersOf(node).get(name) ?? []);
    const isOwn = (drafted === undefined ? members : [drafted]).some((member) => reader.isReadOnly(member));
    const isReachable = idNodes.every((node) => [value, String(value)].some((one) => reader.accepts(one, node)));
    const isShown = members.every(
      (member) => idPlace?.length !== 1 || readIds(value).some((one) => reader.accepts(one, member)),
    );
    return isOwn || !isReachable || !isShown || members.length === 0 ? undefined : String(value);
  }

  /**
   * Where 409 is documented, two items of a collection differ in members such as `email`. A request may repeat an example.
   *
   * @param before the item that gets the value, if there is one
   */
  function findTwin(
    { plan, memory, owners }: Call,
    value: JsonObject,
    before?: StoredItem,
  ): (StateAnswer & { kind: 'rejected' }) | undefined {
    const { address } = plan;
    if (address.resource.kind === 'singleton' || responseWith(plan, [409]) === undefined) return undefined;
    // One name of each kind: a client may spell a name in many ways.
    const kinds = new Map(Object.keys(value).map((name) => [plainName(name), name]));
    const sent = [...kinds].flatMap(([kind, name]) => {
      const text = value[name];
      return uniqueNames.test(kind) && typeof text === 'string' ? [{ kind, name, text }] : [];
    });
    const strong = sent.filter(({ kind }) => !weakNames.test(kind));
    const changed = (strong.length > 0 ? strong : sent).filter(({ name, text }) => text !== before?.value[name]);
    for (const { name, text } of changed)
      for (const other of memory.findBy(address, owners, plan.parents, name, text))
        if (other.key !== before?.key && !other.isExample)
          return {
            kind: 'rejected',
            statuses: [409],
            text: `a ${address.resource.noun} with this ${name} exists already`,
          };
    return undefined;
  }
}

export function full(memory: ItemMemory): { readonly kind: 'full'; readonly text: string } {
  const { items, bytes } = memory.size();
  return { kind: 'full', text: `the store is full: it has ${items} items and ${bytes} bytes` };
}

export function newItem(key: string, parents: readonly string[], value: JsonObject, time: number): StoredItem {
  return { key, parents, belongs: {}, value, isExample: false, version: 1, createdAt: time, changedAt: time };
}
